//go:build unix

package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A folder is where raw calls find their files, so that the system does not walk the whole path for each of them.
type folder int

func openFolder(name string) (folder, error) {
	for {
		fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return folder(fd), err
		}
	}
}

func (f folder) close() error { return unix.Close(int(f)) }

// read opens, reads and closes one file, in the fewest calls that see its end, and returns its size.
func (f folder) read(name string, into []byte) (int, error) {
	fd, err := unix.Openat(int(f), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	n, err := unix.Read(fd, into)
	if err != nil || n == len(into) {
		return n, errors.Join(err, errTooLong(n, into), unix.Close(fd))
	}
	return n, unix.Close(fd)
}

func (f folder) stat(name string) error {
	var st unix.Stat_t
	return unix.Fstatat(int(f), name, &st, unix.AT_SYMLINK_NOFOLLOW)
}

// replace writes a file beside the named one, makes it durable, gives it the name and makes that durable: what a durable save costs at least.
func (f folder) replace(name string, text []byte) error {
	fd, err := unix.Openat(int(f), name+".tmp", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, text); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	if err := errors.Join(unix.Fsync(fd), unix.Close(fd)); err != nil {
		return err
	}
	if err := unix.Renameat(int(f), name+".tmp", int(f), name); err != nil {
		return err
	}
	return unix.Fsync(int(f))
}
