//go:build !unix

package httpguard

import "io/fs"

// ofAnother cannot tell here.
func ofAnother(fs.FileInfo) bool { return false }
