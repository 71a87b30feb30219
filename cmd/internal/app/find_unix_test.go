//go:build unix

package app

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
)

// A clone can bring anything as its arbor.toml: what is no file of the project is refused, and nothing waits for it.
func TestAnArborTomlThatIsNoFileIsRefused(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"an endless device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a file elsewhere":  func(path string) error { return os.Symlink("/etc/hostname", path) },
		"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		"too much":          func(path string) error { return os.WriteFile(path, []byte("#"), 0o600) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "arbor.toml")
		err := make(path)
		if name == "too much" {
			err = errors.Join(err, os.Truncate(path, 1<<40))
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = vaults{getenv: func(string) string { return "" }}.Find(cli.Lookup{Dir: dir})
		if errs.As(err).Code != errs.InvalidPath {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
