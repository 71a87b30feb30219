// Package osfs has all calls that a store makes to a file system. FS lists them; each is one step in the model of
// crashes. Root makes them in a folder that no path leads out of.
package osfs

import (
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// FS is a folder of files. Paths are relative to it; "" is the folder itself. If there is nothing at a path the
// error is an fs.ErrNotExist.
//
// What is written is durable only after Sync of the file; that a name exists, is gone or is another file's, only after
// SyncDir of the folders concerned. A crash may keep any of the steps that are not durable and drop the others, but it
// never splits a single rename or exchange.
type FS interface {
	// Lstat describes what is at p itself; it follows no link.
	Lstat(p mdstore.Path) (Info, error)
	// ReadFile returns the bytes of a regular file with its description at that moment. For anything else, and for a
	// file larger than limit, the error is an *mdoc.UnreadableError.
	ReadFile(p mdstore.Path, limit int64) ([]byte, Info, error)
	// ReadDir returns the entries of a folder in the order of their names.
	ReadDir(p mdstore.Path) ([]Entry, error)

	// Mkdir makes one folder. The error is an fs.ErrExist if anything is at p.
	Mkdir(p mdstore.Path) error
	// Create makes a file with data. If like is not empty, the file gets the mode of the file like and, if allowed, its
	// owner. If the path exists, the error is an fs.ErrExist; if this user may not write to the folder, it is an
	// *mdoc.UnreadableError of the folder.
	Create(p mdstore.Path, data []byte, like mdstore.Path) error
	// Sync makes the bytes of a file durable.
	Sync(p mdstore.Path) error
	// SyncDir makes the entries of a folder durable.
	SyncDir(p mdstore.Path) error
	// Exchange makes each of two names the other's file in one step. If the file system cannot do that, the error is an
	// errors.ErrUnsupported, and nothing has changed.
	Exchange(a, b mdstore.Path) error
	// RenameNew moves a file or folder to a name that does not exist. The error is an fs.ErrExist if it does.
	RenameNew(from, to mdstore.Path) error
	// Rename moves a file, and replaces a file that has the new name.
	Rename(from, to mdstore.Path) error
	// Remove removes a file or an empty folder.
	Remove(p mdstore.Path) error

	// Writers tells whether a program has the file at p open for writing. It is meant for a file whose name only the
	// store knows: if no program has it open, its bytes can no longer change.
	Writers(p mdstore.Path) Writers
}

// Writers is whether a program has a file open for writing. The zero Writers is Unknown.
type Writers int

// Whether a program has a file open for writing.
const (
	Unknown Writers = iota // the system gives no answer
	Closed                 // no program has it open for writing
	Open                   // some program has it open, and may write to it even after it was renamed
)

// Info describes a file or folder.
type Info struct {
	Mode  fs.FileMode   // type and permissions
	Size  int64         // bytes
	Links uint64        // the number of names that the file has; 0 if unknown
	Stamp mdstore.Stamp // of its state; never Proven: that depends on the time of the call

	Direct bool // from ReadFile: no folder on the way is a link; false if that is not known
}

// An Entry is a name in a folder.
type Entry struct {
	Name string
	Type fs.FileMode // type bits only
}

// These codes of an *mdoc.UnreadableError say why a file must not be read or written. mdoc.CodeTooLarge is another one.
const (
	CodeNotAFile   = "NOT_A_FILE" // a folder, a pipe, a device, a socket
	CodeSymlink    = "SYMLINK"    // a symbolic link
	CodeHardLink   = "HARD_LINK"  // a file with several names; it is read, but never written
	CodePermission = "PERMISSION" // not readable or not writable for us, or marked read-only
	CodeUnstable   = "UNSTABLE"   // changed during each attempt to read it
)

// CheckWritable returns an *mdoc.UnreadableError for a file that has several names or is marked read-only.
func CheckWritable(p mdstore.Path, info Info) error {
	switch {
	case info.Links > 1:
		return Unreadable(p, CodeHardLink, "is one of %d names of a file; to write it would part it from the others: remove the other names or make it a copy", info.Links)
	case info.Mode&0o200 == 0:
		return Unreadable(p, CodePermission, "is marked read-only; make it writable")
	}
	return nil
}

// CheckMovable returns an *mdoc.UnreadableError for a folder that is marked read-only.
func CheckMovable(p mdstore.Path, info Info) error {
	if info.Mode.IsDir() && info.Mode&0o200 == 0 {
		return Unreadable(p, CodePermission, "is a folder marked read-only; make it writable")
	}
	return nil
}

// Denied returns err, an error of writing to p. If this user lacks the permission, it is an *mdoc.UnreadableError that
// names p.
func Denied(p mdstore.Path, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return Unreadable(mdstore.Path(native(p)), CodePermission, "may not be written to by this user; make it writable for you")
}

// Unreadable returns the *mdoc.UnreadableError of a path.
func Unreadable(p mdstore.Path, code, format string, args ...any) error {
	return &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: string(p), Code: code, Text: fmt.Sprintf(format, args...)}}
}

// CheckRegular returns nil for a regular file of at most limit bytes and an *mdoc.UnreadableError for all else.
func CheckRegular(p mdstore.Path, mode fs.FileMode, size, limit int64) error {
	switch {
	case mode.IsRegular() && size <= limit:
		return nil
	case mode.IsRegular():
		return Unreadable(p, mdoc.CodeTooLarge, "has %d bytes; %d are the limit", size, limit)
	case mode&fs.ModeSymlink != 0:
		return Unreadable(p, CodeSymlink, "is a symbolic link, which is not followed; put the file itself here")
	}
	return Unreadable(p, CodeNotAFile, "is a %s where a file is expected", kind(mode))
}

// InTheWay returns nil if nothing is at p, or what a store keeps there: a folder or a regular file. For anything else
// it returns an *mdoc.UnreadableError, because a store removes nothing that it has not made.
func InTheWay(d FS, p mdstore.Path, folder bool) error {
	info, err := d.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return Unreadable(p.Dir(), CodePermission, "may not be looked into by this user; allow it")
	case err != nil:
		return err
	case folder && !info.Mode.IsDir():
		return Unreadable(p, CodeNotAFile, "is a %s where a folder is expected; remove it", kind(info.Mode))
	case !folder && !info.Mode.IsRegular():
		return Unreadable(p, CodeNotAFile, "is a %s where a file is expected; remove it", kind(info.Mode))
	}
	return nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	}
	return "device or socket"
}
