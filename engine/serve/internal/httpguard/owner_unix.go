//go:build unix

package httpguard

import (
	"io/fs"
	"os"
	"syscall"
)

// ofAnother reports whether a file belongs to another user.
func ofAnother(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) != os.Geteuid()
}
