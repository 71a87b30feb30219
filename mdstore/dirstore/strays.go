package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/pattern"
)

// The names of strays, as regular expressions; the first that matches decides. In the expression for a conflict copy,
// the two groups together are the name of the file that it is a version of. NAME stands for the fixed file names of all
// kinds, without ".md".
var strayNames = []struct {
	name string
	kind mdstore.StrayKind
}{
	{`^` + regexp.QuoteMeta(journal.TempPrefix), mdstore.StrayLeftover},
	{`^(.+)\.sync-conflict-[^.]*(\.[^.]+)?$`, mdstore.StrayConflictCopy},                 // Syncthing
	{`(?i)^(.+?) \([^()]*conflicted copy[^()]*\)(\.[^.]+)?$`, mdstore.StrayConflictCopy}, // Dropbox
	{`^(.+)` + ownCopy + `(\.[^.]+)?$`, mdstore.StrayConflictCopy},                       // this store
	// we cannot tell which file it belongs to
	{`(?i)()(?:\.sync-conflict-|conflicted copy|` + ownCopy + `(?:\.|$))()`, mdstore.StrayConflictCopy},
	{`(?i)^(NAME)(?: \d+| \(\d+\)| copy(?: \d+)?| - copy(?: \(\d+\))?)(\.md)$`, mdstore.StrayConflictCopy}, // iCloud, Finder
	{`(?i)^(NAME)[ _-]*\([^()]*(?:conflict|case clash)[^()]*\)(\.md)$`, mdstore.StrayConflictCopy},         // Nextcloud, Dropbox
	{`(?i)^(?:NAME)\.md\.(?:orig|rej|bak|old|save)$`, mdstore.StrayBackup},                                 // git, patch, editors
	{`(?i)^(?:NAME)_(?:LOCAL|REMOTE|BASE|BACKUP)_\d+\.md$`, mdstore.StrayBackup},                           // git mergetool
	{`(?i)^(?:NAME)\.md___jb_(?:old|tmp)___$`, mdstore.StrayTemporary},                                     // JetBrains
	{`^[.~]syncthing[.~](?:NAME)\.md(?:\.tmp)?$`, mdstore.StrayTemporary},                                  // Syncthing
	{`^\.(?:NAME)\.md\.kate-swp$`, mdstore.StrayBackup},                                                    // Kate
	{`^` + regexp.QuoteMeta(mdstore.CorruptPrefix), mdstore.StrayBindings},                                 // of this program
	{`^\.goutputstream-`, mdstore.StrayTemporary},                                                          // GNOME
	{`~$`, mdstore.StrayBackup},            // many editors
	{`\.sw[a-p]$`, mdstore.StrayBackup},    // Vim
	{`^4913$`, mdstore.StrayTemporary},     // Vim, trying whether it can write
	{`^\.#`, mdstore.StrayTemporary},       // locks of Emacs
	{`^#.*#$`, mdstore.StrayBackup},        // Emacs
	{`^\.~lock\.`, mdstore.StrayTemporary}, // LibreOffice
}

var ownCopy = regexp.QuoteMeta(journal.ConflictMark) + `[0-9a-f]{8,64}`

// strayPatterns compiles strayNames for a table of kinds.
func strayPatterns(kinds mdstore.Kinds) (all []*regexp.Regexp) {
	var names []string
	for _, k := range kinds {
		if name, ok := strings.CutSuffix(k.Place.Name, ".md"); ok && !k.Place.Many() {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	for _, n := range strayNames {
		all = append(all, regexp.MustCompile(strings.ReplaceAll(n.name, "NAME", strings.Join(names, "|"))))
	}
	return all
}

// strayOf tells from a file's name what kind of stray it is; ok is false if the file may be part of the vault.
func (v *vault) strayOf(p mdstore.Path) (stray mdstore.Stray, ok bool) {
	for i, pattern := range v.strayPatterns() {
		m := pattern.FindStringSubmatch(p.Base())
		if m == nil {
			continue
		}
		stray = mdstore.Stray{Path: p, Kind: strayNames[i].kind}
		switch {
		case stray.Kind == mdstore.StrayLeftover && !journal.Leftover(p.Base()) && !v.madeAgain(p):
			stray.Kind = mdstore.StrayTemporary // of another program
		case stray.Kind == mdstore.StrayConflictCopy && m[1] != "":
			stray.Of = p.Dir().Join(m[1] + m[2])
		}
		return stray, true
	}
	return stray, false
}

// Strays implements mdstore.Strays. Below folders whose names begin with a dot it looks for nodes only.
func (v *vault) Strays(ctx context.Context, under mdstore.Path) ([]mdstore.Stray, error) {
	if under != "" && !under.Valid() {
		return nil, &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid}
	}
	out, empty, err := v.straysIn(ctx, under)
	if empty && under != "" {
		out = []mdstore.Stray{{Path: under, Kind: mdstore.StrayFolder}}
	}
	if under == "" && err == nil && v.plainFolder(mdstore.LocalDir) {
		var local []mdstore.Stray
		local, _, err = v.straysIn(ctx, mdstore.LocalDir)
		out = append(out, slices.DeleteFunc(local, v.kept)...)
	}
	slices.SortFunc(out, func(a, b mdstore.Stray) int { return cmp.Compare(a.Path, b.Path) })
	return out, err
}

// straysIn returns the strays of a folder. empty says that neither the folder nor any folder below it has a file. Of
// nested empty folders only the topmost is a stray.
func (v *vault) straysIn(ctx context.Context, dir mdstore.Path) (out []mdstore.Stray, empty bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	entries, err := v.disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, false, nil // List reports that
	}
	if err != nil {
		return nil, false, err
	}
	empty = true
	nodes := mdstore.NodeKind.Folder(mdstore.WorkspaceDir(dir))
	inNodes := dir == nodes || dir.Under(nodes)
	isNode := func(e osfs.Entry) bool { return e.Name == mdstore.NodeKind.Place.Name }
	astray := inNodes && !slices.ContainsFunc(entries, isNode)
	for _, e := range entries {
		p := dir.Join(e.Name)
		switch {
		case !e.Type.IsDir():
			empty = false
			if inNodes && !p.Valid() && e.Name == mdstore.NodeKind.Place.Name {
				out = append(out, mdstore.Stray{Path: p, Kind: mdstore.StrayUnfit})
			} else if stray, ok := v.strayOf(p); ok {
				out = append(out, stray)
			} else if of, ok := v.copied(p, entries); ok {
				out = append(out, mdstore.Stray{Path: p, Kind: mdstore.StrayConflictCopy, Of: of})
			} else if astray && strings.HasSuffix(e.Name, ".md") && mdstore.AllKinds().Of(p) == nil {
				out = append(out, mdstore.Stray{Path: p, Kind: mdstore.StrayMarkdown})
			}
		case mdstore.LeftAlone(e.Name), p == mdstore.WorkspaceDir(p):
			empty = false
			if inNodes && strings.HasPrefix(e.Name, ".") {
				out = append(out, v.hidden(p, 4)...)
			}
		default:
			below, bare, err := v.straysIn(ctx, p)
			if err != nil {
				return nil, false, err
			}
			if bare {
				below = []mdstore.Stray{{Path: p, Kind: mdstore.StrayFolder}}
			}
			empty = empty && bare
			out = append(out, below...)
		}
	}
	return out, empty, nil
}

// hidden returns the topmost files of nodes in a folder whose name begins with a dot, so many folders deep.
func (v *vault) hidden(dir mdstore.Path, depth int) (out []mdstore.Stray) {
	entries, _ := v.disk.ReadDir(dir)
	for _, e := range entries {
		if !e.Type.IsDir() && e.Name == mdstore.NodeKind.Place.Name {
			return []mdstore.Stray{{Path: dir.Join(e.Name), Kind: mdstore.StrayHidden}}
		}
	}
	for _, e := range entries {
		if e.Type.IsDir() && depth > 1 {
			out = append(out, v.hidden(dir.Join(e.Name), depth-1)...)
		}
	}
	return out
}

// idLine matches the id in front matter.
var idLine = pattern.Of(`(?m)^id:[ \t]*(\S+)`)

// copied returns the file beside p that p is a copy of, by its name and id: one of a kind whose files have one name.
func (v *vault) copied(p mdstore.Path, beside []osfs.Entry) (of mdstore.Path, ok bool) {
	if !strings.HasSuffix(p.Base(), ".md") || mdstore.AllKinds().Of(p) != nil {
		return "", false
	}
	id := func(p mdstore.Path) string {
		data, _, _ := v.disk.ReadRegular(p, mdstore.MaxSize(p))
		if m := idLine().FindSubmatch(data); m != nil {
			return string(m[1])
		}
		return ""
	}
	for _, e := range beside {
		of = p.Dir().Join(e.Name)
		k := mdstore.AllKinds().Of(of)
		if k != nil && !k.Place.Many() && mdstore.CopyName(p.Base(), e.Name) && id(p) != "" && id(p) == id(of) {
			return of, true
		}
	}
	return "", false
}

// localTemp matches the names of the temporary files that replace makes in .local/. They may be removed: the file that
// each was to become is written again when needed.
var localTemp = pattern.Of(`^` + regexp.QuoteMeta(journal.TempPrefix) + `[A-Z2-7]{26,}$`)

// madeAgain reports whether a file is a temporary file of replace: see localTemp.
func (v *vault) madeAgain(p mdstore.Path) bool {
	return p.Under(mdstore.LocalDir) && localTemp().MatchString(p.Base())
}

// kept reports whether a stray of .local/ is left alone: it is less than a minute old, no leftover, or in a folder that
// is cleared in another way.
func (v *vault) kept(s mdstore.Stray) bool {
	folder, _, _ := strings.Cut(strings.TrimPrefix(string(s.Path), mdstore.LocalDir+"/"), "/")
	info, err := v.disk.Stat(s.Path)
	young := err != nil || v.now().Sub(time.Unix(0, info.Stamp.Mtime)) < time.Minute
	return young || s.Kind != mdstore.StrayLeftover ||
		slices.Contains([]string{"displaced", "journal", "record", "replaced", "trash"}, folder)
}
