//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package watch

// mostWatched is the number of files that may be watched; 0 is no limit but the system's own.
func mostWatched() int { return 0 }
