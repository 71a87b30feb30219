package gitrepo

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostileKeys are settings of git that name a program, as git config writes them; NAME is the name of a driver.
var hostileKeys = []string{
	"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy", "core.alternateRefsCommand", "sequence.editor",
	"diff.external", "diff.NAME.command", "diff.NAME.textconv", "filter.NAME.clean", "filter.NAME.smudge", "filter.NAME.process",
	"merge.NAME.driver", "credential.helper", "credential.NAME.helper", "alias.status", "pager.status", "pager.log", "pager.diff",
	"gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "interactive.diffFilter", "uploadpack.packObjectsHook", "gc.recentObjectsHook",
	"hook.NAME.command", "remote.hub.uploadpack", "remote.hub.receivepack", "remote.URL.uploadpack",
}

// hostileNames are names of drivers. Attributes can name those without a blank.
var hostileNames = []string{"plain", "x=y", "=", "a.b=c.d", `q"x=`, `back\slash`, "Größe=1", "UPPER=lower", "-c=d", "#x;y", "sp ace=", "https://x=y.example/"}

// hostilePlaces say how a configuration that a folder brings is read: its own file, one that this includes, always or
// on a condition, and that of a working tree.
var hostilePlaces = []string{"config", "include", "includeIf", "worktree"}

// bait makes a program for each key, which notes in a file that it ran.
type bait struct{ dir, ran string }

func newBait(t *testing.T) bait {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	return bait{dir, filepath.Join(dir, "ran")}
}

func (b bait) program(t *testing.T, key string) string {
	t.Helper()
	path := filepath.Join(b.dir, fmt.Sprintf("%x", key))
	if _, err := os.Lstat(path); err != nil {
		write(t, path, "#!/bin/sh\necho '"+key+"' \"$@\" >>'"+b.ran+"'\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// took returns what ran since the last call.
func (b bait) took() string {
	data, _ := os.ReadFile(b.ran)
	os.Remove(b.ran)
	return string(data)
}

// plant gives a repository every hostile key and every hook, in one of the places.
func (b bait) plant(t *testing.T, dir, name, place, url string) {
	t.Helper()
	var text strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	set := func(key, value string) {
		section, rest, _ := strings.Cut(key, ".")
		if i := strings.LastIndexByte(rest, '.'); i >= 0 {
			section, rest = fmt.Sprintf(`%s "%s"`, section, quote(rest[:i])), rest[i+1:]
		}
		fmt.Fprintf(&text, "[%s]\n\t%s = \"%s\"\n", section, rest, quote(value))
	}
	for _, key := range hostileKeys {
		set(strings.NewReplacer("NAME", name, "URL", url).Replace(key), b.program(t, key))
	}
	set("hook."+name+".event", "post-index-change")
	set("filter."+name+".required", "true")
	set("gpg.format", "ssh")
	set("commit.gpgSign", "true")
	set("push.negotiate", "true")
	set("log.showSignature", "true")
	git(t, dir, "config", "remote.hub.url", url)
	git(t, dir, "config", "remote.hub.fetch", "+refs/heads/*:refs/remotes/hub/*")
	own := filepath.Join(dir, ".git", "config")
	was, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	switch other := filepath.Join(dir, ".git", "other"); place {
	case "config":
		write(t, own, string(was)+text.String())
	case "include":
		write(t, other, text.String())
		write(t, own, string(was)+"[include]\n\tpath = other\n")
	case "includeIf":
		write(t, other, text.String())
		write(t, own, string(was)+"[includeIf \"onbranch:main\"]\n\tpath = other\n")
	case "worktree":
		write(t, own, string(was)+"[extensions]\n\tworktreeConfig = true\n")
		write(t, own+".worktree", text.String())
	}
	for _, hook := range []string{"pre-commit", "post-checkout", "post-merge", "post-index-change", "reference-transaction", "pre-push", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman"} {
		write(t, filepath.Join(dir, ".git", "hooks", hook), "#!/bin/sh\necho hook "+hook+" >>'"+b.ran+"'\n")
		_ = os.Chmod(filepath.Join(dir, ".git", "hooks", hook), 0o755)
	}
}

// everything calls what Arbor does with git in a folder.
func everything(t *testing.T, dir string, after func(what string)) {
	t.Helper()
	ctx := context.Background()
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, err error) { after(fmt.Sprint(what, ": ", err)) }
	try("Open", nil)
	_, err = StatusOf(ctx, r.Top)
	try("StatusOf", err)
	h, err := r.Head(ctx)
	try("Head", err)
	first, err := r.Rev(ctx, "HEAD~1")
	try("Rev", err)
	_, err = r.Between(ctx, first, h.Commit)
	try("Between", err)
	_, err = r.SinceCommit(ctx, first)
	try("SinceCommit", err)
	_, err = r.Files(ctx, h.Commit, nil)
	try("Files", err)
	_, err = r.FileLog(ctx, h.Commit, "a.md", time.Time{}, 0)
	try("FileLog", err)
	_, err = r.Blame(ctx, "a.md", []byte("z\n"))
	try("Blame", err)
	_, err = r.Filtered(ctx, []string{"a.md"})
	try("Filtered", err)
	try("Nobody", fmt.Errorf("%v", r.Nobody(ctx)))
	tree, names, err := r.Snapshot(ctx, h.Commit)
	try("Snapshot", err)
	try("Stage", r.Stage(ctx, names))
	commit, err := r.NewCommit(ctx, tree, "second", h.Commit)
	try("NewCommit", err)
	try("Advance", r.Advance(ctx, h.Commit, commit, "test"))
	_, _, err = r.MergeTrees(ctx, commit, "side")
	try("MergeTrees", err)
	_, err = r.Logged(ctx, first, commit)
	try("Logged", err)
	_, err = r.Fetch(ctx, h)
	try("Fetch", err)
	try("Push", r.Push(ctx, h, commit))
	for _, side := range []string{first, h.Commit, commit} {
		try("Switch", r.Switch(ctx, commit, side))
		try("Switch back", r.Switch(ctx, side, commit))
	}
	_, err = r.Run(ctx, nil, "checkout-index", "-f", "-u", "--", "a.md")
	try("checkout-index", err)
	_, err = r.Run(ctx, nil, "hash-object", "-w", "--path=a.md", "--stdin")
	try("hash-object", err)
	try("Ignored", fmt.Errorf("%v", Ignored(ctx, r)))
	_, _, err = SetDriver(ctx, r, "", true)
	try("SetDriver", err)
}

// A repository that came as a folder may have a configuration of its own. Nothing that it names runs, whatever the key,
// the name in it, and the file that it stands in.
func TestNothingThatARepositoryNamesRuns(t *testing.T) {
	b := newBait(t)
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`) // git asks its credential helpers
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer remote.Close()
	urls := []string{remote.URL, "ssh://127.0.0.1:1/x", "git://127.0.0.1:1/x", "ext::" + b.program(t, "ext")}
	for i, name := range hostileNames {
		place := hostilePlaces[i%len(hostilePlaces)]
		dir := hostile(t, b, name, place, urls[(i+i/4)%len(urls)])
		everything(t, dir, func(what string) {
			if ran := b.took(); ran != "" {
				t.Errorf("name %q in the %s: %s: ran %s", name, place, what, ran)
			}
		})
	}
}

// hostile makes a repository with two commits, a branch side, a changed file, a submodule, and the bait.
func hostile(t *testing.T, b bait, name, place, url string) string {
	dir := repo(t, map[string]string{"a.md": "x\n"})
	git(t, dir, "branch", "side")
	if !strings.ContainsAny(name, " \t") {
		write(t, filepath.Join(dir, ".gitattributes"), fmt.Sprintf("*.md filter=%s diff=%s merge=%s\n", name, name, name))
		write(t, filepath.Join(dir, ".git", "info", "attributes"), fmt.Sprintf("*.md filter=%s\n", name))
	}
	inner := filepath.Join(dir, "inner")
	git(t, dir, "init", "-q", inner)
	write(t, filepath.Join(inner, "a.md"), "x\n")
	git(t, inner, "add", "-A")
	git(t, inner, "commit", "-q", "-m", "first")
	write(t, filepath.Join(dir, "a.md"), "y\n")
	write(t, filepath.Join(dir, ".gitmodules"), "[submodule \"inner\"]\n\tpath = inner\n\turl = ./inner\n")
	git(t, dir, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
	git(t, dir, "commit", "-q", "-m", "second")
	git(t, dir, "config", "branch.main.remote", "hub")
	git(t, dir, "config", "branch.main.merge", "refs/heads/main")
	b.plant(t, inner, name, "config", url)
	b.plant(t, dir, name, place, url)
	write(t, filepath.Join(dir, "a.md"), "z\n")
	write(t, filepath.Join(inner, "a.md"), "z\n")
	b.took()
	return dir
}

// The bait of the test above is taken by git as it is.
func TestGitAloneRunsWhatARepositoryNames(t *testing.T) {
	b := newBait(t)
	for i, name := range hostileNames[:4] {
		dir := hostile(t, b, name, hostilePlaces[i], "ssh://127.0.0.1:1/x")
		for _, args := range [][]string{{"status"}, {"ls-remote", "hub"}, {"checkout", "HEAD~1", "--", "a.md"}} {
			cmd := exec.CommandContext(t.Context(), "git", args...)
			cmd.Dir = dir
			_ = cmd.Run()
		}
		ran := b.took()
		for _, key := range []string{"core.fsmonitor", "core.sshCommand", "filter.NAME."} {
			if !strings.Contains(ran, key) {
				t.Errorf("name %q in the %s: git runs no %s, but %q", name, hostilePlaces[i], key, ran)
			}
		}
	}
}

// What a person's own configuration and environment say counts, as if the repository said nothing.
func TestThePersonsOwnSettingsStand(t *testing.T) {
	b := newBait(t)
	dir := hostile(t, b, "x=y", "config", "ssh://127.0.0.1:1/x")
	home := filepath.Join(t.TempDir(), "gitconfig")
	write(t, home, "[credential]\n\thelper = mine\n[diff \"x=y\"]\n\ttextconv = own\n[core]\n\tsshCommand = myssh\n")
	t.Setenv("GIT_CONFIG_GLOBAL", home)
	t.Setenv("GIT_CONFIG_COUNT", "2")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "Ann")
	t.Setenv("GIT_CONFIG_KEY_1", "credential.helper")
	t.Setenv("GIT_CONFIG_VALUE_1", "further")
	ctx := context.Background()
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"user.name": "Ann\n", "core.sshCommand": "myssh\n", "diff.x=y.textconv": "own\n", "core.hooksPath": os.DevNull + "\n",
	} {
		if got, err := r.Run(ctx, nil, "config", key); string(got) != want || err != nil {
			t.Errorf("git config %s is %q, %v; want %q", key, got, err, want)
		}
	}
	all, _ := r.Run(ctx, nil, "config", "--get-all", "credential.helper")
	if _, got, _ := strings.Cut(string(all), "\n\n"); got != "mine\nfurther\n" {
		t.Errorf("after the reset, the helpers are %q", got)
	}
	if ran := b.took(); ran != "" {
		t.Errorf("ran %s", ran)
	}
}

// A push runs the hooks of the repository that it reaches. One in the folder itself came with the folder.
func TestNoPushReachesARepositoryInTheFolder(t *testing.T) {
	b := newBait(t)
	dir := repo(t, map[string]string{"a.md": "x\n"})
	inner := filepath.Join(dir, "inner.git")
	git(t, dir, "init", "-q", "--bare", inner)
	write(t, filepath.Join(inner, "hooks", "post-receive"), "#!/bin/sh\necho hook >>'"+b.ran+"'\n")
	if err := os.Chmod(filepath.Join(inner, "hooks", "post-receive"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"./inner.git", "inner.git", inner, "file://" + inner, "sub/../inner.git", ".git", "file://" + dir} {
		git(t, dir, "config", "remote.hub.url", url)
		r, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		id, err := r.Rev(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		err = r.Push(t.Context(), Head{Remote: "hub", Upstream: "refs/heads/x"}, id)
		if ran := b.took(); err == nil || !strings.Contains(err.Error(), "in this folder") || ran != "" {
			t.Errorf("a push to %s: %v, ran %q", url, err, ran)
		}
	}
}
