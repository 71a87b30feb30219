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

// Keep replaces the file at p by one with data, which it first writes under the name temp in the same folder. A power
// failure leaves the old file or the new one, and the new one once Keep has returned, with the folders above it.
func Keep(d FS, p, temp mdstore.Path, data []byte) error {
	err := d.Create(temp, data, "")
	if err == nil {
		err = d.Sync(temp)
	}
	if err == nil {
		err = d.Rename(temp, p)
	}
	if err != nil {
		_ = d.Remove(temp)
		return err
	}
	dirs := []mdstore.Path{""}
	for dir := p.Dir(); dir != ""; dir = dir.Dir() {
		dirs = append(dirs, dir)
	}
	return SyncAll(d, nil, dirs)
}
