package disk

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"arbor/mdstore"
)

// A Handle is a file that is read and written in place again and again. It stays open for as long as its name is that of the file that was opened, which costs a
// look at the name each time. Where the system does not number its files, it is opened each time.
type Handle struct {
	r Root
	p mdstore.Path

	mu sync.Mutex
	f  *os.File // guarded by mu
	is Info     // guarded by mu: of f when it was opened
}

// Handle returns a handle of the file at p. It opens nothing yet, and must be closed.
func (r Root) Handle(p mdstore.Path) *Handle { return &Handle{r: r, p: p} }

// Close releases the file. A Handle that is used again opens it again.
func (h *Handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.close()
}

func (h *Handle) close() error {
	if h.f == nil {
		return nil
	}
	err := h.f.Close()
	h.f = nil
	return err
}

// Use calls f with the file, open for reading and writing, and with what it is now. With make it is made where it is missing. What is no regular file is an
// *mdoc.UnreadableError: it is not written through a link.
func (h *Handle) Use(make bool, f func(*os.File, Info) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := h.r.named(h.p)
	if !make && errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, h.close())
	}
	if h.f == nil || err != nil || !sameFile(info, h.is) {
		_ = h.close()
		if info, err = h.open(make); err != nil {
			return err
		}
	}
	if info.Stamp.Inode == 0 {
		return errors.Join(f(h.f, info), h.close())
	}
	return f(h.f, info)
}

func (h *Handle) open(make bool) (Info, error) {
	flags := os.O_RDWR
	was, err := h.r.Lstat(h.p)
	switch {
	case err == nil:
		if err := inTheWay(h.p, was.Mode, false); err != nil {
			return Info{}, err
		}
	case errors.Is(err, fs.ErrNotExist) && make:
		flags |= os.O_CREATE
	default:
		return Info{}, err
	}
	f, err := h.r.R.OpenFile(native(h.p), flags, 0o666)
	if err != nil {
		return Info{}, absent(err)
	}
	fi, err := f.Stat()
	if err != nil {
		return Info{}, errors.Join(err, f.Close())
	}
	h.f, h.is = f, describe(fi)
	return h.is, nil
}

// sameFile reports whether two descriptions are of one file, where the system tells.
func sameFile(a, b Info) bool {
	return a.Stamp.Inode != 0 && a.Stamp.Inode == b.Stamp.Inode && a.Dev == b.Dev && a.Mode.IsRegular() && b.Mode.IsRegular()
}
