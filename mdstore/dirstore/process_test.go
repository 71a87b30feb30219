package dirstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// childEnv names the job of a copy of the test binary, which then does not run the tests.
const childEnv = "DIRSTORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(strings.Split(job, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start starts a copy of the test binary that does a job.
func start(t *testing.T, job ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(job, "|"))
	cmd.Stderr = os.Stderr
	return cmd
}

func child(job []string) error {
	ctx := context.Background()
	switch job[0] {
	case "commit": // dir, step to die before
		s, err := openMortal(job[1], job[2])
		if err != nil {
			return err
		}
		return only(s.Commit(ctx, threeFiles()))
	case "recover": // dir, step to die before
		_, err := openMortal(job[1], job[2])
		return err
	case "append": // dir, name, rounds
		return appendLines(ctx, job[1], job[2], job[3])
	case "hold": // dir: takes the lock, says so, and waits to be killed
		s, err := dirstore.Open(job[1], dirstore.Options{SaveQuiet: -1})
		if err != nil {
			return err
		}
		return s.Update(ctx, func(mdstore.Tx) error {
			fmt.Println("holding")
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
			return nil
		})
	}
	return fmt.Errorf("no such job: %q", job)
}

// A mortal disk kills its process before the nth call that changes something.
type mortal struct {
	osfs.FS
	left *int
}

func openMortal(dir, n string) (*dirstore.Store, error) {
	left, err := strconv.Atoi(n)
	if err != nil {
		return nil, err
	}
	return dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS { return mortal{d, &left} })
}

func (m mortal) step() {
	if *m.left--; *m.left == 0 {
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
}

func (m mortal) Mkdir(p mdstore.Path) error { m.step(); return m.FS.Mkdir(p) }
func (m mortal) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	m.step()
	return m.FS.Create(p, data, like)
}
func (m mortal) Sync(p mdstore.Path) error             { m.step(); return m.FS.Sync(p) }
func (m mortal) SyncDir(p mdstore.Path) error          { m.step(); return m.FS.SyncDir(p) }
func (m mortal) Exchange(a, b mdstore.Path) error      { m.step(); return m.FS.Exchange(a, b) }
func (m mortal) RenameNew(from, to mdstore.Path) error { m.step(); return m.FS.RenameNew(from, to) }
func (m mortal) Rename(from, to mdstore.Path) error    { m.step(); return m.FS.Rename(from, to) }
func (m mortal) Remove(p mdstore.Path) error           { m.step(); return m.FS.Remove(p) }

var (
	unchanged = map[string]string{"ws/Workspace.md": "ws\n", "ws/nodes/root/Node.md": "root planning\n"}
	changed   = map[string]string{"ws/Workspace.md": "ws\n- child created\n", "ws/nodes/root/Node.md": "root monitoring\n", "ws/nodes/n/Node.md": "child\n"}
)

func threeFiles() []mdstore.Change {
	base := func(p string) mdstore.Version { return mdstore.VersionOf([]byte(unchanged[p])) }
	return []mdstore.Change{
		{Path: "ws/nodes/n/Node.md", New: []byte(changed["ws/nodes/n/Node.md"])},
		{Path: "ws/nodes/root/Node.md", Base: base("ws/nodes/root/Node.md"), New: []byte(changed["ws/nodes/root/Node.md"])},
		{Path: "ws/Workspace.md", Base: base("ws/Workspace.md"), New: []byte(changed["ws/Workspace.md"])},
	}
}

// contents returns every file below dir except in .local/, and every empty folder.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		if rel == mdstore.LocalDir && !d.IsDir() {
			return nil
		}
		if d.IsDir() {
			if rel == mdstore.LocalDir {
				return fs.SkipDir
			}
			if entries, err := os.ReadDir(p); err == nil && len(entries) == 0 {
				out[rel+"/"] = ""
			}
			return nil
		}
		data, err := os.ReadFile(p)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func fill(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := newVault(t)
	for p, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(p)), text)
	}
	return dir
}

// killed runs a job that is expected to be killed, and reports whether it was.
func killed(t *testing.T, job ...string) bool {
	t.Helper()
	err := start(t, job...).Run()
	if err == nil {
		return false
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Exited() {
		t.Fatalf("%q: %v", job, err)
	}
	return true
}

// heavy selects the loads of the nightly run.
var heavy = os.Getenv("ARBOR_HEAVY") != ""

// The process is killed before each step of a commit, and again before each step of the recovery, from every such state
// if heavy, otherwise from some.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	kills, again, none, all := 0, 0, 0, 0
	check := func(dir, what string) {
		t.Helper()
		open(t, dir)
		switch got := contents(t, dir); {
		case maps.Equal(got, unchanged):
			none++
		case maps.Equal(got, changed):
			all++
		default:
			t.Errorf("%s: neither all nor none: %q", what, got)
		}
		left, _ := os.ReadDir(filepath.Join(dir, ".local", "journal"))
		for _, e := range left {
			if e.Name() == "README" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, ".local", "journal", e.Name()))
			t.Errorf("%s: the journal still holds %s: %q, error %v", what, e.Name(), text, err)
		}
		if err := only(open(t, dir).Commit(t.Context(), []mdstore.Change{{Path: "ws/next", New: []byte("next")}})); err != nil {
			t.Errorf("%s: the next commit: %v", what, err)
		}
	}
	for k := 1; ; k++ {
		dir := fill(t, unchanged)
		if !killed(t, "commit", dir, strconv.Itoa(k)) {
			check(dir, "not killed at all")
			break
		}
		kills++
		for j := 1; ; j++ {
			if !heavy && k%9 != 2 {
				break
			}
			copied := filepath.Join(t.TempDir(), "vault")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if !killed(t, "recover", copied, strconv.Itoa(j)) {
				break
			}
			again++
			check(copied, fmt.Sprintf("killed before step %d, and before step %d of the recovery", k, j))
		}
		check(dir, fmt.Sprintf("killed before step %d", k))
	}
	t.Logf("%d kills in the commit, %d in the recovery: %d times none, %d times all", kills, again, none, all)
	if kills < 20 || again < 20 || none == 0 || all == 0 {
		t.Errorf("the kills did not cover the commit: %d, %d, %d, %d", kills, again, none, all)
	}
}

// appendLines commits repeatedly: another line in a shared file, and a file of its own.
func appendLines(ctx context.Context, dir, name, rounds string) error {
	n, err := strconv.Atoi(rounds)
	if err != nil {
		return err
	}
	s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		return err
	}
	for i := range n {
		err := s.Update(ctx, func(st mdstore.Tx) error {
			f, err := st.Read(ctx, "ws/Workspace.md")
			if err != nil {
				return err
			}
			own := fmt.Sprintf("%s-%03d", name, i)
			return only(st.Commit(ctx, []mdstore.Change{
				{Path: mdstore.Path("ws/nodes/" + own + "/Node.md"), New: []byte(own)},
				{Path: f.Path, Base: f.Version, New: append(f.Data[:len(f.Data):len(f.Data)], own+"\n"...)},
			}))
		})
		if err != nil {
			return err
		}
	}
	return s.Close()
}

func TestTwoProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	rounds := 40
	if heavy {
		rounds = 100
	}
	dir := fill(t, unchanged)
	names := []string{"one", "two"}
	var running []*exec.Cmd
	for _, name := range names {
		cmd := start(t, "append", dir, name, strconv.Itoa(rounds))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	got := contents(t, dir)
	lines := map[string]bool{}
	for l := range strings.Lines(got["ws/Workspace.md"]) {
		lines[strings.TrimSpace(l)] = true
	}
	kept := 0
	for _, name := range names {
		for i := range rounds {
			own := fmt.Sprintf("%s-%03d", name, i)
			if lines[own] {
				kept++
			}
			if got["ws/nodes/"+own+"/Node.md"] == own {
				kept++
			}
		}
	}
	t.Logf("%d of %d", kept, 4*rounds)
	if want := len(names)*rounds + len(unchanged); kept != 4*rounds || len(got) != want {
		t.Errorf("%d of %d lines and files, %d files in all, want %d", kept, 4*rounds, len(got), want)
	}
}

// The system releases the lock of a killed process.
func TestLockOfADeadProcessIsFree(t *testing.T) {
	dir := fill(t, unchanged)
	cmd := start(t, "hold", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "holding\n" {
		t.Fatalf("%q, error %v", line, err)
	}
	s := open(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	_, err = s.Commit(ctx, threeFiles())
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) {
		t.Errorf("error %v, want context.DeadlineExceeded and process %d", err, cmd.Process.Pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
		t.Error(err)
	}
}
