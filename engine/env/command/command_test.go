package command_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/env/command"
)

// The test binary is the supervisor, and the programs that tools run.
func TestMain(m *testing.M) {
	if code, started := command.Main(os.Args[1:]); started {
		if os.Getenv("GORACE") == "" {
			syscall.Exit(code) // a process of Try, which the race detector would have sleep
		}
		os.Exit(code)
	}
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=0") // else each process sleeps a second as it ends
	}
	if len(os.Args) > 2 && os.Args[1] == "play" {
		play(os.Args[2], os.Args[3:])
	}
	os.Exit(m.Run())
}

// play is a program of a tool.
func play(what string, args []string) {
	switch what {
	case "argv":
		data, _ := json.Marshal(args)
		os.Stdout.Write(data)
	case "env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "flood":
		w := bufio.NewWriter(os.Stdout)
		n, _ := strconv.Atoi(args[0])
		fmt.Fprintln(w, "begin")
		for range n {
			w.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
		fmt.Fprintln(w, "end")
		w.Flush()
	case "try":
		for _, what := range args {
			err := attempt(strings.Fields(what))
			fmt.Printf("%s: %v\n", what, err)
		}
	case "tree": // a child, a grandchild in a session of its own, and an orphan; each says that it lives
		depth, _ := strconv.Atoi(args[0])
		fmt.Println("alive", live())
		if depth > 0 {
			cmd := exec.Command(os.Args[0], "play", "tree", strconv.Itoa(depth-1))
			cmd.Stdout = os.Stdout
			session(cmd)
			if err := cmd.Start(); err != nil {
				fmt.Println(err)
			}
			if depth == 2 {
				os.Exit(0) // its child is an orphan now
			}
		}
		wait := make(chan os.Signal, 1)
		signal.Notify(wait, os.Interrupt)
		<-wait // until it is killed
	case "code":
		n, _ := strconv.Atoi(args[0])
		os.Exit(n)
	}
	os.Exit(0)
}

func run(t testing.TB, dir string, timeout time.Duration, args ...string) *command.Result {
	t.Helper()
	return runAs(t, command.Spec{Dir: dir, Timeout: timeout, Unconfined: true}, args...)
}

func runAs(t testing.TB, s command.Spec, args ...string) *command.Result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.Argv, s.Env = append([]string{self, "play"}, args...), append(s.Env, "GORACE="+os.Getenv("GORACE"))
	if s.Timeout == 0 {
		s.Timeout = long
	}
	r, err := command.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func folder(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const long = time.Minute

func TestArgumentsArriveAsTheyAre(t *testing.T) {
	dir, runs := folder(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		if runs++; runs > 8 && os.Getenv("ARBOR_HEAVY") == "" {
			return // each gets many arguments instead
		}
		word := rapid.OneOf(rapid.StringMatching(`[^\x00]{0,12}`), rapid.SampledFrom([]string{"", "a b", `"`, "'", "-rf", "--", "a\nb", "$(x)", "`x`", "*", "~", "\\"}))
		args := rapid.SliceOfN(word, 1, 40).Draw(rt, "args")
		var got []string
		r := run(t, dir, long, append([]string{"argv"}, args...)...)
		if err := json.Unmarshal([]byte(r.Output), &got); err != nil || !slices.Equal(got, args) && strings.ToValidUTF8(fmt.Sprint(got), "?") != strings.ToValidUTF8(fmt.Sprint(args), "?") {
			rt.Fatalf("%q arrives as %q, %v", args, r.Output, err)
		}
	})
}

func TestNoVariableLeaks(t *testing.T) {
	t.Setenv("ARBOR_SECRET", "leaks")
	t.Setenv("AWS_TOKEN", "leaks")
	var names []string
	for line := range strings.Lines(run(t, folder(t), long, "env").Output) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		names = append(names, name)
		if strings.Contains(value, "leaks") {
			t.Error(line)
		}
	}
	slices.Sort(names)
	want := []string{"ARBOR_TOOL", "GORACE", "HOME", "LANG", "PATH", "TMPDIR", "XDG_CACHE_HOME"}
	if runtime.GOOS == "windows" {
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(want, n) })
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestOutputIsBounded(t *testing.T) {
	mib := 64
	if os.Getenv("ARBOR_HEAVY") != "" {
		mib = 1024
	}
	r := run(t, folder(t), long, "flood", strconv.Itoa(mib))
	if len(r.Output) > 66<<10 || !strings.HasPrefix(r.Output, "begin\n") || !strings.HasSuffix(r.Output, "end\n") || r.Cut < mib<<20-64<<10 {
		t.Errorf("%d bytes, %d cut", len(r.Output), r.Cut)
	}
}

func TestExitCodesAreTold(t *testing.T) {
	if r := run(t, folder(t), long, "code", "7"); r.Code != 7 || r.TimedOut {
		t.Errorf("%+v", r)
	}
	_, err := command.Run(t.Context(), command.Spec{Dir: folder(t), Argv: []string{"no-such-program"}, Timeout: long, Unconfined: true})
	if err == nil || !strings.Contains(err.Error(), "PATH") {
		t.Error(err)
	}
}

// At the timeout all that a program started is killed, orphans and sessions of their own too.
func TestNothingOutlivesTheTimeout(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a supervisor that takes over orphans")
	}
	for timeout := 300 * time.Millisecond; ; timeout *= 2 { // until the machine is fast enough for all of them
		dir := folder(t)
		r := run(t, dir, timeout, "tree", "3")
		if !r.TimedOut || r.Code != -1 {
			t.Errorf("%+v", r)
		}
		if dead(t, dir); strings.Count(r.Output, "alive <nil>") == 4 || timeout > long {
			return
		}
	}
}

// What a program leaves behind when it ends is killed as well.
func TestNothingOutlivesTheProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a supervisor that takes over orphans")
	}
	dir := folder(t)
	r := run(t, dir, long, "tree", "2")
	if r.TimedOut || r.Code != 0 {
		t.Errorf("%+v", r)
	}
	dead(t, dir)
}

func TestACancelledCallEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("nobody waits for it")
	cancel(why)
	_, err := command.Run(ctx, command.Spec{Dir: folder(t), Argv: []string{"sleep", "100"}, Timeout: long, Unconfined: true})
	if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
