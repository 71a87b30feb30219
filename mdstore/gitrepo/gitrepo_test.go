package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"arbor/mdstore"
)

// repo makes a repository with one commit of files, and returns its top.
func repo(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func TestFilesOfARevisionAreThoseOfTheFolder(t *testing.T) {
	dir := repo(t, map[string]string{"vault/ä/Node.md": "one\x00\n", "vault/b.md": "", "else.md": "no"})
	r, err := Open(context.Background(), filepath.Join(dir, "vault"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.Rev(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Files(context.Background(), id, nil)
	if err != nil || len(files) != 2 || string(files["ä/Node.md"]) != "one\x00\n" || files[mdstore.Path("b.md")] == nil {
		t.Errorf("the files of HEAD are %q, %v", files, err)
	}
	for _, bad := range []string{"--help", "-h", "nothing", "", "HEAD:vault/b.md", "a\nb", "--output=x"} {
		if id, err := r.Rev(context.Background(), bad); err == nil {
			t.Errorf("Rev(%q) is %s", bad, id)
		}
	}
}

func TestAFolderOutsideOfRepositoriesIsTold(t *testing.T) {
	if _, err := Open(context.Background(), t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("Open of a folder without git: %v", err)
	}
}

// Git takes a file that is older than its index for unchanged where size and time are the same: a copy of the index is
// as old as the index.
func TestAChangeOfTheSameSecondAndSizeIsInTheSnapshot(t *testing.T) {
	dir := repo(t, map[string]string{"a.md": "x\n"})
	git(t, dir, "config", "core.trustctime", "false")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	old := func(name string) {
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	old("a.md")
	git(t, dir, "update-index", "--refresh")
	old(".git/index")
	write(t, filepath.Join(dir, "a.md"), "z\n")
	old("a.md")
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, names, err := r.Snapshot(t.Context(), "HEAD"); len(names) != 1 || err != nil {
		t.Errorf("changed are %q, %v; want a.md", names, err)
	}
}

// What files held lately is what the commits and stashes have that git's logs name, of each file each text once.
func TestLatelyIsWhatTheLogsName(t *testing.T) {
	dir := repo(t, map[string]string{"vault/a b.md": "a1", "vault/ä.md": "same", "vault/later.md/x": "x", "else.md": "no"})
	at := func(name string) string { return filepath.Join(dir, "vault", name) }
	write(t, at("a b.md"), "a2")
	git(t, dir, "commit", "-qam", "second")
	git(t, dir, "rm", "-rq", "vault/later.md", "vault/ä.md")
	write(t, at("later.md"), "l3")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qam", "third")
	write(t, at("ä.md"), "same")
	write(t, at("new.md"), "same")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "fourth")
	write(t, at("a b.md"), "a5, stashed")
	git(t, dir, "stash", "-q")
	r, err := Open(t.Context(), filepath.Join(dir, "vault"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Lately(t.Context(), r, []mdstore.Path{"a b.md", "ä.md", "later.md", "new.md", "none.md"}, 20)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[mdstore.Path]string{"a b.md": "a1 a2 a5, stashed", "ä.md": "same", "later.md": "l3", "new.md": "same", "none.md": ""} {
		texts := got[p]
		slices.SortFunc(texts, bytes.Compare)
		if has := string(bytes.Join(texts, []byte(" "))); has != want {
			t.Errorf("%s held %q, not %q", p, has, want)
		}
	}
	git(t, dir, "checkout", "-q", "--orphan", "empty")
	git(t, dir, "update-ref", "-d", "refs/stash")
	if got, err := Lately(t.Context(), r, []mdstore.Path{"none.md"}, 20); err != nil || len(got) != 0 {
		t.Errorf("of a branch without a commit: %v, error %v", got, err)
	}
}
