package disk

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	wholeFrom = 5       // so many files and folders are made durable by one call for their file system
	wholeMore = 1 << 10 // kB for each of them: what others have written there is made durable too, so that it is to be little
)

// worthwhile reports whether syncWhole is a shorter way to make open files and folders durable, and one that can be relied on.
func worthwhile(fds []int) bool {
	return len(fds) >= wholeFrom && onOne(fds) && unwritten() <= wholeMore*len(fds)
}

// syncWhole makes open files, and the folders behind them, durable by one call for the file system on which they lie. Its journal is written once, where a sync of each has it
// written, and the disk's own cache emptied, again and again. False says that the call failed, be it for what others have written: each is to be synced, which tells.
//
// The call itself tells of all failures since Linux 5.17 only (of those of bytes since 5.8). So each file is asked for those of its bytes, and a sync for those of the journal. The system
// says them once to who has opened a file, so that the answers, by number, are final.
func syncWhole(fds []int, files int, told func(i int, err error)) bool {
	last := len(fds) - 1
	if unix.Syncfs(fds[last]) != nil {
		return false
	}
	for i, fd := range fds[:files] {
		told(i, unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WAIT_AFTER))
	}
	if err := syncFd(fds[last], last >= files); err != nil {
		told(last, err)
	}
	return true
}

// onOne reports whether open files and folders lie on one file system, of a kind whose code makes as much durable for all as for each.
func onOne(fds []int) bool {
	var in unix.Statfs_t
	if unix.Fstatfs(fds[0], &in) != nil || in.Type != unix.EXT4_SUPER_MAGIC {
		return false
	}
	var dev uint64
	for i, fd := range fds {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) != nil || i > 0 && uint64(st.Dev) != dev {
			return false
		}
		dev = uint64(st.Dev)
	}
	return true
}

// much is more than any machine has to write.
const much = 1 << 30

// unwritten is how much the system has still to write to its disks, in kB.
func unwritten() int {
	fd, err := unix.Open("/proc/meminfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return much
	}
	defer unix.Close(fd)
	buf := make([]byte, 4<<10)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return much
	}
	return unwrittenIn(buf[:n])
}

// unwrittenIn reads the lines of /proc/meminfo.
func unwrittenIn(info []byte) (kB int) {
	for _, name := range []string{"\nDirty:", "\nWriteback:"} {
		_, rest, _ := bytes.Cut(info, []byte(name))
		line, _, whole := bytes.Cut(rest, []byte("\n"))
		number, ok := bytes.CutSuffix(bytes.TrimSpace(line), []byte(" kB"))
		n, err := strconv.Atoi(string(number))
		if !whole || !ok || err != nil {
			return much
		}
		kB += n
	}
	return kB
}
