//go:build !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package watch

// maxWatched returns the number of files that may be watched; 0: as many as the system allows.
func maxWatched() int { return 0 }
