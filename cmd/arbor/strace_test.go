//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
)

// traced are commands that write, one after the other; "$X" is the first line that the command named X printed.
var traced = []struct {
	name, args string
}{
	{"plan", "add Sign-in --parent root --type planning -m r"},
	{"task", "add Form --parent $plan --type execution -m r"},
	{"", "start $task"},
	{"", "log $task halfway"},
	{"", "problem $task stuck --next ask"},
	{"", "ref add $task https://example.org/x x"},
	{"other", "add Mail --parent $plan --type execution -m r"},
	{"", "ref add $other $task first"},
	{"", "complete $task -m done"},
	{"", "rules add nothing.is.lost"},
	{"", "rm $task"},
	{"", "start $other"},
	{"", "complete $other -m done"},
	{"", "complete $plan -m done"},
	{"", "mv $other root"},
	{"", "reopen $other"},
	{"ws", "init Second --goal g -q"},
	{"", "ws archive $ws"},
	{"", "ws restore $ws"},
	{"", "ws rm $ws --force --yes"},
}

// strace runs a command and returns its trace and what it printed.
func strace(t *testing.T, dir string, args ...string) (trace []byte, out string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", append(append(crashtest.StraceArgs, "-o", file), args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ARBOR_VAULT=", "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, stderr.String())
	}
	trace, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return trace, stdout.String()
}

// TestShippedProgramSurvivesCrashes replays the system calls of the program itself into the model of crashes: whenever
// the power fails, each command is done whole or not at all, and done once it has ended. With the same calls but
// without those that make things durable, that must not be so.
func TestShippedProgramSurvivesCrashes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	if msg, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v: %s", err, msg)
	}
	// The short run looks at few states, of the program that the scripts run. Without fsync the states grow with each
	// command, so it leaves most of them out.
	limit, deafTo, program := 4, 6, "arbor"
	if enginetest.Raced() {
		program = build(t)
	}
	if os.Getenv("ARBOR_HEAVY") != "" {
		limit, deafTo, program = 1500, len(traced), build(t)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(program, "-C", dir, "init", "Login", "--goal", "g", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	vault := filepath.Join(dir, mdstore.DefaultVault)
	whole := crashtest.NewTrace(t, vault, crashtest.Options{Limit: limit})
	deaf := crashtest.NewTrace(t, vault, crashtest.Options{Limit: max(1, limit/4)}).NoSync()
	names := map[string]string{}
	for i, c := range traced {
		args := []string{program}
		if i == 0 {
			args = append(args, "-w", "Login")
		}
		for _, a := range strings.Fields(c.args) {
			if name, ok := strings.CutPrefix(a, "$"); ok {
				a = names[name]
			}
			args = append(args, a)
		}
		if c.name != "" {
			args = append(args, "-q")
		}
		trace, out := strace(t, dir, args...)
		if c.name != "" {
			names[c.name] = strings.TrimSpace(out)
		}
		before := whole.Bad
		whole.Command(t, bytes.NewReader(trace))
		if i < deafTo {
			deaf.Command(t, bytes.NewReader(trace))
		}
		if whole.Bad > before {
			t.Errorf("%s: %d states are bad; the first: %s", c.args, whole.Bad-before, whole.First)
		}
	}
	t.Logf("commands %d calls %d states %d bad %d; without fsync: states %d bad %d", len(traced), whole.Calls, whole.States, whole.Bad, deaf.States, deaf.Bad)
	if whole.Calls < 10*len(traced) {
		t.Errorf("only %d calls were seen", whole.Calls)
	}
	if deaf.Bad == 0 {
		t.Error("without any fsync nothing bad was found; the model does not look where it should")
	}
}
