package osfs

import "arbor/mdstore"

// A Folder is an open folder, for walks over many of them: it takes half the
// calls of a Root. Names are single elements, and no link is followed. It must be closed.
type Folder interface {
	// Entries returns the entries in no order.
	Entries() ([]Entry, error)
	// Sub opens a folder in it.
	Sub(name string) (Folder, error)
	// Look describes what has a name in it.
	Look(name string) (Info, error)
	// Self describes the folder itself.
	Self() (Info, error)
	// Read is FS.ReadFile of a file in it, with the stamp of the state that it read. The error names the file by its name alone.
	Read(name string, limit int64) ([]byte, mdstore.Stamp, error)
	Close() error
}
