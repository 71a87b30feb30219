//go:build unix && !linux

package command

import (
	"context"
	"os/exec"
	"syscall"
)

// supervised returns the command that runs a program in a process group of its own, which is killed as a whole.
// Processes that leave the group are not killed.
func supervised(ctx context.Context, j job) (*exec.Cmd, func(), error) {
	cmd := exec.CommandContext(ctx, j.Argv[0], j.Argv[1:]...)
	cmd.Env = j.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd, func() {}, nil
}
