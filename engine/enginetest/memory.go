package enginetest

import (
	"os"
	"runtime/debug"
)

// Tests that import this package put their folders into memory where that is possible, unless TMPDIR or GOTMPDIR names
// another place: tens of thousands of small vaults on a disk take three times the processor and wait for it. The laws of
// mdstore/dirstore stay on the disk. The tests also make much garbage and keep little, so it is collected less often.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if dir := memoryFolder(); dir != "" && os.Getenv("TMPDIR") == "" && os.Getenv("GOTMPDIR") == "" {
		_ = os.Setenv("TMPDIR", dir)
	}
}
