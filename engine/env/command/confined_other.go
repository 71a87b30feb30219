//go:build !linux

package command

import (
	"errors"
	"fmt"
	"os"
)

// Confinement returns the first way that confines programs here: "" for none.
func Confinement() string { return "" }

// Try returns an error: this system has no way to confine programs.
func Try(string) error { return errors.New("programs of tools are not confined on this system") }

func stage([]string) int {
	fmt.Fprintln(os.Stderr, "arbor:", Try(""))
	return 2
}

// tempOf returns the name that a program has for its folder of temporary files.
func tempOf(_, temp string) string { return temp }
