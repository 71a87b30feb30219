//go:build unix

package guard_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"arbor/mdstore/guard"
)

func TestOnlyRegularFilesOfTheFolderAreRead(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "project")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("folder"), 0o755),
		os.WriteFile(filepath.Join(top, "outside"), []byte("secret"), 0o600),
		os.WriteFile(at("plain"), []byte("12345"), 0o600),
		os.WriteFile(at("long"), []byte("123456"), 0o600),
		os.Symlink("plain", at("inside")),
		os.Symlink("../outside", at("out")),
		os.Symlink("/dev/zero", at("endless")),
		os.Symlink("loop", at("loop")),
		syscall.Mkfifo(at("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"plain", "inside"} {
		if data, err := guard.ReadFile(dir, name, 5); string(data) != "12345" || err != nil {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	for name, why := range map[string]string{
		"long": "has more than 5 bytes", "folder": "is a folder", "pipe": "is a pipe", "out": "is a link that leads out", "endless": "is a link that leads out", "loop": "loop",
	} {
		data, err := guard.ReadFile(dir, name, 5)
		if data != nil || err == nil || !strings.Contains(err.Error(), why) && !errors.Is(err, syscall.ELOOP) {
			t.Errorf("%s: %q, error %v, want that it %s", name, data, err, why)
		}
	}
	for _, missing := range []string{"none", "folder/none"} {
		if _, err := guard.ReadFile(dir, missing, 5); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

func TestWhatTheSystemLacksSaysNothingOfAFile(t *testing.T) {
	if !guard.Scarce(&fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}) || guard.Scarce(fs.ErrNotExist) || guard.Scarce(nil) {
		t.Error("only a lack of descriptors or memory is one")
	}
}
