package osfs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A Root is an FS in a folder of the operating system. Apart from Stat, it reaches nothing outside of the folder,
// whatever links are in it.
type Root struct {
	R   *os.Root
	top *os.File        // the folder itself; nil if the system cannot open a path below it in one call
	raw syscall.RawConn // to top, nil without one
}

var _ FS = Root{}

// OpenRoot opens a folder. The caller must close the Root.
func OpenRoot(dir string) (Root, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return Root{}, err
	}
	root := Root{R: r, top: topOf(r)}
	if root.top != nil {
		root.raw, _ = root.top.SyscallConn()
	}
	return root, nil
}

// Close closes the folder.
func (r Root) Close() error {
	if r.top != nil {
		_ = r.top.Close()
	}
	return r.R.Close()
}

// rounds is how often at most a file is read that changes during each attempt.
const rounds = 10

func native(p mdstore.Path) string {
	if p == "" {
		return "."
	}
	return string(p)
}

// absent turns "a part of the path is a file" into "does not exist".
func absent(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.ENOTDIR) {
		return &fs.PathError{Op: "open", Path: pe.Path, Err: fs.ErrNotExist}
	}
	return err
}

// UnlessMissing returns nil for an fs.ErrNotExist, and any other error as it is.
func UnlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (r Root) Lstat(p mdstore.Path) (Info, error) {
	if info, err := r.lookBelow(p); err == nil || errors.Is(err, fs.ErrNotExist) {
		return info, err
	}
	return described(r.R.Lstat(native(p)))
}

// Stat is Lstat with one system call. It follows links on the way to p, even out of the folder, so use its result only
// for a comparison with an earlier stamp, and open files that differ through the root. p must be clean.
func (r Root) Stat(p mdstore.Path) (Info, error) {
	if info, err := r.statBelow(p); err == nil || errors.Is(err, fs.ErrNotExist) {
		return info, err
	}
	return described(os.Lstat(r.R.Name() + "/" + string(p)))
}

// StampOf returns the stamp of a file that need not be in a Root. It follows links.
func StampOf(name string) (mdstore.Stamp, error) {
	info, err := described(os.Stat(name))
	return info.Stamp, err
}

func described(fi fs.FileInfo, err error) (Info, error) {
	if err != nil {
		return Info{}, absent(err)
	}
	return describe(fi), nil
}

// Look describes the regular file at p. The errors are those of ReadFile.
func (r Root) Look(p mdstore.Path, limit int64) (Info, error) {
	info, err := r.Lstat(p)
	if err != nil {
		return Info{}, readError(p, err)
	}
	return info, CheckRegular(p, info.Mode, info.Size, limit)
}

// ReadFile never waits for the other end of a pipe, and returns what the file held at one moment: it is read again
// until its size and time stay the same.
func (r Root) ReadFile(p mdstore.Path, limit int64) ([]byte, Info, error) {
	if info, err := r.Stat(p); err == nil && info.Mode.IsRegular() { // to open a pipe would let its other end go on
		if data, info, ok := r.readBelow(p, limit); ok {
			info.Direct = true
			return data, info, nil
		}
	}
	if _, err := r.Look(p, limit); err != nil {
		return nil, Info{}, err
	}
	return r.ReadRegular(p, limit)
}

// ReadRegular is ReadFile for a path that was a regular file a moment ago, or a link to one. It follows links, though
// never out of the folder.
func (r Root) ReadRegular(p mdstore.Path, limit int64) ([]byte, Info, error) {
	if data, info, ok := r.readBelow(p, limit); ok {
		return data, info, nil
	}
	for range rounds {
		data, before, after, err := r.readOnce(p, limit)
		switch {
		case err != nil:
			return nil, Info{}, readError(p, err)
		case int64(len(data)) > limit:
			return nil, Info{}, CheckRegular(p, 0, max(after.Size(), int64(len(data))), limit)
		case before.Size() == int64(len(data)) && after.Size() == before.Size() && before.ModTime().Equal(after.ModTime()):
			return data, describe(after), nil
		}
	}
	return nil, Info{}, Unreadable(p, CodeUnstable,
		"changed each of the %d times that it was read; wait for its writer and retry", rounds)
}

// readOnce reads a file to its end, or to one byte past limit, and describes it before and after.
func (r Root) readOnce(p mdstore.Path, limit int64) (data []byte, before, after fs.FileInfo, err error) {
	f, err := r.R.OpenFile(native(p), os.O_RDONLY|guard.NonBlock, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	if before, err = f.Stat(); err == nil {
		err = CheckRegular(p, before.Mode(), before.Size(), limit)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	data = make([]byte, 0, before.Size()+1) // one more, to see the end without growing
	for err == nil && int64(len(data)) <= limit {
		var n int
		data = slices.Grow(data, 1)
		n, err = f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
	}
	if err == nil || err == io.EOF {
		after, err = f.Stat()
	}
	return data, before, after, err
}

// ReadHead returns the first bytes of a file that is written in place, at most n of them.
func (r Root) ReadHead(p mdstore.Path, n int) ([]byte, error) {
	f, err := r.open(p, os.O_RDONLY|guard.NonBlock)
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
	f, err := r.openDir(p)
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

// openDir opens a folder. If a pipe lies in its place, it does not wait for the other end.
func (r Root) openDir(p mdstore.Path) (*os.File, error) { return r.open(p, os.O_RDONLY|guard.NonBlock) }

// open opens what is at p. If below fails, it goes through os.Root, which follows links inside the folder.
func (r Root) open(p mdstore.Path, flag int) (*os.File, error) {
	fd, err := r.below(p, flag)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		return os.NewFile(uintptr(fd), native(p)), nil
	}
	return r.R.OpenFile(native(p), flag, 0)
}

// Mkdir makes a folder. .local/ is for this user alone: it holds copies of files that other users may not be allowed to
// read.
func (r Root) Mkdir(p mdstore.Path) error {
	perm := fs.FileMode(0o777) // less the umask
	if p == mdstore.LocalDir {
		perm = privateDir
	}
	return Denied(p.Dir(), r.R.Mkdir(native(p), perm))
}

const privateDir = 0o700

// MakePrivate closes a folder to other users: see Mkdir. The folder of another user stays as it is.
func (r Root) MakePrivate(p mdstore.Path) {
	if info, err := r.Lstat(p); err == nil && info.Mode.IsDir() && info.Mode.Perm()&^privateDir != 0 {
		_ = r.R.Chmod(native(p), privateDir)
	}
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
	f, err := r.open(p, syncFlag)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (r Root) SyncDir(p mdstore.Path) error {
	f, err := r.openDir(p)
	if err != nil {
		return absent(err)
	}
	return errors.Join(syncDir(f), f.Close())
}

func (r Root) Rename(from, to mdstore.Path) error { return r.R.Rename(native(from), native(to)) }

func (r Root) Remove(p mdstore.Path) error { return r.R.Remove(native(p)) }

func (r Root) Exchange(a, b mdstore.Path) error { return r.withParents(a, b, renameSwap) }

func (r Root) RenameNew(from, to mdstore.Path) error {
	err := r.withParents(from, to, renameNoReplace)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	// No system call here refuses to replace, so another program may make the file between the check and the rename.
	if _, err := r.R.Lstat(native(to)); err == nil {
		return &fs.PathError{Op: "rename", Path: string(to), Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.Rename(from, to)
}

// withParents calls rename with the open folders of two paths and their last elements.
func (r Root) withParents(a, b mdstore.Path, kind uint) error {
	da, err := r.openDir(a.Dir())
	if err != nil {
		return absent(err)
	}
	defer da.Close()
	db := da
	if b.Dir() != a.Dir() {
		if db, err = r.openDir(b.Dir()); err != nil {
			return absent(err)
		}
		defer db.Close()
	}
	err = rename(da, a.Base(), db, b.Base(), kind)
	if errors.Is(err, fs.ErrPermission) {
		err = cmp.Or(r.MayWrite(a.Dir()), r.MayWrite(b.Dir()), err)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: string(a), New: string(b), Err: err}
	}
	return nil
}
