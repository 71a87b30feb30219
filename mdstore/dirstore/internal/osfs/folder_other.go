//go:build !linux

package osfs

import (
	"os"

	"arbor/mdstore"
)

// Folder opens the folder at p.
func (r Root) Folder(p mdstore.Path) (Folder, error) { return openRootFolder(r.R, p) }

// A rootFolder is an os.Root.
type rootFolder struct{ r *os.Root }

func openRootFolder(r *os.Root, p mdstore.Path) (Folder, error) {
	sub, err := r.OpenRoot(native(p))
	if err != nil {
		return nil, absent(err)
	}
	return rootFolder{sub}, nil
}

func (f rootFolder) Entries() ([]Entry, error)       { return Root{R: f.r}.ReadDir("") }
func (f rootFolder) Sub(name string) (Folder, error) { return openRootFolder(f.r, mdstore.Path(name)) }
func (f rootFolder) Close() error                    { return f.r.Close() }
func (f rootFolder) Look(name string) (Info, error)  { return Root{R: f.r}.Lstat(mdstore.Path(name)) }
func (f rootFolder) Self() (Info, error)             { return Root{R: f.r}.Lstat("") }
func (f rootFolder) Read(name string, limit int64) ([]byte, mdstore.Stamp, error) {
	return Root{R: f.r}.ReadStamped(mdstore.Path(name), limit)
}
