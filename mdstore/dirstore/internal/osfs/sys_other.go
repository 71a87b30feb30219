//go:build !linux && !darwin

package osfs

import (
	"errors"
	"io/fs"
	"os"

	"arbor/mdstore"
)

const (
	syncFlag = os.O_RDWR // Windows flushes only what was opened for writing

	renameSwap = iota
	renameNoReplace
)

// MayWrite returns nil: this system does not tell.
func (r Root) MayWrite(mdstore.Path) error { return nil }

// Writers returns Unknown: this system does not tell.
func (r Root) Writers(mdstore.Path) Writers { return Unknown }

// describe has neither change time nor inode here, so a stamp does not show an edit that keeps the size and sets the
// time back.
func describe(fi fs.FileInfo) Info {
	return Info{Mode: fi.Mode(), Size: fi.Size(), Stamp: mdstore.Stamp{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}}
}

func keepOwner(*os.File, fs.FileInfo) {}

// syncDir does nothing: Windows cannot flush a folder; NTFS keeps its own journal of names.
func syncDir(*os.File) error { return nil }

func rename(*os.File, string, *os.File, string, uint) error { return errors.ErrUnsupported }
