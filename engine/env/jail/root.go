// Package jail reads and writes files only below a root: no "..", absolute path, link, device or other file system
// leads out of it, even if a folder is replaced by a link meanwhile. All access goes through os.Root.
package jail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"arbor/mdstore/guard"
)

// The codes of an Error.
const (
	PathOutside   = "PATH_OUTSIDE"   // the path, or a link in it, leads out of the root, or not to a file
	PathProtected = "PATH_PROTECTED" // the path can be read and not written
	FileNotFound  = "FILE_NOT_FOUND"
	Conflict      = "CONFLICT" // the file differs from the one that the caller has seen
	InvalidParams = "INVALID_PARAMS"
	TooLarge      = "TOO_LARGE"
)

// An Error is the reason why a call did nothing.
type Error struct {
	Code string
	Text string // names the path, and what would work
}

func (e *Error) Error() string { return e.Text }

func refuse(code, format string, args ...any) error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// Options say what a Root allows.
type Options struct {
	// Protected says why a file cannot be written, "" if it can. The path is clean, relative to the root, and has
	// slashes; no part of it is a link. nil: all can be written.
	Protected func(rel string) string
	Trash     string // the folder for replaced and deleted files, made when needed
	Hidden    Hiding // paths that no call sees
	Only      string // the one folder at the top that calls see; "" for all that there is
}

// A Root is a folder that its files do not leave. Its methods may be called by several goroutines at once.
type Root struct {
	dir    string
	root   *os.Root
	device uint64
	mount  uint64 // 0 where the system does not tell
	opt    Options
}

// Open returns the root at a folder. Links in the path of the folder itself are followed.
func Open(dir string, opt Options) (*Root, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	mount, err := mountOf(root)
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Root{dir: real, root: root, device: deviceOf(info), mount: mount, opt: opt}, nil
}

// Path returns the folder, without links.
func (r *Root) Path() string { return r.dir }

// Close lets the folder go.
func (r *Root) Close() error { return r.root.Close() }

// Moved reports whether another folder, or none, is at the path now: Open it again.
func (r *Root) Moved() bool {
	there, err := os.Stat(r.dir)
	here, err2 := r.root.Stat(".")
	return err != nil || err2 != nil || !os.SameFile(there, here)
}

// mountOf returns the mount that an open folder lies on.
func mountOf(dir *os.Root) (uint64, error) {
	f, err := dir.Open(".")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return mountOfFile(f)
}

// mounted refuses an open file or folder that a mount has put in its place. The device number is not enough for this,
// as a bind mount has that of its file system.
func (r *Root) mounted(rel string, mount uint64, err error) error {
	if err == nil && mount != r.mount {
		err = refuse(PathOutside, "%q lies on another file system, or is mounted there", rel)
	}
	return err
}

// clean returns the path as it is used, with slashes and relative to the root; "." is the root itself.
func clean(p string) (string, error) {
	switch {
	case p == "":
		return "", refuse(InvalidParams, "the path is empty; it is relative to the root of the environment, as docs/a.md")
	case strings.ContainsRune(p, 0):
		return "", refuse(PathOutside, "%q: a path holds no NUL", p)
	case path.IsAbs(p), filepath.IsAbs(p), filepath.VolumeName(p) != "":
		return "", refuse(PathOutside, "%q: paths are relative to the root of the environment, as docs/a.md", p)
	case runtime.GOOS == "windows" && strings.ContainsAny(p, `\:`):
		return "", refuse(PathOutside, `%q: folders are separated by /, and names have no \ or :`, p)
	}
	rel := path.Clean(p)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "", refuse(PathOutside, "%q leads out of the environment", p)
	}
	return rel, nil
}

// failed turns a system error into an *Error that says what would work.
func failed(p string, err error) error {
	var own *Error
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return refuse(FileNotFound, "%q: there is no such file; {file_list} shows those there are", p)
	case strings.Contains(err.Error(), "escapes"):
		return refuse(PathOutside, "%q leads out of the environment by a link", p)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return refuse(InvalidParams, "%q is too long for this system: of most, a name has 255 bytes at most", p)
	}
	return fmt.Errorf("%q: %w", p, err)
}

// open opens a regular file of the root's own file system for reading.
func (r *Root) open(rel string) (f *os.File, info fs.FileInfo, err error) {
	for range 3 { // an editor may replace the file meanwhile
		dir, real, before, err := r.find(rel)
		if err != nil {
			return nil, nil, err
		}
		f, info, err = r.openIn(dir, real, before)
		dir.Close()
		if err == nil || info == nil {
			return f, info, err
		}
	}
	return nil, nil, refuse(Conflict, "%q is replaced all the time; read it again", rel)
}

// openIn opens a file that was found in a folder. If another file has replaced it meanwhile, it returns an error with
// info not nil.
func (r *Root) openIn(dir *os.Root, rel string, before fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if err := r.plain(rel, before); err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(path.Base(rel), os.O_RDONLY|guard.NonBlock, 0)
	if err != nil {
		return nil, nil, failed(rel, err)
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		f.Close()
		return nil, info, refuse(Conflict, "%q was replaced while it was opened; try again", rel)
	}
	if err == nil {
		err = r.plain(rel, info)
	}
	if err == nil {
		mount, unknown := mountOfFile(f)
		err = r.mounted(rel, mount, unknown)
	}
	if err != nil {
		f.Close()
		return nil, nil, failed(rel, err)
	}
	return f, info, nil
}

// plain returns an error unless the file is a regular one of the root's file system.
func (r *Root) plain(rel string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return refuse(InvalidParams, "%q is a folder; {file_list} shows what is in it", rel)
	case !info.Mode().IsRegular():
		return refuse(PathOutside, "%q is no file but a device, pipe or socket", rel)
	case deviceOf(info) != r.device:
		return refuse(PathOutside, "%q lies on another file system, or is mounted there", rel)
	}
	return nil
}

// read returns a file's bytes, at most most of them, or an error.
func (r *Root) read(rel string, most int64) ([]byte, fs.FileInfo, error) {
	f, info, err := r.open(rel)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := all(f, rel, most)
	return data, info, err
}

// all returns the bytes of an open file, at most most of them, or an error.
func all(f *os.File, rel string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = refuse(TooLarge, "%q has more than %d bytes, which is the most that is read", rel, most)
	}
	return data, failed(rel, err)
}

// parent opens the folder that a file lies in, part by part, and refuses links in its path, so that Protected judges
// the real path of the file. The folders that are missing are made if make is true.
func (r *Root) parent(rel string, make bool) (*os.Root, error) {
	dir, err := r.root.OpenRoot(".")
	if err != nil {
		return nil, failed(rel, err)
	}
	parts := strings.Split(rel, "/")
	for i, name := range parts[:len(parts)-1] {
		next, err := r.step(dir, name, path.Join(parts[:i+1]...), make)
		dir.Close()
		if err != nil {
			return nil, failed(rel, err)
		}
		dir = next
	}
	return dir, nil
}

// step opens a folder of a folder, which has the path at in the root.
func (r *Root) step(dir *os.Root, name, at string, make bool) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		info = nil
	}
	if err := r.hidden(dir, at, info); err != nil {
		return nil, err
	}
	if make && errors.Is(err, fs.ErrNotExist) {
		if err = dir.Mkdir(name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = dir.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, refuse(PathOutside, "%q is no folder but a link or a file; files are written by their own paths", name)
	case deviceOf(info) != r.device:
		return nil, refuse(PathOutside, "%q lies on another file system, or is mounted there", name)
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = refuse(PathOutside, "%q was replaced while it was opened; try again", name)
	}
	if err == nil {
		mount, unknown := mountOf(next)
		err = r.mounted(at, mount, unknown)
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// Resolve returns the path of a folder without links.
func Resolve(dir string) (string, error) { return filepath.EvalSymlinks(dir) }
