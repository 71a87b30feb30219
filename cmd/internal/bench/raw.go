package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// errTooLong is an error where a file fills what it was read into.
func errTooLong(n int, into []byte) error {
	if n < len(into) {
		return nil
	}
	return fmt.Errorf("a file has %d bytes or more", n)
}

// readAll opens, reads and closes every file with so many threads, and returns how long that took.
func (v *vault) readAll(threads int) (time.Duration, error) {
	return v.eachFile(threads, func(f folder, names []string) error {
		into := make([]byte, 64<<10)
		for _, name := range names {
			if _, err := f.read(name, into); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// statAll asks for the size and times of every file.
func (v *vault) statAll(threads int) (time.Duration, error) {
	return v.eachFile(threads, func(f folder, names []string) error {
		for _, name := range names {
			if err := f.stat(name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// lookAll asks for the stamps of every file and of the folder around it, in which another node may have come.
func (v *vault) lookAll(threads int) (time.Duration, error) {
	return v.eachFile(threads, func(f folder, names []string) error {
		for _, name := range names {
			if err := errors.Join(f.stat(filepath.Dir(name)), f.stat(name)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// scanAll reads every file and asks for the stamps of both.
func (v *vault) scanAll(threads int) (time.Duration, error) {
	return v.eachFile(threads, func(f folder, names []string) error {
		into := make([]byte, 64<<10)
		for _, name := range names {
			_, err := f.read(name, into)
			if err = errors.Join(err, f.stat(filepath.Dir(name)), f.stat(name)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// eachFile gives every thread an equal share of the files. Threads take small shares, so that none waits for a slow one.
func (v *vault) eachFile(threads int, do func(folder, []string) error) (time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(threads, runtime.GOMAXPROCS(0))))
	size := min(64, len(v.files)/(4*threads)+1)
	shares := make(chan []string, len(v.files)/size+1)
	for rest := v.files; len(rest) > 0; {
		n := min(size, len(rest))
		shares <- rest[:n]
		rest = rest[n:]
	}
	close(shares)
	errs := make([]error, threads)
	var wg sync.WaitGroup
	begin := time.Now()
	f, err := openFolder(v.nodes)
	if err != nil {
		return 0, err
	}
	for t := range threads {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for share := range shares {
				if errs[t] = do(f, share); errs[t] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	return took, errors.Join(errors.Join(errs...), f.close())
}
