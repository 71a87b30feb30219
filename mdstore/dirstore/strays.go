package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/dirstore/internal/txn"
)

// strays are the names of files that are no part of a vault. The first that fits decides.
var strays = []struct {
	name *regexp.Regexp
	kind mdstore.StrayKind
}{
	{regexp.MustCompile(`^` + regexp.QuoteMeta(txn.TempPrefix)), mdstore.StrayTemporary},
	{regexp.MustCompile(`\.sync-conflict-`), mdstore.StrayConflictCopy},                                          // Syncthing
	{regexp.MustCompile(`(?i)conflicted copy`), mdstore.StrayConflictCopy},                                       // Dropbox
	{regexp.MustCompile(regexp.QuoteMeta(txn.ConflictMark) + `[0-9a-f]{8,64}(\.|$)`), mdstore.StrayConflictCopy}, // this store
	{regexp.MustCompile(`~$`), mdstore.StrayBackup},                                                              // many editors
	{regexp.MustCompile(`\.sw[a-p]$`), mdstore.StrayBackup},                                                      // Vim
	{regexp.MustCompile(`^4913$`), mdstore.StrayTemporary},                                                       // Vim, trying whether it can write
	{regexp.MustCompile(`^\.#`), mdstore.StrayTemporary},                                                         // Emacs' locks
	{regexp.MustCompile(`^#.*#$`), mdstore.StrayBackup},                                                          // Emacs
	{regexp.MustCompile(`^\.~lock\.`), mdstore.StrayTemporary},                                                   // LibreOffice
}

// Strays returns the files below a folder that are no part of the vault but
// look as if they should be, in the order of their paths. Folders whose names start with a dot are not looked into.
func (s *Store) Strays(ctx context.Context, under mdstore.Path) ([]mdstore.Stray, error) {
	if under != "" && !under.Valid() {
		return nil, &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid}
	}
	var out []mdstore.Stray
	err := s.strays(ctx, under, &out)
	return out, err
}

// Writable returns why a file that can be read is not to be written, nil where nothing speaks against it.
func (s *Store) Writable(ctx context.Context, p mdstore.Path) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.disk.Lstat(p)
	if err != nil || !info.Mode.IsRegular() {
		return nil // reading it says more
	}
	return disk.CheckWritable(p, info)
}

var _ mdstore.WriteChecker = (*Store)(nil)

func (s *Store) strays(ctx context.Context, dir mdstore.Path, out *[]mdstore.Stray) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := s.disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // listing says so
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := dir.Join(e.Name)
		if e.Type.IsDir() {
			if strings.HasPrefix(e.Name, ".") {
				continue
			}
			if err := s.strays(ctx, p, out); err != nil {
				return err
			}
			continue
		}
		for _, k := range strays {
			if k.name.MatchString(e.Name) {
				*out = append(*out, mdstore.Stray{Path: p, Kind: k.kind})
				break
			}
		}
	}
	return nil
}
