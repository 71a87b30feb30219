package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
	"arbor/mdstore/pgstore/pgtest"
)

// A person at a machine of their own, with a vault on a server.
type person struct {
	*testing.T
	dir, home, vault, editor string
}

// arbor runs a command and returns what it prints to stdout and stderr, and its exit code.
func (p person) arbor(args ...string) (out, said string, code int) {
	p.Helper()
	var stdout, stderr bytes.Buffer
	sys := cli.System{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: p.dir, Getenv: func(name string) string {
		return map[string]string{"HOME": p.home, "ARBOR_VAULT": p.vault, "EDITOR": p.editor}[name]
	}}
	code = run(p.Context(), sys)
	return stdout.String(), stderr.String(), code
}

// must runs a command that must succeed.
func (p person) must(args ...string) string {
	p.Helper()
	out, said, code := p.arbor(args...)
	if code != 0 {
		p.Fatalf("arbor %q: code %d\n%s%s", args, code, out, said)
	}
	return out
}

func newPerson(t *testing.T, vault string) person {
	return person{t, lay(t, map[string]string{".git/HEAD": ""}), lay(t, nil), vault, ""}
}

// Two people on two machines work on one plan.
func TestTwoPeopleOnOneServer(t *testing.T) {
	address := pgtest.Address(t)
	ann, ben := newPerson(t, address), newPerson(t, address)
	if _, said, code := ann.arbor("status"); code != 3 || !strings.Contains(said, "arbor init --vault ADDRESS") {
		t.Errorf("status without a vault: code %d, %s", code, said)
	}
	if out := ann.must("init", "Plan", "--dry-run"); !strings.Contains(out, "Plan") {
		t.Errorf("init --dry-run: %s", out)
	}
	ann.must("init", "Plan")
	for _, title := range []string{"One", "Two"} {
		ann.must("add", title)
	}
	if got, want := ben.must("list"), ann.must("list"); got != want || !strings.Contains(got, "One") {
		t.Errorf("ben's list\n%s\nann's list\n%s", got, want)
	}
	took := func(p person, as string) string {
		var next struct{ Nodes []struct{ Title string } }
		if err := json.Unmarshal([]byte(p.must("next", "--claim", "--session", as, "--json")), &next); err != nil || len(next.Nodes) == 0 {
			t.Fatalf("next --claim: %+v, error %v", next, err)
		}
		return next.Nodes[0].Title
	}
	if a, b := took(ann, "ann-1"), took(ben, "ben-1"); a == b {
		t.Errorf("both have claimed %q", a)
	}
	if out := ben.must("search", "two"); !strings.Contains(out, "Two") {
		t.Errorf("search: %s", out)
	}
	ben.must("undo")
	if out := ann.must("list"); strings.Contains(out, "Two") {
		t.Errorf("ben's undo of ann's last change left:\n%s", out)
	}
	ben.editor = "sed -i s/^title:.*/title:\\ First/"
	if out := ben.must("edit", "One"); !strings.Contains(out, "changed: title") {
		t.Errorf("edit: %s", out)
	}
	if out := ann.must("list"); !strings.Contains(out, "First") {
		t.Errorf("ann's list after ben's edit:\n%s", out)
	}
	if out := ann.must("check"); out != "" {
		t.Errorf("check: %s", out)
	}
}

func TestWhoNamesAServer(t *testing.T) {
	address := pgtest.Address(t)
	p := newPerson(t, "")
	if err := os.WriteFile(filepath.Join(p.dir, "arbor.toml"), []byte("vault = \""+address+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, said, code := p.arbor("init", "Plan", "--dry-run"); code == 0 && strings.Contains(out+said, "postgres") {
		t.Errorf("arbor.toml names a server: code %d\n%s%s", code, out, said)
	}
	if _, said, code := p.arbor("list"); code == 0 || !strings.Contains(said, "names a server, and is ignored in a shared file") {
		t.Errorf("list: code %d, %s", code, said)
	}
	if err := os.Remove(filepath.Join(p.dir, "arbor.toml")); err != nil {
		t.Fatal(err)
	}
	if _, said, code := p.arbor("list", "--vault", strings.Replace(address, "arbor@", "arbor:hunter2@", 1)); code != 2 ||
		!strings.Contains(said, "~/.pgpass") || strings.Contains(said, "hunter2") {
		t.Errorf("a password in the address: code %d, %s", code, said)
	}
	p.must("admin", "config", "set", "--user", "vault="+address)
	p.must("init", "Plan")
	if out := p.must("admin", "where"); !strings.Contains(out, "postgres://arbor@/") || !strings.Contains(out, p.dir) {
		t.Errorf("admin where: %s", out)
	}
	places, _ := filepath.Glob(filepath.Join(p.home, ".local/state/arbor/vaults/*"))
	if len(places) != 2 {
		t.Errorf("the person's state has %q, want a folder for the vault and the own name", places)
	}
}

// A folder is copied to a server and back, and is the same.
func TestVaultCopy(t *testing.T) {
	address := pgtest.Address(t)
	p := newPerson(t, "")
	p.must("init", "Plan")
	p.must("add", "One")
	vault := filepath.Join(p.dir, ".tanmi-workspace")
	given := map[string]string{"attached/notes.txt": "a person's\r\n", "attached/empty": "", "attached/x/a b.md": "\xef\xbb\xbfé\n",
		"sessions.json": "{}", ".obsidian/app.json": "{}"}
	for name, text := range given {
		file := filepath.Join(vault, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if out := p.must("admin", "vault", "copy", ".", address, "--dry-run"); !strings.Contains(out, "would be written") {
		t.Errorf("--dry-run: %s", out)
	}
	for range 2 {
		if out := p.must("admin", "vault", "copy", ".", address); !strings.Contains(out, "both vaults are equal") {
			t.Errorf("copy: %s", out)
		}
	}
	back := filepath.Join(p.dir, "back")
	p.must("admin", "vault", "copy", address, back)
	there := filesBelow(t, vault)
	delete(there, "sessions.json")
	if diff := differences(there, filesBelow(t, back)); diff != "" {
		t.Errorf("the copy of the copy differs: %s", diff)
	}
	p.must("add", "Two")
	if _, said, code := p.arbor("admin", "vault", "copy", ".", address); code == 0 || !strings.Contains(said, "no unfinished copy") {
		t.Errorf("a copy onto another vault: code %d, %s", code, said)
	}
	st := pgtest.OpenAt(t, address, "other")
	if err := st.WriteLocal(t.Context(), copyMark, []byte(vault+"\n")); err != nil { // as an interrupted copy leaves it
		t.Fatal(err)
	}
	p.must("admin", "vault", "copy", ".", address)
	if n := strings.Count(p.must("list", "--vault", address), "\n"); n != 3 {
		t.Errorf("%d lines after the copy went on", n)
	}
}

// Rows that another program has written, which no folder can hold or which would lead git astray, are left out of a
// copy, and named without their control characters. The rest is copied.
func TestVaultCopyLeavesOutWhatNoFolderMayHold(t *testing.T) {
	address := pgtest.Address(t)
	p := newPerson(t, address)
	p.must("init", "Plan")
	st := pgtest.OpenAt(t, address, "other")
	psql, err := pgtest.Program("psql")
	u, err2 := url.Parse(address)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	hostile := []string{"../x", "/etc/evil", ".git/config", ".git/HEAD", "ws/.GIT/hooks/x", ".LOCAL/people.json", "git~1/config", ".git",
		"a\\b", "a\nb", "\x1b[31mred", "arbor/../x", ".local/@other/../../x", strings.Repeat("n", 300), strings.Repeat("a/", 3000) + "x", "huge.md"}
	for _, path := range append(hostile, "kept.md", "kept.md/below") {
		bytes := "'x'::bytea"
		if path == "huge.md" {
			bytes = "convert_to(repeat('x', 5000000), 'UTF8')"
		}
		run := fmt.Sprintf(`INSERT INTO arbor.files (vault, path, bytes, version)
			SELECT n, $j$%s$j$, %s, '' FROM arbor.vaults WHERE id = '%s'`, path, bytes, st.ID())
		if said, err := exec.Command(psql, "-h", u.Query().Get("host"), "-U", "arbor", "-d", "postgres", "-c", run).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", said, err)
		}
	}
	to := filepath.Join(p.dir, "copy")
	out, said, code := p.arbor("admin", "vault", "copy", address, to)
	if code != 0 || !strings.Contains(out, "both vaults are equal") || strings.ContainsAny(said, "\x1b") {
		t.Errorf("code %d, %s%s", code, out, said)
	}
	for name := range filesBelow(t, to) {
		if strings.Contains(strings.ToLower(name), ".git/") || strings.HasPrefix(name, ".L") || name == "huge.md" || strings.HasPrefix(name, "kept.md/") {
			t.Errorf("%s was copied", name)
		}
	}
	if filesBelow(t, to)["kept.md"] != "x" || strings.Count(said, "left out: ") != len(hostile) { // one is of another machine, one below kept.md
		t.Errorf("the copy has %v, left out: %s", filesBelow(t, to), said)
	}
}

func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == ".local" {
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			data, failed := os.ReadFile(filepath.Join(dir, name))
			all[name], err = string(data), failed
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, error %v", len(all), err)
	}
	return all
}

func differences(a, b map[string]string) (out string) {
	for name := range a {
		if b[name] != a[name] {
			out += " " + name
		}
	}
	for name := range b {
		if _, there := a[name]; !there {
			out += " " + name
		}
	}
	return out
}
