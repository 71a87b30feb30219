//go:build !unix

package osfs

import (
	"io/fs"
	"os"
)

const (
	nonblock = 0
	syncFlag = os.O_RDWR // Windows flushes only what was opened for writing
)

func identity(fs.FileInfo) (links, dev uint64) { return 0, 0 }

func keepOwner(*os.File, fs.FileInfo) {}

// syncDir does nothing: Windows cannot flush a folder; NTFS keeps its own journal of names.
func syncDir(*os.File) error { return nil }
