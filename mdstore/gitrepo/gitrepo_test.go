package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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

// A repository that came as a folder may have a configuration of its own. Nothing that it names runs.
func TestHostileConfigurationRunsNothing(t *testing.T) {
	dir := repo(t, map[string]string{"a.md": "x\n", ".gitattributes": "*.md filter=evil diff=evil merge=evil\n"})
	bait := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(dir, "evil.sh")
	write(t, evil, "#!/bin/sh\ntouch '"+bait+"'\ncat\n")
	if err := os.Chmod(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external", "diff.evil.command",
		"diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "credential.helper", "alias.status",
		"gpg.program", "core.alternateRefsCommand", "pager.log", "pager.status"} {
		git(t, dir, "config", key, evil)
	}
	for _, hook := range []string{"post-checkout", "pre-commit", "post-merge", "post-index-change", "reference-transaction"} {
		write(t, filepath.Join(dir, ".git", "hooks", hook), "#!/bin/sh\ntouch '"+bait+"'\n")
		_ = os.Chmod(filepath.Join(dir, ".git", "hooks", hook), 0o755)
	}
	write(t, filepath.Join(dir, "a.md"), "y\n")
	os.Remove(bait)
	r, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status", "--porcelain"}, {"diff", "--no-ext-diff"}, {"log", "-p"}, {"add", "a.md"}, {"checkout-index", "-f", "-a"}, {"fetch", "ssh://localhost:1/x"}} {
		_, _ = r.Run(context.Background(), nil, args...)
		if _, err := os.Lstat(bait); err == nil {
			t.Fatalf("git %q ran a command of the repository's own configuration", args)
		}
	}
}
