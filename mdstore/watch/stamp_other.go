//go:build !linux && !darwin

package watch

import "io/fs"

// A sysStamp is what this system tells of a file beside what all do: nothing.
type sysStamp struct{}

func sysStampOf(fs.FileInfo) sysStamp { return sysStamp{} }
