package command

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A name without a slash is never that of a program in the environment itself: a folder of PATH that lies there, and
// one that is not absolute, are passed over.
func TestAProgramOfTheEnvironmentIsNamedWithItsFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are told by their names there")
	}
	root, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{root, filepath.Join(root, "bin"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	for path, want := range map[string]string{
		filepath.Join(root, "bin"): "", root: "", "bin": "", ".": "", "": "",
		outside: filepath.Join(outside, "tool"),
		filepath.Join(root, "bin") + string(filepath.ListSeparator) + "bin" + string(filepath.ListSeparator) + outside: filepath.Join(outside, "tool"),
	} {
		t.Setenv("PATH", path)
		if got, err := find(root, "tool"); got != want || (err == nil) != (want != "") {
			t.Errorf("with PATH=%q the tool is %q, %v; want %q", path, got, err, want)
		}
	}
	for name, want := range map[string]string{"./tool": filepath.Join(root, "tool"), "bin/tool": filepath.Join(root, "bin", "tool")} {
		if got, err := find(root, name); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
}
