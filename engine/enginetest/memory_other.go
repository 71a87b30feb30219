//go:build !linux

package enginetest

// inMemory returns "": there is no folder in memory.
func inMemory() string { return "" }
