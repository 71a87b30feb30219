package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

// strays are the names of files that are no part of a vault. The first that fits decides. What the first group of a conflict copy's name holds, with the
// extension, is the name of the file that it is a version of.
// They are compiled for whoever looks for strays: most commands do not.
var strays = sync.OnceValue(func() []strayName {
	return []strayName{
		{regexp.MustCompile(`^` + regexp.QuoteMeta(journal.TempPrefix)), mdstore.StrayLeftover},
		{regexp.MustCompile(`^(.+)\.sync-conflict-[^.]*(\.[^.]+)?$`), mdstore.StrayConflictCopy},                                                                             // Syncthing
		{regexp.MustCompile(`(?i)^(.+?) \([^()]*conflicted copy[^()]*\)(\.[^.]+)?$`), mdstore.StrayConflictCopy},                                                             // Dropbox
		{regexp.MustCompile(`^(.+)` + regexp.QuoteMeta(journal.ConflictMark) + `[0-9a-f]{8,64}(\.[^.]+)?$`), mdstore.StrayConflictCopy},                                      // this store
		{regexp.MustCompile(`(?i)()(?:\.sync-conflict-|conflicted copy|` + regexp.QuoteMeta(journal.ConflictMark) + `[0-9a-f]{8,64}(?:\.|$))()`), mdstore.StrayConflictCopy}, // of what, their names do not tell
		{regexp.MustCompile(ours + `(?: \d+| \(\d+\)| copy(?: \d+)?| - copy(?: \(\d+\))?)(\.md)$`), mdstore.StrayConflictCopy},                                               // iCloud, browsers, Finder, Explorer
		{regexp.MustCompile(ours + `[ _-]*\([^()]*(?:conflict|case clash)[^()]*\)(\.md)$`), mdstore.StrayConflictCopy},                                                       // Nextcloud, Dropbox
		{regexp.MustCompile(ours + `\.md\.(?:orig|rej|bak|old|save)$`), mdstore.StrayBackup},                                                                                 // git, patch, editors
		{regexp.MustCompile(ours + `_(?:LOCAL|REMOTE|BASE|BACKUP)_\d+\.md$`), mdstore.StrayBackup},                                                                           // git mergetool
		{regexp.MustCompile(ours + `\.md___jb_(?:old|tmp)___$`), mdstore.StrayTemporary},                                                                                     // JetBrains
		{regexp.MustCompile(`^[.~]syncthing[.~](?:Node|Workspace)\.md(?:\.tmp)?$`), mdstore.StrayTemporary},                                                                  // Syncthing, receiving
		{regexp.MustCompile(`^\.(?:Node|Workspace)\.md\.kate-swp$`), mdstore.StrayBackup},                                                                                    // Kate
		{regexp.MustCompile(`^\.goutputstream-`), mdstore.StrayTemporary},                                                                                                    // GNOME
		{regexp.MustCompile(`~$`), mdstore.StrayBackup},                                                                                                                      // many editors
		{regexp.MustCompile(`\.sw[a-p]$`), mdstore.StrayBackup},                                                                                                              // Vim
		{regexp.MustCompile(`^4913$`), mdstore.StrayTemporary},                                                                                                               // Vim, trying whether it can write
		{regexp.MustCompile(`^\.#`), mdstore.StrayTemporary},                                                                                                                 // Emacs' locks
		{regexp.MustCompile(`^#.*#$`), mdstore.StrayBackup},                                                                                                                  // Emacs
		{regexp.MustCompile(`^\.~lock\.`), mdstore.StrayTemporary},                                                                                                           // LibreOffice
	}
})

// A strayName is a form of names, and what a file of such a name is.
type strayName struct {
	name *regexp.Regexp
	kind mdstore.StrayKind
}

// ours is the beginning of the names that other programs make of those of the vault's own files.
const ours = `(?i)^(Node|Workspace)`

// strayOf returns what a name says of a file; ok is false for one that may be part of a vault.
func strayOf(p mdstore.Path) (s mdstore.Stray, ok bool) {
	for _, k := range strays() {
		m := k.name.FindStringSubmatch(p.Base())
		if m == nil {
			continue
		}
		s = mdstore.Stray{Path: p, Kind: k.kind}
		switch {
		case k.kind == mdstore.StrayLeftover && !journal.Leftover(p.Base()):
			s.Kind = mdstore.StrayTemporary // it looks like one
		case k.kind == mdstore.StrayConflictCopy && m[1] != "":
			s.Of = p.Dir().Join(m[1] + m[2])
		}
		return s, true
	}
	return s, false
}

// Strays returns the files below a folder that are no part of the vault but
// look as if they should be, and folders without any file, in the order of their paths. Folders whose names start with a dot are not looked into.
func (s *Store) Strays(ctx context.Context, under mdstore.Path) ([]mdstore.Stray, error) {
	if under != "" && !under.Valid() {
		return nil, &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid}
	}
	var out []mdstore.Stray
	empty, err := s.strays(ctx, under, &out)
	if empty && under != "" {
		out = append(out, mdstore.Stray{Path: under, Kind: mdstore.StrayFolder})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, err
}

// Sweep clears away what commits have left of which the journal knows nothing any more, as when .local/ was deleted in the middle of one.
func (s *Store) Sweep(ctx context.Context, leftovers []mdstore.Path, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	if !dry { // looking takes no lock, which would write
		release, err := s.acquire(ctx, writeWait)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	return s.sweep(ctx, leftovers, trash, dry)
}

// sweep is Sweep for whoever holds the lock.
func (s *Store) sweep(ctx context.Context, leftovers []mdstore.Path, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	for _, p := range append(slices.Clone(leftovers), trash) {
		if !p.Valid() || p == trash && !p.Under(mdstore.LocalDir) {
			return nil, &fs.PathError{Op: "sweep", Path: string(p), Err: fs.ErrInvalid}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !dry {
		if busy := s.gitBusy(); busy != nil {
			return nil, busy
		}
	}
	return s.committer.Clear(leftovers, trash, dry)
}

func (x *exclusive) Sweep(ctx context.Context, leftovers []mdstore.Path, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sweep(ctx, leftovers, trash, dry)
}

var _ mdstore.Strays = (*Store)(nil)

// Writable returns why a file is not to be written, or not to be made, nil where nothing speaks against it. Of .local itself it returns what keeps every
// commit from being made.
func (s *Store) Writable(ctx context.Context, p mdstore.Path) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p == mdstore.LocalDir {
		return s.inTheWay()
	}
	info, err := s.disk.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it is to be made
	case err != nil || !info.Mode.IsRegular():
		return nil // reading it says more
	default:
		if err := osfs.CheckWritable(p, info); err != nil {
			return err
		}
	}
	return s.mayMake(p.Dir())
}

// Movable returns why a file or folder is not to be moved, nil where nothing speaks against it.
func (s *Store) Movable(ctx context.Context, from, to mdstore.Path) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.disk.Lstat(from)
	if err != nil {
		return nil // reading it says more
	}
	return cmp.Or(osfs.CheckMovable(from, info), s.mayMake(from.Dir()), s.mayMake(to.Dir()))
}

var _ mdstore.Writable = (*Store)(nil)

// strays adds what it finds below dir, and reports whether that holds no file at all; of such folders the topmost is named.
func (s *Store) strays(ctx context.Context, dir mdstore.Path, out *[]mdstore.Stray) (empty bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	entries, err := s.disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil // listing says so
	}
	if err != nil {
		return false, err
	}
	empty = true
	var bare []mdstore.Stray
	for _, e := range entries {
		p := dir.Join(e.Name)
		if !e.Type.IsDir() || strings.HasPrefix(e.Name, ".") {
			empty = false
			if st, ok := strayOf(p); ok && !e.Type.IsDir() {
				*out = append(*out, st)
			}
			continue
		}
		switch below, err := s.strays(ctx, p, out); {
		case err != nil:
			return false, err
		case below:
			bare = append(bare, mdstore.Stray{Path: p, Kind: mdstore.StrayFolder})
		default:
			empty = false
		}
	}
	if !empty {
		*out = append(*out, bare...)
	}
	return empty, nil
}
