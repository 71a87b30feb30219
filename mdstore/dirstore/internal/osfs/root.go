package osfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"arbor/mdstore"
)

// A Root is an FS in a folder of the operating system. Nothing outside of the folder is reached through it, whatever
// links lie in it.
type Root struct{ R *os.Root }

var _ FS = Root{}

// rounds is how often a file is read that changes while it is read.
const rounds = 10

func native(p mdstore.Path) string {
	if p == "" {
		return "."
	}
	return string(p)
}

// absent turns "a part of the path is a file" into "does not exist".
func absent(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return &fs.PathError{Op: "open", Path: pathOf(err), Err: fs.ErrNotExist}
	}
	return err
}

func pathOf(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Path
	}
	return ""
}

func (r Root) Lstat(p mdstore.Path) (Info, error) {
	fi, err := r.R.Lstat(native(p))
	if err != nil {
		return Info{}, absent(err)
	}
	return describe(fi), nil
}

func describe(fi fs.FileInfo) Info {
	links, dev := identity(fi)
	return Info{Mode: fi.Mode(), Size: fi.Size(), Links: links, Dev: dev, Stamp: stampOf(fi)}
}

// ReadFile never waits for the other end of a pipe, and returns what the file held at one moment: it is read again
// until its size and time stay the same.
func (r Root) ReadFile(p mdstore.Path, limit int64) ([]byte, Info, error) {
	fi, err := r.R.Lstat(native(p))
	if err != nil {
		return nil, Info{}, readError(p, err)
	}
	if err := CheckRegular(p, fi.Mode(), fi.Size(), limit); err != nil {
		return nil, Info{}, err
	}
	return r.readRegular(p, limit)
}

// ReadStamped is ReadFile with no more than the stamp.
func (r Root) ReadStamped(p mdstore.Path, limit int64) ([]byte, mdstore.Stamp, error) {
	data, info, err := r.ReadFile(p, limit)
	return data, info.Stamp, err
}

// readRegular is ReadFile for a path that was a regular file a moment ago. It follows a link that has taken its place
// since, though never out of the folder.
func (r Root) readRegular(p mdstore.Path, limit int64) ([]byte, Info, error) {
	for range rounds {
		data, info, ok, err := r.readOnce(p, limit)
		if err != nil {
			return nil, info, err
		}
		if ok {
			return data, info, nil
		}
	}
	return nil, Info{}, unstable(p)
}

// Look describes the regular file at p. The errors are those of ReadFile.
func (r Root) Look(p mdstore.Path, limit int64) (Info, error) {
	info, err := r.Lstat(p)
	if err != nil {
		return Info{}, readError(p, err)
	}
	if err := CheckRegular(p, info.Mode, info.Size, limit); err != nil {
		return Info{}, err
	}
	return info, nil
}

func unstable(p mdstore.Path) error {
	return Unreadable(p, CodeUnstable, "changed each of the %d times that it was read; wait for its writer and retry", rounds)
}

func (r Root) readOnce(p mdstore.Path, limit int64) (data []byte, info Info, ok bool, err error) {
	f, err := r.R.OpenFile(native(p), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, info, false, readError(p, err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, info, false, readError(p, err)
	}
	if err := CheckRegular(p, before.Mode(), before.Size(), limit); err != nil {
		return nil, info, false, err
	}
	data, err = readAll(f, before.Size(), limit)
	if err != nil {
		return nil, info, false, readError(p, err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, info, false, readError(p, err)
	}
	if int64(len(data)) > limit {
		return nil, info, false, tooLarge(p, after.Size(), limit)
	}
	return data, describe(after), unchanged(before, after, len(data)), nil
}

// ReadHead returns the first bytes of a file that is written in place, at most n of them.
func (r Root) ReadHead(p mdstore.Path, n int) ([]byte, error) {
	f, err := r.R.OpenFile(native(p), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, absent(err)
	}
	defer f.Close()
	data := make([]byte, n)
	n, err = f.ReadAt(data, 0)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

func unchanged(before, after fs.FileInfo, n int) bool {
	return before.Size() == int64(n) && after.Size() == int64(n) && before.ModTime().Equal(after.ModTime())
}

// readAll reads to the end, or one byte past limit.
func readAll(f io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, size+1) // one more, to see the end without growing
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) > limit:
			return data, nil
		case len(data) == cap(data):
			data = slices.Grow(data, len(data))
		}
	}
}

func readError(p mdstore.Path, err error) error {
	err = absent(err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return Unreadable(p, CodePermission, "may not be read by this user; allow it")
	}
	return err
}

func (r Root) ReadDir(p mdstore.Path) ([]Entry, error) {
	f, err := r.R.Open(native(p))
	if err != nil {
		return nil, absent(err)
	}
	defer f.Close()
	des, err := f.ReadDir(-1)
	if err != nil {
		return nil, absent(err)
	}
	out := make([]Entry, len(des))
	for i, de := range des {
		out[i] = Entry{Name: de.Name(), Type: de.Type()}
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (r Root) Names(p mdstore.Path) ([]string, error) {
	f, err := r.R.Open(native(p))
	if err != nil {
		return nil, absent(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, absent(err)
}

func (r Root) Mkdir(p mdstore.Path) error {
	return Denied(p.Dir(), r.R.Mkdir(native(p), 0o777)) // less the umask
}

func (r Root) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	f, err := r.R.OpenFile(native(p), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return Denied(p.Dir(), err) // p may be a temporary file, whose name tells a person nothing
	}
	err = func() error {
		if like != "" {
			if err := r.resemble(f, like); err != nil {
				return err
			}
		}
		_, err := f.Write(data)
		return err
	}()
	return errors.Join(err, f.Close())
}

func (r Root) resemble(f *os.File, like mdstore.Path) error {
	fi, err := r.R.Lstat(native(like))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	keepOwner(f, fi)
	return f.Chmod(fi.Mode().Perm())
}

func (r Root) Sync(p mdstore.Path) error {
	f, err := r.R.OpenFile(native(p), syncFlag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (r Root) SyncDir(p mdstore.Path) error {
	f, err := r.R.Open(native(p))
	if err != nil {
		return absent(err)
	}
	return errors.Join(syncDir(f), f.Close())
}

func (r Root) Rename(from, to mdstore.Path) error { return r.R.Rename(native(from), native(to)) }

func (r Root) Remove(p mdstore.Path) error { return r.R.Remove(native(p)) }

func (r Root) Exchange(a, b mdstore.Path) error { return r.withParents(a, b, exchange) }

func (r Root) RenameNew(from, to mdstore.Path) error {
	err := r.withParents(from, to, renameNew)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	// Without a call that refuses to replace, a moment stays between looking and moving.
	if _, err := r.R.Lstat(native(to)); err == nil {
		return &fs.PathError{Op: "rename", Path: string(to), Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.Rename(from, to)
}

// withParents calls f with the open folders of two paths and their last elements.
func (r Root) withParents(a, b mdstore.Path, f func(da *os.File, a string, db *os.File, b string) error) error {
	da, err := r.R.Open(native(a.Dir()))
	if err != nil {
		return absent(err)
	}
	defer da.Close()
	db := da
	if b.Dir() != a.Dir() {
		if db, err = r.R.Open(native(b.Dir())); err != nil {
			return absent(err)
		}
		defer db.Close()
	}
	if err := f(da, a.Base(), db, b.Base()); err != nil {
		return &os.LinkError{Op: "rename", Old: string(a), New: string(b), Err: err}
	}
	return nil
}

// ReadLinked is ReadFile that follows links, though never out of the folder.
func (r Root) ReadLinked(p mdstore.Path, limit int64) ([]byte, error) {
	fi, err := r.R.Stat(native(p))
	if err != nil {
		return nil, readError(p, err)
	}
	if err := CheckRegular(p, fi.Mode(), fi.Size(), limit); err != nil {
		return nil, err
	}
	data, _, err := r.readRegular(p, limit)
	return data, err
}
