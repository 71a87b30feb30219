//go:build !windows

package app

// prepareConsole does nothing: terminals understand colours here.
func prepareConsole() {}
