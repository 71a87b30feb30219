package disk

import (
	"os"

	"arbor/mdstore"
)

// A Folder is an open folder, for walks over many of them: it takes half the
// calls of a Root. Names are single elements, and no link is followed. It must be closed.
type Folder interface {
	// Entries returns the entries in no order.
	Entries() ([]Entry, error)
	// Sub opens a folder in it.
	Sub(name string) (Folder, error)
	// Read is FS.ReadFile of a file in it. The error names the file by its name alone.
	Read(name string, limit int64) ([]byte, error)
	Close() error
}

// rootFolder is a Folder on every system.
type rootFolder struct{ r *os.Root }

func openRootFolder(r *os.Root, p mdstore.Path) (Folder, error) {
	sub, err := r.OpenRoot(native(p))
	if err != nil {
		return nil, absent(err)
	}
	return rootFolder{sub}, nil
}

func (f rootFolder) Entries() ([]Entry, error)       { return Root{f.r}.ReadDir("") }
func (f rootFolder) Sub(name string) (Folder, error) { return openRootFolder(f.r, mdstore.Path(name)) }
func (f rootFolder) Close() error                    { return f.r.Close() }
func (f rootFolder) Read(name string, limit int64) ([]byte, error) {
	return Root{f.r}.ReadFile(mdstore.Path(name), limit)
}
