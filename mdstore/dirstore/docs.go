package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/fold"
)

// docs reads and makes documents in the project's folder.
type docs struct {
	project string
	vault   string     // relative to the project, with slashes; it begins with ".." or a slash if the vault lies elsewhere
	root    *osfs.Root // nil if it cannot be opened
}

// OpenDocs returns the documents of a project whose vault is elsewhere. Close releases the folder.
func OpenDocs(project string, log *slog.Logger) (*Docs, error) {
	d, err := openDocs(project, "", log)
	d.vault = ".." // no document lies in it
	return &Docs{d}, err
}

// Docs are the documents of a project: see mdstore.Docs.
type Docs struct{ docs }

// Close releases the project's folder.
func (d *Docs) Close() error {
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

func openDocs(dir, vault string, log *slog.Logger) (docs, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return docs{}, err
	}
	vault, _ = filepath.Rel(dir, vault) // "" if the vault is on another drive
	vault = filepath.ToSlash(vault)
	root, err := osfs.OpenRoot(dir)
	if err != nil {
		log.Warn("the project's documents cannot be read", "folder", dir, "error", err)
		return docs{project: dir, vault: vault}, nil
	}
	return docs{dir, vault, &root}, nil
}

// ReadDoc returns the bytes of a document of the project. A document of more than most bytes is an
// *mdoc.UnreadableError. target is a path relative to the project's folder, or an absolute path below it. ReadDoc
// follows links that stay below the project's folder, and accents may be encoded otherwise. The error is an
// fs.ErrPermission for a path outside of the project, a path in a folder .local, and a file: URL. It is an
// fs.ErrNotExist for any other URL and for a missing file.
func (d docs) ReadDoc(ctx context.Context, target string, most int64) (data []byte, err error) {
	err = d.at(ctx, "read document", target, func(name mdstore.Path) (err error) {
		if d.local(string(name)) {
			return fs.ErrPermission
		}
		data, _, err = d.root.ReadRegular(name, most)
		if found := ""; errors.Is(err, fs.ErrNotExist) {
			if found = d.find(name, fold.Composed); found != "" {
				data, err = d.ReadDoc(ctx, found, most)
			}
		}
		return err
	})
	return data, err
}

// Alike returns the path of a document that differs in case: see mdstore.Docs.
func (d docs) Alike(ctx context.Context, target string) (found string) {
	_ = d.at(ctx, "find document", target, func(name mdstore.Path) error {
		found = d.find(name, fold.Name)
		return nil
	})
	return found
}

// find returns the only path other than name that has the same form, element by element; "" if there is none or
// several.
func (d docs) find(name mdstore.Path, form func(string) string) string {
	at := mdstore.Path("")
	for elem := range strings.SplitSeq(string(name), "/") {
		entries, err := d.root.ReadDir(at)
		var same []string
		for _, e := range entries {
			if e.Name == elem {
				same = []string{elem}
				break
			}
			if form(e.Name) == form(elem) {
				same = append(same, e.Name)
			}
		}
		if err != nil || len(same) != 1 {
			return ""
		}
		at = at.Join(same[0])
	}
	if at == name || d.local(string(at)) {
		return ""
	}
	return string(at)
}

// local reports whether a path leads, itself or through links, into a folder .local, which holds the token of the HTTP
// server.
func (d docs) local(name string) bool {
	is := func(elem string) bool { return strings.EqualFold(elem, mdstore.LocalDir) }
	if slices.ContainsFunc(strings.Split(name, "/"), is) {
		return true
	}
	real, err := filepath.EvalSymlinks(filepath.Join(d.project, filepath.FromSlash(name)))
	top, err2 := filepath.EvalSymlinks(d.project)
	if err != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(top, real)
	return err == nil && slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), is)
}

// MakeDoc makes a document of the project: see mdstore.Docs. It does not sync the document, which is a copy of what the
// vault has.
func (d docs) MakeDoc(ctx context.Context, target string, data []byte) error {
	return d.at(ctx, "make document", target, func(name mdstore.Path) error {
		if vault := d.vault == "." || name.Under(mdstore.Path(d.vault)); vault || strings.Contains("/"+string(name), "/.") {
			return fs.ErrPermission
		}
		return d.root.Create(name, data, "")
	})
}

// at calls do with target's path relative to the project's folder. An error for a missing or existing document, or for
// a missing permission, names op and target.
func (d docs) at(ctx context.Context, op, target string, do func(mdstore.Path) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name, err := d.name(target)
	if d.root == nil {
		err = fs.ErrNotExist
	}
	if err == nil {
		err = do(mdstore.Path(name))
	}
	for _, known := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrPermission} {
		if errors.Is(err, known) && (known != fs.ErrPermission || err == known) {
			return &fs.PathError{Op: op, Path: target, Err: known}
		}
	}
	if err != nil && strings.Contains(err.Error(), "escapes") { // os.Root has no error value for an escaping link
		return &fs.PathError{Op: op, Path: target, Err: fs.ErrPermission}
	}
	return err
}

// name returns target relative to the project's folder.
func (d docs) name(target string) (string, error) {
	if strings.ContainsRune(target, 0) || target == "" {
		return "", fs.ErrNotExist
	}
	if u, err := url.Parse(target); err == nil && u.Scheme == "file" {
		return "", fs.ErrPermission
	} else if err == nil && len(u.Scheme) > 1 { // one letter is the drive of a path
		return "", fs.ErrNotExist
	}
	if filepath.IsAbs(target) {
		rel, err := filepath.Rel(d.project, target)
		if err != nil {
			return "", fs.ErrPermission
		}
		target = rel
	}
	name := path.Clean(filepath.ToSlash(target))
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fs.ErrPermission
	}
	return name, nil
}
