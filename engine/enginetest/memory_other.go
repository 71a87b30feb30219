//go:build !linux

package enginetest

// memoryFolder returns "": there is no folder in memory.
func memoryFolder() string { return "" }
