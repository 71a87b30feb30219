//go:build !linux && !darwin

package osfs

func boot() string { return "" }
