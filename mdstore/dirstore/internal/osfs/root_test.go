package osfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// tree makes a folder with every kind of entry that a vault may have.
func tree(t *testing.T) (dir string, root Root) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "vault")
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"../outside": "outside", "file": "one", "a/file": "two", "a/b/file": "three"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"in": "a/b", "out": "..", "link": "file", "lost": "nowhere", "away": filepath.Join(top, "outside")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	root, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

// The fast path by one system call has the same results as the path through os.Root.
func TestBothWaysSayTheSame(t *testing.T) {
	dir, root := tree(t)
	for name, mode := range map[string]fs.FileMode{"empty": 0o600, "read-only": 0o444, "with a bit": 0o755 | fs.ModeSetuid} {
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), nil, 0o600), os.Chmod(filepath.Join(dir, name), mode)); err != nil {
			t.Fatal(err)
		}
	}
	slow := Root{R: root.R}
	for _, p := range []mdstore.Path{"", "file", "a", "a/file", "a/b/file", "a/none", "none/a", "file/a", "in", "in/file", "out", "out/outside", "link",
		"lost", "away", "empty", "read-only", "with a bit"} {
		same := func(call string, got, want any, err, why error) {
			t.Helper()
			if !reflect.DeepEqual(got, want) || class(err) != class(why) {
				t.Errorf("%s(%q): got %v, error %v\nwant %v, error %v", call, p, got, err, want, why)
			}
		}
		info, err := root.Lstat(p)
		want, why := slow.Lstat(p)
		same("Lstat", info, want, err, why)
		for _, limit := range []int64{2, 100} {
			data, info, err := root.ReadFile(p, limit)
			text, want, why := slow.ReadFile(p, limit)
			if info.Direct && (p.Dir() == "in" || p.Dir() == "out") || want.Direct {
				t.Errorf("ReadFile(%q) tells of no link on the way, by one call %t, else %t", p, info.Direct, want.Direct)
			}
			info.Direct = false // only one of both ways knows
			same("ReadFile", info, want, err, why)
			same("ReadFile", data, text, err, why)
			data, info, err = root.ReadRegular(p, limit)
			text, want, why = slow.ReadRegular(p, limit)
			same("ReadRegular", info, want, err, why)
			same("ReadRegular", data, text, err, why)
		}
		all, err := root.ReadDir(p)
		entries, why := slow.ReadDir(p)
		same("ReadDir", all, entries, err, why)
		same("Writers", root.Writers(p), slow.Writers(p), nil, nil)
		same("SyncDir", nil, nil, root.SyncDir(p), slow.SyncDir(p))
	}
}

// class returns the class of an error that callers check.
func class(err error) string {
	u, unreadable := errors.AsType[*mdoc.UnreadableError](err)
	switch {
	case err == nil:
		return "nil"
	case unreadable:
		return u.Problem.Code
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case errors.Is(err, fs.ErrExist):
		return "exists"
	}
	return "other"
}

// No call leaves the folder, and each returns an error of a class that callers check.
func TestCallsStayInTheFolder(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(r Root) error
	}{
		{"read a file", "nil", func(r Root) error { _, _, err := r.ReadFile("a/b/file", 9); return err }},
		{"read a large file", mdoc.CodeTooLarge, func(r Root) error { _, _, err := r.ReadFile("a/b/file", 2); return err }},
		{"read a link", CodeSymlink, func(r Root) error { _, _, err := r.ReadFile("link", 9); return err }},
		{"read a link that leads out", CodeSymlink, func(r Root) error { _, _, err := r.ReadFile("away", 9); return err }},
		{"read through a link that leads out", "other", func(r Root) error { _, _, err := r.ReadFile("out/outside", 9); return err }},
		{"read a folder", CodeNotAFile, func(r Root) error { _, _, err := r.ReadFile("a", 9); return err }},
		{"read below a file", "missing", func(r Root) error { _, _, err := r.ReadFile("file/x", 9); return err }},
		{"make a file", "nil", func(r Root) error { return r.Create("new", []byte("x"), "file") }},
		{"make a file in the place of another", "exists", func(r Root) error { return r.Create("file", nil, "") }},
		{"make a file outside", "other", func(r Root) error { return r.Create("out/new", nil, "") }},
		{"rename to a new name", "nil", func(r Root) error { return r.RenameNew("file", "a/new") }},
		{"rename over a file", "exists", func(r Root) error { return r.RenameNew("file", "a/file") }},
		{"rename what is missing", "missing", func(r Root) error { return r.RenameNew("none", "a/new") }},
		{"rename out of the folder", "other", func(r Root) error { return r.RenameNew("file", "out/new") }},
		{"exchange with what is missing", "missing", func(r Root) error { return r.Exchange("file", "a/none") }},
		{"exchange out of the folder", "other", func(r Root) error { return r.Exchange("file", "out/outside") }},
		{"flush a folder", "nil", func(r Root) error { return r.SyncDir("a/b") }},
		{"flush a missing folder", "missing", func(r Root) error { return r.SyncDir("none") }},
	} {
		_, r := tree(t)
		err := c.do(r)
		if runtime.GOOS == "windows" && c.name == "flush a missing folder" || c.want == "other" && err != nil {
			continue
		}
		if got := class(err); got != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}

// An exchange swaps the files of two names, and a new file gets the mode of the file that it will replace.
func TestExchange(t *testing.T) {
	dir, r := tree(t)
	if err := r.Create("a/new", []byte("new"), "file"); err != nil {
		t.Fatal(err)
	}
	if err := r.Exchange("a/new", "file"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("files cannot be exchanged here")
	} else if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"file": "new", "a/new": "one"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, error %v, want %q", name, data, err, want)
		}
	}
	if info, err := r.Lstat("file"); err != nil || runtime.GOOS != "windows" && info.Mode != 0o640 {
		t.Errorf("mode %v, error %v", info.Mode, err)
	}
}

// The system tells whether a file is open for writing, or reports that it cannot.
func TestWriters(t *testing.T) {
	dir, r := tree(t)
	if who := r.Writers("file"); who == Open {
		t.Error("no program has it open for writing, and it is said to be")
	}
	f, err := os.OpenFile(filepath.Join(dir, "file"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if who := r.Writers("file"); who == Closed {
		t.Error("a program has it open for writing, and it is said to be closed")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if who := r.Writers(mdstore.Path("none")); who != Unknown {
		t.Errorf("of a missing file it is said %v", who)
	}
}
