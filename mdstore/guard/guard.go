// Package guard reads what may have come with a folder: from a clone, an archive, a share. Such a folder can hold links
// out of it, pipes without a writer, devices and files without an end. Everything that is read by a fixed name, and
// was not named by the user just now, is read through this package or through a store.
package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// ReadFile returns the bytes of the regular file called name, a path below the folder dir. It never waits for the other
// end of a pipe, and follows a link only as long as it stays below dir.
//
// The error is an fs.ErrNotExist if there is no such file; a *RefusedError if it is not a regular file, is outside of
// dir, or has more than limit bytes; and otherwise the system's.
func ReadFile(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return ReadIn(root, name, limit)
}

// SyncDir makes the names in a folder durable, where the system can do that.
func SyncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// ReadIn is ReadFile in a folder that is open.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Stat(name)
	switch {
	case err == nil:
		err = regular(name, info, limit)
	case strings.Contains(err.Error(), "escapes"): // os.Root has no error value for that
		err = &RefusedError{name, "is a link that leads out of its folder, and is not followed; put the file itself there"}
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|NonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil { // it may be another one by now
		err = regular(name, info, limit)
	}
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead) // ReadFrom needs this room to see the end
	_, err = data.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && int64(data.Len()) > limit {
		err = tooLarge(name, limit)
	}
	if err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// A RefusedError says why a file is not read.
type RefusedError struct {
	Name string
	Why  string // "is a pipe, and a file is expected"
}

func (e *RefusedError) Error() string { return e.Name + " " + e.Why }

func regular(name string, info fs.FileInfo, limit int64) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular() && info.Size() > limit:
		return tooLarge(name, limit)
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "no regular file"
	}
	return &RefusedError{name, "is " + what + ", and a file is expected; move it away"}
}

func tooLarge(name string, limit int64) error {
	return &RefusedError{name, fmt.Sprintf("has more than %d bytes, which is the limit; move it away", limit)}
}

// Scarce reports whether an error says that the system has run out of something that every file needs, such as
// descriptors: it says nothing about the file.
func Scarce(err error) bool {
	for _, e := range scarce {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Trouble returns advice for an error of the disk: it is full, failing, disconnected or read-only. It returns "" for
// any other error.
func Trouble(err error) string {
	errno, _ := errors.AsType[syscall.Errno](err)
	return troubles[errno]
}

var troubles = map[syscall.Errno]string{
	syscall.ENOSPC: "free space", syscall.EDQUOT: "free space, or have the quota raised", syscall.EIO: "look at the disk",
	syscall.EROFS: "mount the file system for writing", syscall.ESTALE: "see that the network drive is there",
}
