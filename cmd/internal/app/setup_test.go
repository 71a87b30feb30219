package app

import (
	"errors"
	"os"
	"testing"
)

// The entry names this program unless arbor on the PATH is this very program.
func TestElsewhere(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir() + "/arbor"
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := t.TempDir() + "/arbor"
	if err := os.Symlink(self, link); err != nil {
		t.Skip(err)
	}
	for found, want := range map[string]string{"": self, other: self, link: "", self: ""} {
		got := elsewhere(func(string) (string, error) {
			if found == "" {
				return "", errors.New("not found")
			}
			return found, nil
		})
		if got != want {
			t.Errorf("arbor on the PATH is %q: the entry names %q, want %q", found, got, want)
		}
	}
}
