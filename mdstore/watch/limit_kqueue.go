//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package watch

import "syscall"

// maxWatched returns the number of files that may be watched: each of them takes a
// descriptor, of which watching may take half.
func maxWatched() int {
	const least = 256
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return least / 2
	}
	return int(min(uint64(max(r.Cur, least)), 1<<16) / 2)
}
