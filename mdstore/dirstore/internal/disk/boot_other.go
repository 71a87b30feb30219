//go:build !linux && !darwin

package disk

func boot() string { return "" }
