//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A signal ends a command that waits, with the code for it, and nothing is changed.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if out, err := exec.Command("arbor", "-C", dir, "init", "Login", "--goal", "x", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command("arbor", "-C", dir, "log", "-F", "pipe")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command waits for the other end's text
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v: %v, want exit code 130\n%s", sig, err, stderr.String())
		}
		if got := stderr.String(); got != "arbor: interrupted; nothing was changed\n" {
			t.Errorf("%v: it says %q", sig, got)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
