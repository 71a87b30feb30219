package dirstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// habits are the ways in which editors save a file.
var habits = map[string]func(path, text string) error{
	"truncate and write": func(path, text string) error {
		return os.WriteFile(path, []byte(text), 0o644)
	},
	"write beside and rename": func(path, text string) error {
		if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	},
	"delete and create": func(path, text string) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	},
	"keep a backup": func(path, text string) error {
		if err := os.Rename(path, path+"~"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	},
}

// A crowded disk lets a person save between any two calls of a commit.
type crowded struct {
	osfs.FS
	calls *int
	save  func(call int)
}

func (c crowded) call() { *c.calls++; c.save(*c.calls) }

func (c crowded) Lstat(p mdstore.Path) (osfs.Info, error) { c.call(); return c.FS.Lstat(p) }
func (c crowded) ReadFile(p mdstore.Path, limit int64) ([]byte, osfs.Info, error) {
	c.call()
	return c.FS.ReadFile(p, limit)
}
func (c crowded) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	c.call()
	return c.FS.Create(p, data, like)
}
func (c crowded) Sync(p mdstore.Path) error             { c.call(); return c.FS.Sync(p) }
func (c crowded) SyncDir(p mdstore.Path) error          { c.call(); return c.FS.SyncDir(p) }
func (c crowded) Exchange(a, b mdstore.Path) error      { c.call(); return c.FS.Exchange(a, b) }
func (c crowded) RenameNew(from, to mdstore.Path) error { c.call(); return c.FS.RenameNew(from, to) }
func (c crowded) Remove(p mdstore.Path) error           { c.call(); return c.FS.Remove(p) }

// interrupted opens a vault. After begin is called, calls counts the calls of the disk, and save runs before the k-th
// one.
func interrupted(t *testing.T, dir string, k int, save func() error) (s *dirstore.Store, calls *int, begin func()) {
	t.Helper()
	calls, begun := new(int), false
	s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
		return crowded{hasty{d}, calls, func(call int) {
			if begun && call == k {
				if err := save(); err != nil {
					t.Fatal(err)
				}
			}
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, calls, func() { *calls, begun = 0, true }
}

// A person saves a file before each single call of a commit to the disk, in the way of every editor. Their text exists
// afterwards, and so does the commit's if it succeeded.
func TestSavesDuringACommitAreNeverLost(t *testing.T) {
	const human, ours = "the person's line\n", "- child created\n"
	head := "head\n" + strings.Repeat("a line in between\n", 5)
	for name, save := range habits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, refused, merged, beside, unmade := 0, 0, 0, 0, 0
			for _, where := range []string{"alone", "first of several", "last of several"} {
				for k := 1; ; k++ {
					dir := fill(t, map[string]string{"ws/Workspace.md": head, "ws/nodes/root/Node.md": unchanged["ws/nodes/root/Node.md"]})
					path := filepath.Join(dir, "ws", "Workspace.md")
					s, calls, begin := interrupted(t, dir, k, func() error {
						now, err := os.ReadFile(path)
						if err == nil {
							err = save(path, human+string(now))
						}
						return err
					})
					begin()
					changes := []mdstore.Change{{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(head)), New: []byte(head + ours)}}
					switch where {
					case "first of several":
						changes = append(changes, threeFiles()[:2]...)
					case "last of several":
						changes = append(threeFiles()[:2], changes...)
					}
					res, err := s.Commit(t.Context(), changes)
					last := *calls < k
					laid := slices.ContainsFunc(res.Collisions, func(c mdstore.Collision) bool { return c.Unmade && c.Path == "ws/Workspace.md" })
					if e := s.Close(); e != nil {
						t.Fatal(e)
					}
					if last {
						break
					}
					what := fmt.Sprintf("%s, %s, saved before call %d: error %v", name, where, k, err)
					got := contents(t, dir)
					all := ""
					for p, text := range got {
						all += p + "\n" + text
					}
					if !strings.Contains(all, human) {
						t.Errorf("%s: the person's line is lost: %q", what, got)
					}
					_, conflict := errors.AsType[*mdstore.ConflictError](err)
					switch text := got["ws/Workspace.md"]; {
					case err == nil:
						made++
						if !strings.Contains(all, ours) {
							t.Errorf("%s: the commit's line is lost: %q", what, got)
						}
						if laid == strings.Contains(text, ours) {
							t.Errorf("%s: told that the change was not made: %v, and the file holds %q", what, laid, text)
						}
						if laid {
							unmade++
						}
						if strings.Contains(text, human) && strings.Contains(text, ours) {
							merged++
						} else {
							beside++
						}
					case conflict:
						refused++
						if text != human+head || strings.Contains(all, ours) || len(got) != 2 && name != "keep a backup" {
							t.Errorf("%s: something else changed: %q", what, got)
						}
					default:
						t.Error(what)
					}
				}
			}
			t.Logf("%-24s %d made (%d in one file, %d beside, of which %d are the commit's own), %d refused", name, made, merged, beside, unmade, refused)
			if made == 0 || refused == 0 || merged == 0 {
				t.Errorf("%s: the saves did not cover the commit", name)
			}
		})
	}
}

// A person replaces the whole last file of a commit, before each single call of the commit. Then nothing is changed, or
// the commit reports that this change was not made, and where its version is; except if the person saved after the
// change was in the file.
func TestWhatIsNotMadeIsTold(t *testing.T) {
	const human, ours = "the person's text\n", "- child created\n"
	head := "head\n"
	told := 0
	for k := 1; ; k++ {
		dir := fill(t, map[string]string{"ws/Workspace.md": head, "ws/nodes/root/Node.md": unchanged["ws/nodes/root/Node.md"]})
		path := filepath.Join(dir, "ws", "Workspace.md")
		found := ""
		s, calls, begin := interrupted(t, dir, k, func() error {
			now, err := os.ReadFile(path)
			if err == nil {
				found, err = string(now), os.WriteFile(path, []byte(human), 0o644)
			}
			return err
		})
		begin()
		res, err := s.Commit(t.Context(), append(threeFiles()[:2], mdstore.Change{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(head)), New: []byte(head + ours)}))
		last := *calls < k
		collisions := res.Collisions
		if e := s.Close(); e != nil {
			t.Fatal(e)
		}
		if last {
			break
		}
		what, got := fmt.Sprintf("saved before call %d over %q: error %v, collisions %v", k, found, err, collisions), contents(t, dir)
		if got["ws/Workspace.md"] != human {
			t.Errorf("%s: the person's text is not in its place: %q", what, got)
		}
		_, conflict := errors.AsType[*mdstore.ConflictError](err)
		unmade := slices.IndexFunc(collisions, func(c mdstore.Collision) bool { return c.Unmade })
		switch {
		case conflict:
			if len(got) != 2 || got["ws/nodes/root/Node.md"] != unchanged["ws/nodes/root/Node.md"] {
				t.Errorf("%s: something else changed: %q", what, got)
			}
		case err != nil:
			t.Error(what)
		case unmade >= 0:
			told++
			if c := collisions[unmade]; c.Path != "ws/Workspace.md" || got[string(c.Copy)] != head+ours {
				t.Errorf("%s: the commit's version is not there: %q", what, got)
			}
		case !strings.Contains(found, ours):
			t.Errorf("%s: it is not said that the change was not made: %q", what, got)
		}
	}
	if told == 0 {
		t.Error("no save came between the first step and the last")
	}
}

// A person has a file open when a commit replaces it, and writes to it afterwards. The bytes go to the displaced
// version, and are not lost.
func TestSavesThroughAnOpenFileAreNeverLost(t *testing.T) {
	head := "head\n" + strings.Repeat("a line in between\n", 5)
	for text, want := range map[string]string{
		"HEAD\n":   "HEAD\n" + strings.Repeat("a line in between\n", 5) + "- child created\n",
		"\x00\x01": "", // no merge: all lines differ
	} {
		for _, several := range []bool{false, true} {
			dir := fill(t, map[string]string{"ws/Workspace.md": head, "ws/nodes/root/Node.md": unchanged["ws/nodes/root/Node.md"]})
			f, err := os.OpenFile(filepath.Join(dir, "ws", "Workspace.md"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			exchanged, saved, calls := false, false, 0
			s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
				return exchanging{crowded{hasty{d}, &calls, func(int) {
					if exchanged && !saved {
						saved = true
						if want == "" {
							err = f.Truncate(0)
						}
						if _, e := f.WriteAt([]byte(text), 0); e != nil || err != nil {
							t.Error(e, err)
						}
					}
				}}, &exchanged}
			})
			if err != nil {
				t.Fatal(err)
			}
			changes := []mdstore.Change{{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(head)), New: []byte(head + "- child created\n")}}
			if several {
				changes = append(changes, threeFiles()[:2]...)
			}
			_, err = s.Commit(t.Context(), changes)
			// A program that has the file open may still write, so the save is known only when it is closed.
			if e := errors.Join(f.Close(), s.Close()); e != nil {
				t.Error(e)
			}
			if _, err := open(t, dir).Late(t.Context(), true); err != nil {
				t.Error(err)
			}
			got := contents(t, dir)
			switch _, conflict := errors.AsType[*mdstore.ConflictError](err); {
			case !saved:
				t.Skip("files cannot be exchanged here")
			case conflict:
				if !strings.HasPrefix(got["ws/Workspace.md"], text) {
					t.Errorf("%q, several %v: lost: %q", text, several, got)
				}
			case err != nil:
				t.Error(err)
			case want != "" && got["ws/Workspace.md"] != want:
				t.Errorf("%q, several %v: not merged: %q", text, several, got)
			case want == "" && !strings.Contains(fmt.Sprint(got), text):
				t.Errorf("%q, several %v: lost: %q", text, several, got)
			}
		}
	}
}

// exchanging sets done when the first file was exchanged. It does not let a person save before the check of the
// displaced file.
type exchanging struct {
	crowded
	done *bool
}

func (e exchanging) Exchange(a, b mdstore.Path) error {
	if err := e.crowded.Exchange(a, b); err != nil {
		return err
	}
	*e.done = true
	return nil
}

// ReadFile of a temporary file is the check of the displaced file, right after the exchange.
func (e exchanging) ReadFile(p mdstore.Path, limit int64) ([]byte, osfs.Info, error) {
	if strings.HasPrefix(p.Base(), dirstore.TempPrefix) {
		return e.FS.ReadFile(p, limit)
	}
	return e.crowded.ReadFile(p, limit)
}
