package app

import (
	"os"
	"syscall"
)

const enableVirtualTerminalProcessing = 0x0004

// prepareConsole makes consoles that would print colours as text understand them. What is no console is left alone.
func prepareConsole() {
	set := syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		var mode uint32
		if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) == nil {
			set.Call(f.Fd(), uintptr(mode|enableVirtualTerminalProcessing))
		}
	}
}
