package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// tree makes a folder with all that may lie in a vault, and returns its roots by the short way and by the long one.
func tree(t *testing.T) (dir string, short, long Root) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "vault")
	for _, d := range []string{"a/b", "empty"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]string{"../outside": "outside", "file": "one", "a/file": "two", "a/b/file": "three", "a/b/none": "", "large": "0123456789"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"in": "a/b", "out": "..", "link": "file", "lost": "nowhere", "round": "round", "away": filepath.Join(top, "outside"), "a/up": "../file"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	short = NewRoot(r)
	t.Cleanup(func() { short.Close() })
	return dir, short, Root{R: r}
}

var paths = []mdstore.Path{"", "file", "a", "a/file", "a/b/file", "a/b/none", "large", "in", "in/file", "out", "out/outside", "link", "lost", "round", "away", "a/up",
	"nothing", "nothing/file", "file/file", "a/nothing", "empty"}

// class returns what callers ask of an error.
func class(err error) string {
	u, unreadable := errors.AsType[*mdoc.UnreadableError](err)
	switch {
	case err == nil:
		return "nil"
	case unreadable:
		return u.Problem.Code
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // below a file there is nothing
		return "not there"
	case errors.Is(err, fs.ErrExist):
		return "there"
	}
	return "other"
}

// The short way to a file is the long one, but for the time that it takes.
func TestShortWay(t *testing.T) {
	for name, do := range map[string]func(r Root, p mdstore.Path) string{
		"lstat": func(r Root, p mdstore.Path) string {
			info, err := r.Lstat(p)
			return fmt.Sprint(info.Mode, info.Size, info.Links, info.Stamp.Inode, class(err))
		},
		"read": func(r Root, p mdstore.Path) string {
			data, err := r.ReadFile(p, 8)
			return fmt.Sprintf("%q %s", data, class(err))
		},
		"sync": func(r Root, p mdstore.Path) string { return class(r.Sync(p)) },
		"folder": func(r Root, p mdstore.Path) string {
			if fi, err := r.R.Stat(native(p)); err == nil && !fi.IsDir() {
				return "nobody asks for that"
			}
			return class(r.SyncDir(p))
		},
		"create": func(r Root, p mdstore.Path) string {
			err := r.Create(p.Dir().Join("."+p.Base()), []byte("new"), p)
			info, _ := r.Lstat(p.Dir().Join("." + p.Base()))
			return fmt.Sprint(class(err), info.Mode, info.Size)
		},
		"create in its way": func(r Root, p mdstore.Path) string {
			err := r.Create(p, []byte("new"), "")
			info, _ := r.Lstat(p)
			return fmt.Sprint(class(err), info.Mode, info.Size)
		},
		"exchange":   func(r Root, p mdstore.Path) string { return class(r.Exchange(p, "large")) },
		"rename":     func(r Root, p mdstore.Path) string { return class(r.RenameNew(p, "empty/there")) },
		"in its way": func(r Root, p mdstore.Path) string { return class(r.RenameNew("a/b/file", p)) },
		"remove":     func(r Root, p mdstore.Path) string { return class(r.Remove(p)) },
		"writers":    func(r Root, p mdstore.Path) string { return fmt.Sprint(r.Writers(p)) },
	} {
		_, short, long := tree(t)
		for _, p := range paths {
			if p == "" && name != "lstat" && name != "folder" {
				continue
			}
			if !slices.Contains([]string{"lstat", "read", "sync", "folder", "writers"}, name) { // it changes something: each has a tree of its own
				_, short, _ = tree(t)
				_, _, long = tree(t)
			}
			got, want := do(short, p), do(long, p)
			if got != want {
				t.Errorf("%s %q: %s; the long way %s", name, p, got, want)
			}
		}
	}
}

// A file has its own stamp, firm or not, and no other; what is no file has none, not even its own.
func TestHas(t *testing.T) {
	_, short, long := tree(t)
	for name, r := range map[string]Root{"short": short, "long": long} {
		stamps := map[mdstore.Path]mdstore.Stamp{}
		for _, p := range []mdstore.Path{"file", "a/file", "a/b/none", "a", "empty", "link", "lost"} {
			info, err := r.Lstat(p)
			if err != nil {
				t.Fatal(err)
			}
			stamps[p] = info.Stamp
		}
		for p := range stamps {
			for q, stamp := range stamps {
				want := p == q && (p == "file" || p == "a/file" || p == "a/b/none")
				for _, stamp.Firm = range []bool{false, true} {
					if r.Has(p, stamp) != want {
						t.Errorf("the %s way, %s has the stamp of %s, firm %v: %v", name, p, q, stamp.Firm, !want)
					}
				}
			}
		}
		for _, p := range []mdstore.Path{"nothing", "file/nothing", "round/file"} {
			if r.Has(p, stamps["file"]) || r.Has(p, mdstore.Stamp{}) {
				t.Errorf("the %s way, %s is there", name, p)
			}
		}
	}
}

func TestSyncAll(t *testing.T) {
	_, r, _ := tree(t)
	if errs := SyncAll(r, []mdstore.Path{"file", "a/file"}, []mdstore.Path{"", "a", "a/b"}); errs != nil {
		t.Errorf("errors %v; want nil", errs)
	}
	var got []string
	for _, err := range SyncAll(r, []mdstore.Path{"file", "nothing", "a/file"}, []mdstore.Path{"a", "nothing", ""}) {
		got = append(got, class(err))
	}
	if want := []string{"nil", "not there", "nil", "nil", "not there", "nil"}; !slices.Equal(got, want) {
		t.Errorf("errors %v; want %v", got, want)
	}
}

// With as many as are made durable at once, the answers are the same.
func TestSyncAllOfMany(t *testing.T) {
	dir, r, _ := tree(t)
	var files []mdstore.Path
	for i := range 20 {
		p := mdstore.Path("empty").Join(fmt.Sprint(i))
		files = append(files, p)
		if err := os.WriteFile(filepath.Join(dir, string(p)), []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if errs := SyncAll(r, files, []mdstore.Path{"", "empty"}); errs != nil {
		t.Errorf("errors %v; want nil", errs)
	}
	files[7] = "nothing"
	for i, err := range SyncAll(r, files, []mdstore.Path{"none", "empty"}) {
		want := "nil"
		if i == 7 || i == 20 {
			want = "not there"
		}
		if class(err) != want {
			t.Errorf("the error of number %d is %v; want %s", i, err, want)
		}
	}
}

// What is removed is gone before what it takes up is given back, and whatever is not there is told.
func TestRemoveAll(t *testing.T) {
	dir, r, long := tree(t)
	for name, c := range map[string]struct {
		d     FS
		files []mdstore.Path
		want  []string
	}{
		"one":             {r, []mdstore.Path{"large"}, []string{"nil"}},
		"several":         {r, []mdstore.Path{"file", "nothing", "a/file", "link", "a"}, []string{"nil", "not there", "nil", "nil", "other"}},
		"by the long way": {long, []mdstore.Path{"a/b/file", "nothing", "in"}, []string{"nil", "not there", "nil"}},
	} {
		errs, release := RemoveAll(c.d, c.files)
		for i, p := range c.files {
			got := class(errs[i])
			if c.want[i] == "other" && errs[i] != nil {
				got = "other"
			}
			if got != c.want[i] {
				t.Errorf("%s: the error of %s is %v; want %s", name, p, errs[i], c.want[i])
			}
			if _, err := os.Lstat(filepath.Join(dir, string(p))); c.want[i] == "nil" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s is there still: %v", name, p, err)
			}
		}
		release()
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a/b/none")); err != nil || len(data) > 0 {
		t.Errorf("what was not to be removed: %v", err)
	}
}

// A file that takes the name of another one is the one that is used from then on.
func TestHandleFollowsTheName(t *testing.T) {
	dir, r, _ := tree(t)
	h := r.Handle("a/file")
	defer h.Close()
	read := func() (text string, err error) {
		err = h.Use(false, func(f *os.File, info Info) error {
			data := make([]byte, info.Size)
			_, err := f.ReadAt(data, 0)
			text = string(data)
			return err
		})
		return text, err
	}
	name := filepath.Join(dir, "a/file")
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, "two nil"},
		{func() error { return os.Rename(filepath.Join(dir, "file"), name) }, "one nil"},
		{func() error { return os.Remove(name) }, " not there"},
		{func() error { return os.WriteFile(name, []byte("again"), 0o644) }, "again nil"},
		{func() error { return errors.Join(os.Remove(name), os.Symlink("b/file", name)) }, " " + CodeNotAFile},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if text, err := read(); text+" "+class(err) != step.want {
			t.Errorf("%q, error %v; want %s", text, err, step.want)
		}
	}
}

func TestLockKnowsItsFile(t *testing.T) {
	dir, r, _ := tree(t)
	l, other := r.Lock(dir, "a/file"), r.Lock(dir, "a/file")
	defer l.Close()
	defer other.Close()
	if ok, err := l.Try(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := other.Try(); ok || err != nil {
		t.Errorf("a second one has it: %v, %v", ok, err)
	}
	if _, ok := l.Holds(); !ok {
		t.Error("the lock is not held")
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if ok, err := other.Try(); !ok || err != nil {
		t.Errorf("it was given back, and is not to be had: %v, %v", ok, err)
	}
	name := filepath.Join(dir, "a/file")
	if err := errors.Join(os.Remove(name), os.WriteFile(name, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, ok := other.Holds(); ok {
		t.Error("the file that is locked is not the one that others would lock, and is taken for it")
	}
}
