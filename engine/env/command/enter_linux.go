package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// enter builds the file system that the program sees, in the new namespaces of this process, and runs the program
// there.
func enter(file *os.File, j job) int {
	runtime.LockOSThread() // the program dies with the thread that started it
	self, err := os.Executable()
	if err == nil {
		err = furnish(j.Reach, self, j.Argv[0])
	}
	if err == nil && !j.Reach.Network {
		err = loopback()
	}
	if err == nil {
		err = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // the program reads nothing of this process
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "arbor: the program was not started, as it cannot be confined:", err)
		return 126
	}
	cmd := exec.Command(self, Word, stageBecome)
	cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.ExtraFiles = os.Stdout, os.Stderr, j.Reach.Root, []*os.File{file}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "arbor:", err)
		return 126
	}
	for { // orphans are this process's to reap; all others die with it
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 126
		case pid == cmd.Process.Pid && status.Signaled():
			return 128 + int(status.Signal())
		case pid == cmd.Process.Pid:
			return status.ExitStatus()
		}
	}
}

// furnish mounts the files that the program may see below a new root, and enters it.
func furnish(r reach, more ...string) (err error) {
	all := r.mounts(more...)
	fds := make([]int, len(all))
	for i, m := range all { // open all before a mount hides any of them
		fds[i] = -1
		if m.from != "" && err == nil {
			fds[i], err = unix.OpenTree(unix.AT_FDCWD, m.from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
			err = named(m.from, err)
		}
	}
	base := r.Temp
	if err == nil {
		err = errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), empty(base))
	}
	var last []string // made read-only at the end
	for i, m := range all {
		if err != nil {
			return err
		}
		at := filepath.Join(base, m.at)
		switch m.how {
		case readOnly, writable:
			err = attach(fds[i], at, m.how == readOnly, false)
		case hidden:
			err, last = errors.Join(os.MkdirAll(at, 0o755), empty(at)), append(last, at)
		case procs:
			err = errors.Join(os.MkdirAll(at, 0o755), unix.Mount("proc", at, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""))
		case nodes:
			err = dev(at)
		}
		err = named(m.at, err)
	}
	for _, at := range append(last, base) {
		if err == nil {
			err = unix.MountSetattr(unix.AT_FDCWD, at, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
		}
	}
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Chdir(base), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH)); err != nil {
		return err
	}
	return unix.Chdir(r.Root)
}

func named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// empty mounts an empty folder.
func empty(at string) error {
	return unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755")
}

// attach puts a tree of files at a place, which is made if it is not there.
func attach(fd int, at string, readOnly, device bool) error {
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	dir := at
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		dir = filepath.Dir(at)
	}
	err := os.MkdirAll(dir, 0o755)
	if _, missing := os.Lstat(at); err == nil && missing != nil {
		var made int
		if made, err = unix.Open(at, unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644); err == nil {
			err = unix.Close(made)
		}
	}
	if err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if readOnly {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if !device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return err
	}
	return unix.MoveMount(fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// dev mounts the devices that every program may use.
func dev(at string) error {
	err := errors.Join(os.MkdirAll(at, 0o755), empty(at))
	for _, p := range devices {
		fd, missing := unix.OpenTree(unix.AT_FDCWD, p, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if missing == nil && err == nil {
			err = attach(fd, filepath.Join(at, filepath.Base(p)), false, true)
		}
	}
	for name, target := range map[string]string{"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		err = errors.Join(err, os.Symlink("/proc/self/"+target, filepath.Join(at, name)))
	}
	shm := filepath.Join(at, "shm")
	return errors.Join(err, os.Mkdir(shm, 0o777), unix.Mount("tmpfs", shm, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"))
}

// loopback lets the programs in here talk to each other.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
