//go:build !linux

package command

import (
	"fmt"
	"os"
)

// Confinement returns what keeps a program in its folder here: "" for nothing.
func Confinement() string { return "" }

// Confined is what main does when the program is started with Word, which Run does on Linux only.
func Confined([]string) int {
	fmt.Fprintln(os.Stderr, "arbor: programs of tools are not confined on this system")
	return 2
}
