//go:build !unix

package httpguard

import "io/fs"

// ofAnother returns false: this system does not tell.
func ofAnother(fs.FileInfo) bool { return false }
