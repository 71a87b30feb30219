package ops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// edited is a vault on a disk whose files a person saves, and an engine on it that does not follow them.
type edited struct {
	env  *ops.Env
	st   *dirstore.Store
	file string // the Node.md of node-a
	wait func() // what happens while the engine waits for a moment
}

func openEdited(t *testing.T, quiet time.Duration) *edited {
	t.Helper()
	dir := tortured(t)
	v := &edited{file: only(t, filepath.Join(dir, "ws*", "nodes", "hub-0", "Node.md")), wait: func() {}}
	var err error
	if v.st, err = dirstore.Open(dir, dirstore.Options{SaveQuiet: quiet}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.st.Close() })
	after := func(time.Duration) <-chan time.Time {
		v.wait()
		c := make(chan time.Time, 1)
		c <- time.Time{}
		return c
	}
	e, err := engine.Open(tctx, v.st, engine.Options{After: after})
	if err != nil {
		t.Fatal(err)
	}
	v.env = &ops.Env{Engine: e}
	return v
}

// A write while an editor saves a file in two pieces waits for the second, and does not call the first one damaged.
func TestAWriteWaitsForTheSecondHalfOfASave(t *testing.T) {
	for name, cut := range map[string]int{"emptied": 0, "cut in the front matter": 20, "cut in the text": -30} {
		t.Run(name, func(t *testing.T) {
			v := openEdited(t, time.Nanosecond)
			whole, err := os.ReadFile(v.file)
			if err != nil {
				t.Fatal(err)
			}
			if cut < 0 {
				cut += len(whole)
			}
			f, err := os.OpenFile(v.file, os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(whole[:cut]); err != nil {
				t.Fatal(err)
			}
			at, err := filepath.Rel(v.st.Dir(), v.file)
			if err != nil {
				t.Fatal(err)
			}
			if !v.st.Saving(tctx, []mdstore.Path{mdstore.Path(filepath.ToSlash(at))}) {
				t.Skip("the system does not tell who has a file open")
			}
			saved := false
			v.wait = func() {
				if !saved {
					saved = true
					_, err := f.Write(whole[cut:])
					if err := f.Close(); err != nil {
						t.Error(err)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
			if cut > 20 { // the first half is a whole document: only the commit sees that it is being saved
				time.AfterFunc(0, v.wait)
			}
			run := opNamed(t, "log_append")
			if _, err := run.Run(tctx, v.env, &ops.LogAppendIn{NodeID: "hub-0", Event: "logged"}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(v.file)
			if err != nil || !strings.Contains(string(got), "logged") || strings.Count(string(got), "third line") != 1 {
				t.Errorf("error %v, the file holds\n%s", err, got)
			}
		})
	}
}

func opNamed(t *testing.T, name string) ops.Operation {
	t.Helper()
	for _, o := range ops.WithoutGit() {
		if o.Name == name {
			return o
		}
	}
	t.Fatal(name)
	return ops.Operation{}
}

// A save that was made from an older version is named by check and by changes, and merged by the next write, which
// tells of it.
func TestAStaleSaveIsReportedAndMerged(t *testing.T) {
	v := openEdited(t, -1)
	old, err := os.ReadFile(v.file)
	if err != nil {
		t.Fatal(err)
	}
	old = []byte(strings.Replace(string(old), "createdAt: 2\n", "createdAt: 2\nupdatedAt: 2\n", 1)) // which proves what a save was made from
	if err := os.WriteFile(v.file, old, 0o644); err != nil {
		t.Fatal(err)
	}
	start := ops.NodeTransitionIn{NodeID: "hub-0", Action: "start"}
	if _, err := ops.NodeTransition(tctx, v.env, start); err != nil {
		t.Fatal(err)
	}
	stale := strings.Replace(string(old), "what people note", "what people note now", 1)
	if err := os.WriteFile(v.file, []byte(stale), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := ops.WorkspaceCheck(tctx, v.env, ops.WorkspaceCheckIn{})
	if err != nil {
		t.Fatal(err)
	}
	codes := ""
	for _, d := range found.Diagnostics {
		codes += d.Code + " "
	}
	if !strings.Contains(codes, "STALE_SAVE") {
		t.Errorf("check finds %s", codes)
	}
	told, err := ops.ChangesGet(tctx, v.env, ops.ChangesGetIn{SessionID: "s"})
	if err != nil || len(told.Met) != 1 {
		t.Errorf("changes_get tells of %v, error %v", told, err)
	}
	if got, _ := os.ReadFile(v.file); string(got) != stale {
		t.Errorf("reading has changed the file:\n%s", got)
	}
	out, err := ops.LogAppend(tctx, v.env, ops.LogAppendIn{NodeID: "hub-1", Event: "elsewhere"})
	if err != nil || len(out.Met) != 1 {
		t.Fatalf("the next write tells of %+v, error %v", out, err)
	}
	got, err := os.ReadFile(v.file)
	for _, want := range []string{"what people note now", "status: planning", "start: pending → planning"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is not there, error %v:\n%s", want, err, got)
		}
	}
}

// only returns the one file that a pattern names.
func only(t *testing.T, pattern string) string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}
