package ops_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/env/command"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// writerVault is the environment variable that makes the test binary a writer; it names the writer and the vault.
const writerVault = "ARBOR_TEST_WRITER"

func TestMain(m *testing.M) {
	if code, started := command.Main(os.Args[1:]); started { // for the program of a tool
		os.Exit(code)
	}
	if v := os.Getenv(workerJob); v != "" {
		if err := work(v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if v := os.Getenv(serverJob); v != "" {
		if err := writeToServer(v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if v := os.Getenv(tracerVault); v != "" {
		if err := leaveTraces(v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if v := os.Getenv(writerVault); v != "" {
		name, dir, _ := strings.Cut(v, "=") // "one=/path/of/the/vault"
		if err := write(dir, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if v := os.Getenv(claimerVault); v != "" {
		session, dir, _ := strings.Cut(v, "=")
		if err := claimAndWork(dir, session); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const each = 100 // log entries and nodes that a writer makes

// alone opens an engine over a vault for a process of its own, which has five minutes. end closes it.
func alone(dir string, opt engine.Options) (ctx context.Context, e *engine.Engine, end func(), err error) {
	st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	e, err = engine.Open(ctx, st, opt)
	return ctx, e, func() { cancel(); st.Close() }, err
}

// write logs and creates in turn, each time expecting success.
func write(dir, name string) error {
	ctx, e, end, err := alone(dir, engine.Options{})
	if err != nil {
		return err
	}
	defer end()
	env := &ops.Env{Engine: e}
	for i := range each {
		title := fmt.Sprintf("%s %d", name, i)
		if _, err := ops.LogAppend(ctx, env, ops.LogAppendIn{In: ops.In{WorkspaceID: ws}, NodeID: "root", Event: title}); err != nil {
			return fmt.Errorf("log %d: %w", i, err)
		}
		if _, err := ops.NodeCreate(ctx, env, ops.NodeCreateIn{In: ops.In{WorkspaceID: ws}, ParentID: "root", Type: "execution", Title: title, Requirement: "r"}); err != nil {
			return fmt.Errorf("create %d: %w", i, err)
		}
	}
	return nil
}

// Two processes log to one file and create nodes below one parent at the same time: every entry and node is there once.
func TestTwoProcessesLoseNothing(t *testing.T) {
	dir := enginetest.Place(t, vault("", map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: pending\nparentId: null", ""}}))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	for _, name := range []string{"one", "two"} {
		go func() {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), writerVault+"="+name+"="+dir)
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%s: %w\n%s", name, err, out)
			}
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	e := enginetest.Open(t, enginetest.OpenDir(t, dir))
	s, found, err := e.Check(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	_, log := nodeWithLog(t, e, mdstore.Root)
	logged, made := map[string]int{}, map[string]int{}
	for _, l := range log {
		logged[l.Event]++
	}
	for _, id := range s.Children(mdstore.Root) {
		n, _ := s.Node(id)
		made[n.Title]++
	}
	there := 0
	for _, name := range []string{"one", "two"} {
		for i := range each {
			title := fmt.Sprintf("%s %d", name, i)
			if logged[title] != 1 || made[title] != 1 {
				t.Errorf("%q is logged %d times and made %d times", title, logged[title], made[title])
			}
			there += logged[title] + made[title]
		}
	}
	t.Logf("%d of %d there", there, 4*each)
	if len(found) > 0 {
		t.Errorf("afterwards: %v", found)
	}
}
