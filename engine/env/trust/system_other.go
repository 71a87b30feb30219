//go:build !unix

package trust

import "io/fs"

// On Windows the folder of a person's settings is that person's by its access list.
func othersWrite(fs.FileInfo) bool { return false }
func mine(fs.FileInfo) bool        { return true }
