package dirstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// ownNames are names in .local/ that the store itself uses; the methods of mdstore.Local refuse them.
var ownNames = []string{mdstore.IgnoreFile, "cache", "displaced", "generation", "journal", "lock", "trash"}

// ReadLocal returns a file of .local/.
func (v *vault) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	p, err := v.localPath(ctx, name, false)
	if err != nil {
		return nil, err
	}
	data, _, err := v.disk.ReadFile(p, mdstore.MaxFileSize)
	return data, err
}

// WriteLocal replaces a file of .local/ by a rename, and makes the folders above it.
func (v *vault) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	p, err := v.localPath(ctx, name, true)
	if err == nil {
		err = v.replace(p, data, 0o644)
	}
	return err
}

// KeepLocal replaces a file of .local/ as WriteLocal does. Once it has returned, a power failure leaves the new file.
func (v *vault) KeepLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	p, err := v.localPath(ctx, name, true)
	if err == nil {
		err = osfs.Keep(v.disk, p, p.Dir().Join(TempPrefix+rand.Text()), data)
	}
	return err
}

// RemoveLocal removes a file of .local/.
func (v *vault) RemoveLocal(ctx context.Context, name mdstore.Path) error {
	p, err := v.localPath(ctx, name, false)
	if err == nil {
		err = v.disk.Remove(p)
	}
	return osfs.UnlessMissing(err)
}

// ListLocal returns the files in a folder of .local/, in the order of their names.
func (v *vault) ListLocal(ctx context.Context, dir mdstore.Path) ([]mdstore.LocalFile, error) {
	began := v.now()
	p, err := v.localPath(ctx, dir, false)
	if err != nil || !v.plainFolder(p) {
		return nil, osfs.UnlessMissing(err)
	}
	entries, err := v.disk.ReadDir(p)
	if err != nil {
		return nil, osfs.UnlessMissing(err)
	}
	var out []mdstore.LocalFile
	for _, e := range entries {
		info, err := v.disk.Stat(p.Join(e.Name))
		if err == nil && info.Mode.IsRegular() && !strings.HasPrefix(e.Name, TempPrefix) {
			out = append(out, mdstore.LocalFile{Name: e.Name, Stamp: proven(info.Stamp, began)})
		}
	}
	return out, nil
}

// localPath returns the path of a file in .local/. It refuses links among the folders above it; with create it makes
// missing ones.
func (v *vault) localPath(ctx context.Context, name mdstore.Path, create bool) (mdstore.Path, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(name), "/")
	if !name.Valid() || slices.Contains(ownNames, first) {
		return "", fmt.Errorf("%q is no path for files in %s: %w", name, mdstore.LocalDir, fs.ErrInvalid)
	}
	p := mdstore.Path(mdstore.LocalDir).Join(string(name))
	if create {
		if err := v.makeLocal(); err != nil {
			return "", err
		}
	}
	return p, v.plainWay(p, create)
}

// plainWay returns an fs.ErrNotExist if a folder above a file of .local/ is missing or is not a plain folder. With
// create it first makes the missing ones, except .local/ itself.
func (v *vault) plainWay(p mdstore.Path, create bool) error {
	for i, c := range p {
		if c != '/' {
			continue
		}
		above := p[:i]
		if create && i > len(mdstore.LocalDir) {
			if err := v.disk.Mkdir(above); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if !v.plainFolder(above) {
			return &fs.PathError{Op: "open", Path: string(above), Err: fs.ErrNotExist}
		}
	}
	return nil
}
