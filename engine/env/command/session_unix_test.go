//go:build unix

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

func session(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

const lock = "alive" // that every living process of a tree shares

// live holds the lock until this process ends.
func live() error {
	fd, err := syscall.Open(lock, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o666)
	if err != nil {
		return err
	}
	return syscall.Flock(fd, syscall.LOCK_SH)
}

// dead fails where a process holds the lock.
func dead(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, lock), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Errorf("a process lives: %v", err)
	}
}
