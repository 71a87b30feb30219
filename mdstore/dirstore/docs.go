package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// docs is the folder of a project, whose documents a store reads.
type docs struct {
	project string
	vault   string     // relative to the project, with slashes; one that does not begin with a name lies elsewhere
	root    *osfs.Root // nil where it cannot be opened
}

func openDocs(dir, vault string, log *slog.Logger) (docs, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return docs{}, err
	}
	vault, _ = filepath.Rel(dir, vault) // "" for one of another drive
	vault = filepath.ToSlash(vault)
	root, err := osfs.OpenRoot(dir)
	if err != nil {
		log.Warn("the project's documents cannot be read", "folder", dir, "error", err)
		return docs{project: dir, vault: vault}, nil
	}
	return docs{dir, vault, &root}, nil
}

// ReadDoc returns the bytes of a document of the project, at most mdstore.MaxFileSize of them. target is a path
// relative to the project's folder, or an absolute one below it; links are followed as long as they stay below it. A
// URL is no document: the error is an fs.ErrNotExist, or an fs.ErrPermission for what is outside of the project and
// for file: URLs.
func (d docs) ReadDoc(ctx context.Context, target string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	refuse := func(err error) ([]byte, error) {
		return nil, &fs.PathError{Op: "read document", Path: target, Err: err}
	}
	if d.root == nil {
		return refuse(fs.ErrNotExist)
	}
	name, err := d.name(target)
	if err != nil {
		return refuse(err)
	}
	data, _, err := d.root.ReadRegular(mdstore.Path(name), mdstore.MaxFileSize)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist):
		return refuse(fs.ErrNotExist)
	case strings.Contains(err.Error(), "escapes"): // os.Root has no error value for a link that leads out
		return refuse(fs.ErrPermission)
	}
	return nil, err
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
