package command

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The accesses that a rule allows below a folder, and to a file.
const (
	lists  = llsyscall.AccessFSReadDir
	reads  = lists | llsyscall.AccessFSExecute | llsyscall.AccessFSReadFile
	writes = reads | llsyscall.AccessFSWriteFile | llsyscall.AccessFSTruncate | llsyscall.AccessFSRemoveDir | llsyscall.AccessFSRemoveFile |
		llsyscall.AccessFSMakeDir | llsyscall.AccessFSMakeReg | llsyscall.AccessFSMakeSock | llsyscall.AccessFSMakeFifo |
		llsyscall.AccessFSMakeSym | llsyscall.AccessFSRefer
	ofFile = llsyscall.AccessFSExecute | llsyscall.AccessFSReadFile | llsyscall.AccessFSWriteFile | llsyscall.AccessFSTruncate
)

// A ruleset says what Landlock lets this process do with files. A rule applies to everything below a folder, without
// exceptions. So a folder with a forbidden entry is granted entry by entry, and then nothing new can be made in it.
type ruleset struct {
	reach
	fd int
}

// landlocked restricts this thread, and the program that it becomes, to the files of r and more. If the kernel can, it
// also keeps signals and abstract sockets inside.
func landlocked(r reach, more ...string) error {
	version, err := llsyscall.LandlockGetABIVersion()
	if err != nil {
		return err
	}
	attr := llsyscall.RulesetAttr{HandledAccessFS: writes | llsyscall.AccessFSMakeChar | llsyscall.AccessFSMakeBlock}
	if version >= 5 {
		attr.HandledAccessFS |= llsyscall.AccessFSIoctlDev
	}
	if version >= 6 {
		attr.Scoped = llsyscall.ScopeAbstractUnixSocket | llsyscall.ScopeSignal
	}
	fd, err := llsyscall.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	s := ruleset{r, fd}
	for _, p := range append(r.reads(more...), "/proc") {
		if real, err := filepath.EvalSymlinks(p); err == nil && !slices.ContainsFunc(r.Hidden, func(h string) bool { return below(h, real) }) {
			if err := s.grant(unix.AT_FDCWD, real, real, reads); err != nil {
				return err
			}
		}
	}
	for _, p := range devices {
		if err := s.grant(unix.AT_FDCWD, p, p, reads|llsyscall.AccessFSWriteFile); err != nil {
			return err
		}
	}
	if err := s.grant(unix.AT_FDCWD, r.Root, r.Root, writes); err != nil {
		return err
	}
	s.Hidden, s.Kept = nil, nil // Home lies in a folder of Arbor's
	for _, p := range []string{r.Home, r.Temp} {
		if err := s.grant(unix.AT_FDCWD, p, p, writes); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return llsyscall.LandlockRestrictSelf(fd, 0)
}

// grant adds a rule with these rights for the file or folder name in the open folder in; path is its full path. Links
// are not followed: a target has its own rule, or none.
func (s ruleset) grant(in int, name, path string, rights uint64) error {
	if slices.Contains(s.Hidden, path) {
		return nil
	}
	if slices.Contains(s.Kept, path) {
		rights &= reads
	}
	fd, err := unix.Openat(in, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return named(path, err)
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return named(path, err)
	}
	holds := func(p string) bool { return below(path, p) && p != path }
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil
	case unix.S_IFDIR:
		if !slices.ContainsFunc(s.Hidden, holds) && (rights&^reads == 0 || !slices.ContainsFunc(s.Kept, holds)) {
			break
		}
		entries, err := os.ReadDir("/proc/self/fd/" + strconv.Itoa(fd))
		for _, e := range entries {
			err = errors.Join(err, s.grant(fd, e.Name(), filepath.Join(path, e.Name()), rights))
		}
		if err != nil {
			return err
		}
		rights = lists
	default:
		rights &= ofFile
	}
	return named(path, llsyscall.LandlockAddPathBeneathRule(s.fd, &llsyscall.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0))
}
