//go:build !linux

package main

import (
	"errors"
	"runtime"
)

func dropCaches() error        { return errors.New("only known on Linux") }
func writeOut()                {}
func sharedMemory() string     { return "" }
func kernel() string           { return runtime.GOOS }
func processor() string        { return runtime.GOARCH }
func fileSystem(string) string { return "unknown" }
