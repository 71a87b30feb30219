//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// A folder is an open descriptor, so that the system does not walk the whole path for each file.
type folder int

func openFolder(name string) folder {
	return folder(must(unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)))
}

const saving = "file beside it, fsync, rename, fsync of the folder"

// save is the least that a durable save costs.
func (f folder) save(text []byte) error {
	fd, err := unix.Openat(int(f), "tmp", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, text)
	return errors.Join(err, unix.Fsync(fd), unix.Close(fd), unix.Renameat(int(f), "tmp", int(f), "file"), unix.Fsync(int(f)))
}

// limitFolders makes n folders beside the vault for the files of the limit, each with such a file.
func (v *vault) limitFolders(n int, text []byte) (all []folder) {
	for i := range n {
		name := filepath.Join(v.project, "limit", fmt.Sprint(i))
		check(os.MkdirAll(name, 0o755))
		all = append(all, openFolder(name))
		check(all[i].save(text))
	}
	return all
}

// each has so many threads ask the system something about every node's folder.
func (v *vault) each(threads int, ask func(f folder, dir string) error) sample {
	return func() float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(threads, runtime.GOMAXPROCS(0))))
		f, errs := openFolder(v.nodes), make([]error, threads)
		took := clock(func() {
			var all sync.WaitGroup
			for t := range threads {
				all.Go(func() {
					for i := t; i < len(v.plan) && errs[t] == nil; i += threads {
						errs[t] = ask(f, string(v.plan[i].id))
					}
				})
			}
			all.Wait()
		})
		check(errors.Join(errors.Join(errs...), unix.Close(int(f))))
		return took
	}
}

func (f folder) read(dir string) error {
	fd, err := unix.Openat(int(f), dir+"/"+mdstore.NodeFile, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	var into [16 << 10]byte
	_, err = unix.Read(fd, into[:])
	return errors.Join(err, unix.Close(fd))
}

func (f folder) stat(dir string) error {
	var st unix.Stat_t
	return unix.Fstatat(int(f), dir+"/"+mdstore.NodeFile, &st, unix.AT_SYMLINK_NOFOLLOW)
}

func (f folder) statBoth(dir string) error {
	var st unix.Stat_t
	return errors.Join(f.stat(dir), unix.Fstatat(int(f), dir, &st, unix.AT_SYMLINK_NOFOLLOW))
}

func (f folder) readAndStat(dir string) error { return errors.Join(f.read(dir), f.statBoth(dir)) }

// dropCaches forgets every page, folder and inode that the system keeps of disks. The error says why it cannot be done.
func dropCaches() error {
	unix.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3\n"), 0)
}
