//go:build linux || darwin

package osfs

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// MayWrite returns an *mdoc.UnreadableError for a file or folder that this user may not write to, an fs.ErrNotExist
// where there is none, and otherwise nil: who writes is told what else is wrong. It follows links, and is good for
// nothing but to tell beforehand.
func (r Root) MayWrite(p mdstore.Path) error {
	err := unix.Faccessat(unix.AT_FDCWD, filepath.Join(r.R.Name(), native(p)), unix.W_OK, unix.AT_EACCESS)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return Denied(p, err)
	}
	return nil
}
