package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func project(t *testing.T, files map[string]string) docs {
	t.Helper()
	d := projectIn(t, t.TempDir(), files)
	t.Cleanup(func() { d.root.Close() })
	return d
}

func projectIn(t interface{ Fatal(...any) }, dir string, files map[string]string) docs {
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := openDocs(dir, filepath.Join(dir, "vault"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func listed(t *testing.T, d docs, dir string, most int) string {
	t.Helper()
	found, more, err := d.Tree(t.Context(), dir, most)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, x := range found {
		if x.Folder {
			x.Path += "/"
		} else if x.Modified == 0 {
			t.Errorf("%s has no time", x.Path)
		}
		all = append(all, x.Path)
	}
	if more {
		all = append(all, "…")
	}
	return strings.Join(all, " ")
}

// Patterns match as in git.
func TestIgnoresWhatGitIgnores(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	names := []string{"a", "b.log", "foo", "x y", "#c", "!d", "star*", "q", "[e]"}
	patterns := []string{"a", "/a", "a/", "*.log", "!b.log", "foo/*", "foo/**", "**/q", "a/**/q", "/foo/a", "x y", "x*  ", "\\#c", "\\!d", "star\\*", "?", "[a-b]*",
		"[!a]", "*", "!foo/", "!*/", "# no", "", "a/q", "**", "f*o", "\\[e\\]"}
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for _, way := range rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(names), 1, 3), 1, 8).Draw(t, "files") {
			files[strings.Join(way, "/")+"/file.log"] = ""
			files[strings.Join(way, "/")+"/file"] = ""
		}
		lines := rapid.SliceOfN(rapid.SampledFrom(patterns), 0, 4)
		files[".gitignore"] = strings.Join(lines.Draw(t, "rules"), "\n")
		files["foo/.gitignore"] = strings.Join(lines.Draw(t, "rules of foo"), "\n")
		dir, err := os.MkdirTemp("", "arbor")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		d := projectIn(t, dir, files)
		defer d.root.Close()
		git := func(args ...string) string {
			out, err := exec.Command("git", append([]string{"-C", dir, "-c", "core.excludesFile=", "-c", "core.quotePath=false"}, args...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		}
		git("init", "-q")
		want := strings.Split(strings.TrimSuffix(git("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
		found, _, err := d.Tree(context.Background(), ".", 1000)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, x := range found {
			if !x.Folder {
				got = append(got, x.Path)
			}
		}
		slices.Sort(got)
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Fatalf("%q\n got %q\nwant %q", files, got, want)
		}
	})
}

func TestTreeIsBreadthFirstAndLeavesOutWhatGitIgnores(t *testing.T) {
	d := project(t, map[string]string{
		".gitignore": "*.log\n/build/\n!keep.log\n# words\nsub/*.tmp\n\\#odd\n**/gen/**\nnode_modules/\nbad[\n",
		"a.md":       "", "x.log": "", "keep.log": "", "build/x": "", "#odd": "", ".git/config": "", ".env": "", "vault/Workspace.md": "",
		"job/build/y": "", "job/.gitignore": "secret*\n!x.log\n", "job/secret.md": "", "job/x.log": "", "job/sub/z.tmp": "", "job/gen/g/h": "",
		"job/node_modules/m/i.js": "", "job/deep/secret": "", "job/deep/er/q.md": "", "sub/z.tmp": "", "sub/z.txt": "",
	})
	if err := os.Symlink(os.TempDir(), filepath.Join(d.project, "job", "link")); err != nil {
		t.Skip(err)
	}
	want := ".env .gitignore a.md job/ keep.log sub/ job/.gitignore job/build/ job/deep/ job/gen/ job/sub/ job/x.log sub/z.txt job/build/y job/deep/er/ job/sub/z.tmp job/deep/er/q.md"
	if got := listed(t, d, ".", 100); got != want {
		t.Errorf("got\n %s\nwant\n %s", got, want)
	}
	if got := listed(t, d, "job/deep", 100); got != "job/deep/er/ job/deep/er/q.md" {
		t.Errorf("a folder below: %s", got)
	}
	if got := listed(t, d, filepath.Join(d.project, "sub"), 100); got != "sub/z.txt" {
		t.Errorf("an absolute folder: %s", got)
	}
	if got := listed(t, d, ".", 3); got != ".env .gitignore a.md …" {
		t.Errorf("three: %s", got)
	}
	for dir, want := range map[string]error{"gone": fs.ErrNotExist, "a.md": fs.ErrNotExist, "..": fs.ErrPermission, "/etc": fs.ErrPermission,
		"job/link": fs.ErrPermission, "": fs.ErrNotExist, "job/link/x": fs.ErrPermission} {
		if found, _, err := d.Tree(t.Context(), dir, 9); !errors.Is(err, want) {
			t.Errorf("Tree(%q): %v %v, want %v", dir, found, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := d.Tree(ctx, ".", 9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
