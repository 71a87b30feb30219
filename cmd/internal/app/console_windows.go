package app

import (
	"os"
	"syscall"
)

const enableVirtualTerminalProcessing = 0x0004

// prepareConsole turns on colours in consoles that would print escape sequences as text. It ignores other streams.
func prepareConsole() {
	set := syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		var mode uint32
		if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) == nil {
			set.Call(f.Fd(), uintptr(mode|enableVirtualTerminalProcessing))
		}
	}
}
