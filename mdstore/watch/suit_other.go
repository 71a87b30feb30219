//go:build !linux && !darwin && !windows

package watch

// unsuited says why no events are to be had of what is below root: nothing is known against it.
func unsuited(string) error { return nil }
