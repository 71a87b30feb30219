package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
)

// A save whose folder was removed is kept in the trash. Then such saves older than 30 days are deleted, but nothing
// else there.
func TestLateSavesOfLongAgoGoWhenAnotherComes(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": lines})
	s := open(t, dir)
	trash := filepath.Join(dir, mdstore.LocalDir, "trash")
	stays := map[string]bool{"late-1111111111111111": false, "late-2222222222222222": true, "20200101T000000.000-ws": true}
	for name := range stays {
		write(t, filepath.Join(trash, name, "ws", "nodes", "Node.md"), "x")
		age := 40 * 24 * time.Hour
		if strings.HasPrefix(name, "late-2") {
			age = 20 * 24 * time.Hour
		}
		if err := os.Chtimes(filepath.Join(trash, name), time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	saved(t, displaced(t, dir), "theirs\n")
	if err := os.RemoveAll(filepath.Join(dir, "ws")); err != nil {
		t.Fatal(err)
	}
	met, err := s.Late(t.Context(), true)
	if err != nil || len(met) != 1 || !strings.HasPrefix(string(met[0].Copy), ".local/trash/late-") {
		t.Fatalf("told of %v, error %v", met, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(string(met[0].Copy)))); !strings.Contains(string(data), "theirs\n") {
		t.Errorf("%s holds %q, error %v", met[0].Copy, data, err)
	}
	for name, stay := range stays {
		if _, err := os.Stat(filepath.Join(trash, name)); stay != (err == nil) || err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is to stay: %v; %v", name, stay, err)
		}
	}
}
