package main

import (
	"arbor/engine/enginetest"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// ship makes the program as it is shipped, once for all tests. removeShipped removes it.
var ship = sync.OnceValues(func() (file string, err error) {
	dir, err := os.MkdirTemp("", "arbor-shipped-")
	if err != nil {
		return "", err
	}
	shippedDir, file = dir, filepath.Join(dir, "arbor")
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if msg, err := exec.Command("go", "build", "-o", file, ".").CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(msg)))
	}
	return file, nil
})

var shippedDir string // of ship; "" before

func removeShipped() {
	if shippedDir != "" {
		_ = os.RemoveAll(shippedDir)
	}
}

// build returns the program as it is shipped.
func build(t testing.TB) string {
	t.Helper()
	file, err := ship()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("there is no go to build the program with")
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// quickPath returns PATH for programs of which many are started, one after the other. Under the race detector, with
// which a start takes four times as long, the program there is the one that is shipped.
func quickPath(t testing.TB) string {
	t.Helper()
	path := os.Getenv("PATH")
	if _, err := exec.LookPath("go"); !enginetest.Raced() || err != nil {
		return path
	}
	return filepath.Dir(build(t)) + string(filepath.ListSeparator) + path
}
