package osfs

import (
	"io/fs"

	"arbor/mdstore"
)

// StampOf returns the stamp of what the system describes; never firm.
func StampOf(fi fs.FileInfo) mdstore.Stamp { return stampOf(fi) }
