package osfs

import (
	"errors"
	"io/fs"
	"sync"

	"arbor/mdstore"
)

// SyncAll makes the bytes of files and the entries of folders durable, in any order. A folder that does not exist is
// skipped. With a Root it makes up to sixteen calls at once: a journalling file system makes all waiting files durable
// together, so that sixteen calls take hardly longer than one.
func SyncAll(d FS, files, dirs []mdstore.Path) error {
	_, several := d.(Root)
	limit := make(chan struct{}, 16)
	errs := make([]error, len(files)+len(dirs))
	var all sync.WaitGroup
	for i := range errs {
		limit <- struct{}{}
		do := func() {
			if i < len(files) {
				errs[i] = d.Sync(files[i])
			} else if errs[i] = d.SyncDir(dirs[i-len(files)]); errors.Is(errs[i], fs.ErrNotExist) {
				errs[i] = nil
			}
			<-limit
		}
		if several && len(errs) > 1 {
			all.Go(do)
		} else {
			do()
		}
	}
	all.Wait()
	return errors.Join(errs...)
}
