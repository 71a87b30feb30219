package jail_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/env/jail"
)

// hiding makes a folder with two vaults, Arbor's own folder and links to what is hidden in them.
func hiding(t *testing.T) (r *jail.Root, h jail.Hiding, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"root/a.txt": "seen\n", "root/.vault/.local/token": secret, "root/deep/er/v/.Local/record/now": secret,
		"root/own/arbor/trust/x.json": secret, "root/home/.local/bin/tool": "seen\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"local": ".vault/.local", "token": ".vault/.local/token", "two": "local/token", "mine": "own/arbor", "up": "deep/er/v/../v/.Local/record",
	} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, "root", name)); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
	}
	h = jail.Hiding{Name: ".local", But: filepath.Join(dir, "root/home/.local"),
		Folders: []string{filepath.Join(dir, "root/own/arbor"), filepath.Join(dir, "root/own/later")}}
	if r, err = jail.Open(filepath.Join(dir, "root"), jail.Options{Trash: filepath.Join(dir, "trash"), Hidden: h}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, h, dir
}

// What is hidden is seen by no call, by whatever path: also where none is made yet.
func TestWhatIsHiddenIsSeenByNoCall(t *testing.T) {
	paths := []string{
		".vault/.local", ".vault/.local/token", ".vault/.LOCAL/token", ".vault/../.vault/.local/token", "deep/er/v/.Local/record/now",
		"deep/er/v/.local/record/now", "own/arbor/trust/x.json", "own/Arbor/trust/x.json", "own/later/new", "own/later", ".local/new", "deep/.LoCaL",
		"local", "local/token", "token", "two", "mine", "mine/trust/x.json", "up", "up/now", "own/arbor",
	}
	for name, call := range calls {
		r, _, dir := hiding(t)
		for _, p := range paths {
			got, err := call(t.Context(), r, p)
			if got != "" || err == nil {
				t.Errorf("%s %s: %q, %v", name, p, got, err)
			}
		}
		for _, p := range []string{".vault/.local/token", "own/arbor/trust/x.json"} {
			if _, err := call(t.Context(), r, p); codeOf(err) != jail.PathProtected {
				t.Errorf("%s %s: %v", name, p, err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "root", p)); string(data) != secret {
				t.Errorf("%s %s: it holds %q now, %v", name, p, data, err)
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, "root/own/later")); err == nil {
			t.Errorf("%s made a folder of Arbor's", name)
		}
	}
	r, _, _ := hiding(t)
	all, err := r.List(t.Context(), ".", 9)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range all.Entries {
		if strings.Contains(strings.ToLower(e.Path), "/.local/") && !strings.HasPrefix(e.Path, "home/") || strings.HasPrefix(e.Path, "own/arbor") {
			t.Errorf("%s is listed", e.Path)
		}
		if e.Path == "home/.local/bin/tool" || e.Path == "a.txt" {
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("what is not hidden is not listed: %v", all.Entries)
	}
	for pattern, want := range map[string]int{"secret": 0, "seen": 2} {
		if found, err := r.Search(t.Context(), jail.Query{Pattern: pattern}); err != nil || len(found.Hits) != want {
			t.Errorf("search for %s: %+v, %v", pattern, found, err)
		}
	}
}

// A root that lies in a hidden folder is one itself.
func TestAFolderInAHiddenOneIsHidden(t *testing.T) {
	_, h, dir := hiding(t)
	for at, want := range map[string]bool{
		"root": false, "root/.vault": false, "root/.vault/.local": true, "root/deep/er/v/.Local/record": true, "root/own": false,
		"root/own/arbor": true, "root/own/arbor/trust": true, "root/home/.local/bin": false, "root/home/.local": false,
	} {
		if got := h.Hides(filepath.Join(dir, filepath.FromSlash(at))); got != want {
			t.Errorf("%s is hidden: %v, want %v", at, got, want)
		}
	}
}

// A folder that is swapped for a link to what is hidden shows nothing of it.
func TestNoPathSeesWhatIsHiddenWhileFoldersAreSwapped(t *testing.T) {
	r, _, dir := hiding(t)
	end := swapping(dir, ".vault/.local", "token")
	for range 300 {
		for _, name := range []string{"read", "search", "write"} {
			if got, _ := calls[name](t.Context(), r, "swap/token"); strings.Contains(got, secret) {
				t.Fatalf("%s sees what is hidden", name)
			}
		}
	}
	end()
	if data, _ := os.ReadFile(filepath.Join(dir, "root/.vault/.local/token")); string(data) != secret {
		t.Errorf("the token is %q now", data)
	}
}
