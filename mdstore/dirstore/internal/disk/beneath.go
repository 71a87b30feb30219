package disk

import (
	"errors"
	"sync"

	"arbor/mdstore"
)

// errSlow says that a short way does not tell: the long one, by os.Root, does, and says what is wrong in its own words.
var errSlow = errors.New("not by the short way")

// syncers is how many syncs are asked for at the same time: a journalling file system makes all that wait for it durable at once.
const syncers = 16

// SyncAll makes the bytes of files and then, or at the same time, the entries of folders durable. It returns when all of them have been tried, with
// the error of each in that order, nil where there is none at all.
//
// A disk that can do several at once has this method itself. Of any other they are asked for one by one.
func SyncAll(d FS, files, dirs []mdstore.Path) []error {
	if s, ok := d.(interface {
		SyncAll(files, dirs []mdstore.Path) []error
	}); ok && len(files)+len(dirs) > 1 {
		return s.SyncAll(files, dirs)
	}
	errs := make([]error, len(files)+len(dirs))
	bad := false
	for i := range errs {
		errs[i] = syncOne(d, files, dirs, i)
		bad = bad || errs[i] != nil
	}
	if !bad {
		return nil
	}
	return errs
}

// RemoveAll removes files, with the error of each in their order. What they take up on the disk is given back by release, which is to be called, be it by
// another goroutine: for a file system that is most of the work, and nobody waits for it.
//
// A disk that can part the two has this method itself.
func RemoveAll(d FS, files []mdstore.Path) (errs []error, release func()) {
	if r, ok := d.(interface {
		RemoveAll(files []mdstore.Path) (errs []error, release func())
	}); ok {
		return r.RemoveAll(files)
	}
	errs = make([]error, len(files))
	for i, p := range files {
		errs[i] = d.Remove(p)
	}
	return errs, func() {}
}

func syncOne(d FS, files, dirs []mdstore.Path, i int) error {
	if i < len(files) {
		return d.Sync(files[i])
	}
	return d.SyncDir(dirs[i-len(files)])
}

// SyncAll is the function, by several at once.
func (r Root) SyncAll(files, dirs []mdstore.Path) []error {
	errs, ok := r.syncAll(files, dirs)
	if !ok {
		errs = make([]error, len(files)+len(dirs))
		several(len(errs), func(i int) { errs[i] = syncOne(r, files, dirs, i) })
	}
	if errors.Join(errs...) == nil {
		return nil
	}
	return errs
}

// several calls do with each number below n, some at the same time.
func several(n int, do func(i int)) {
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	work := func() {
		for i := range next {
			do(i)
		}
	}
	for range min(n, syncers) - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
}

// Straight reports whether p is a folder and no link is on the way to it. False is no answer: a disk that cannot tell by one call is to be asked for each
// folder on the way.
func Straight(d FS, p mdstore.Path) bool {
	s, ok := d.(interface{ Straight(p mdstore.Path) bool })
	return ok && s.Straight(p)
}

// ReadStraight reads a regular file, as FS.ReadFile does, to which no link leads, and says what it is. False is no answer.
func ReadStraight(d FS, p mdstore.Path, limit int64) (data []byte, info Info, ok bool) {
	s, ok := d.(interface {
		ReadStraight(p mdstore.Path, limit int64) ([]byte, Info, bool)
	})
	if !ok {
		return nil, Info{}, false
	}
	return s.ReadStraight(p, limit)
}

// ReadStraight is the function.
func (r Root) ReadStraight(p mdstore.Path, limit int64) (data []byte, info Info, ok bool) {
	data, info, ok, err := r.short.readOnce(p, limit, true)
	return data, info, ok && err == nil
}

// Straight is the function.
func (r Root) Straight(p mdstore.Path) bool { return r.short.straight(p) }

// named describes what is at p, to see whether it is a file that is open: on the way there may be links.
func (r Root) named(p mdstore.Path) (Info, error) {
	if info, err := r.short.named(p); err != errSlow {
		return info, err
	}
	return r.Lstat(p)
}
