package jail_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"arbor/engine/env/jail"
)

// A bind mount has the same device as the root, and leads out of it all the same.
func TestABindMountIsOutside(t *testing.T) {
	top := t.TempDir()
	root, away := filepath.Join(top, "root"), filepath.Join(top, "away")
	for _, dir := range []string{filepath.Join(root, "in"), filepath.Join(away, "below")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(root, "file"), filepath.Join(away, "below", "secret")} {
		if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{away: filepath.Join(root, "in"),
		filepath.Join(away, "below", "secret"): filepath.Join(root, "file")} {
		if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); errors.Is(err, syscall.EPERM) {
			t.Skip("this user may not mount anything")
		} else if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(to, 0); err != nil {
				t.Error(err)
			}
		})
	}
	r, err := jail.Open(root, jail.Options{Trash: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	outside := func(what string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*jail.Error](err); !ok || e.Code != jail.PathOutside {
			t.Errorf("%s: the error is %v; want %s", what, err, jail.PathOutside)
		}
	}
	for _, p := range []string{"file", "in/below/secret"} {
		_, err = r.Read(t.Context(), p, 0, 0)
		outside("reading "+p, err)
		_, err = r.PlanWrite(p, "changed")
		outside("writing "+p, err)
	}
	_, err = r.PlanWrite("in/new", "new")
	outside("a new file", err)
	_, err = r.List(t.Context(), "in", 1)
	outside("listing", err)
	all, err := r.List(t.Context(), "", 9)
	if err != nil || len(all.Entries) != 2 {
		t.Errorf("the whole root lists %v, %v; want the two places without what is in them", all, err)
	}
	if found, err := r.Search(t.Context(), jail.Query{Pattern: "kept"}); err != nil || len(found.Hits) > 0 {
		t.Errorf("a search finds %v, %v", found, err)
	}
}
