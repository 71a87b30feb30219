//go:build unix

package command_test

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func session(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func gone(t *testing.T, output string) {
	t.Helper()
	for line := range strings.Lines(output) {
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
			id, _ := strconv.Atoi(pid)
			if err := syscall.Kill(id, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("%d lives: %v", id, err)
			}
		}
	}
}
