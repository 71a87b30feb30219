package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The stages of a program's start. Each is this program started anew, with the job as its file 3.
const (
	stageSupervise = "supervise" // outlives the program, and ends all that it started
	stageEnter     = "enter"     // is the first process of the namespaces: makes what the program sees
	stageBecome    = "become"    // gives up what the program may not do, and becomes it
	stageNothing   = "nothing"   // is the program of Try
)

const (
	jobFD  = 3
	maxJob = 16 << 20 // bytes
)

// supervised returns the command that runs a program under a supervisor, another process of this program. The
// supervisor outlives the program, adopts its orphans, and kills all of them when it ends or is told to. Call done at
// the end.
func supervised(ctx context.Context, j job) (cmd *exec.Cmd, done func(), err error) {
	if !answers {
		return nil, nil, errors.New("the program does not call command.Main")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(j)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.CreateTemp(j.Reach.Temp, ".job-")
	if err != nil {
		return nil, nil, err
	}
	if _, err = file.Write(data); err == nil {
		err = os.Remove(file.Name())
	}
	cmd = exec.CommandContext(ctx, self, Word, stageSupervise)
	cmd.Env, cmd.ExtraFiles = j.Env, []*os.File{file} // it reads nothing else of this process
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err == nil {
		_, err = cmd.StdinPipe() // it closes when this process ends in any way
	}
	return cmd, func() { file.Close() }, err
}

// stage does what this process was started for, and returns the exit code.
func stage(args []string) int {
	if len(args) == 1 && args[0] == stageNothing {
		return 0
	}
	file := os.NewFile(jobFD, "job")
	unix.CloseOnExec(jobFD)
	var j job
	data, err := io.ReadAll(io.NewSectionReader(file, 0, maxJob))
	if len(args) != 1 || err != nil || json.Unmarshal(data, &j) != nil {
		fmt.Fprintln(os.Stderr, "arbor: confined is started by arbor itself, for the programs of tools")
		return 2
	}
	switch args[0] {
	case stageEnter:
		return enter(file, j)
	case stageBecome:
		return become(j)
	}
	return supervise(file, j)
}

// supervise runs the program, and ends all that it started.
func supervise(file *os.File, j job) int {
	told := make(chan os.Signal, 2)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		told <- syscall.SIGTERM
	}()
	runtime.LockOSThread() // the program dies with the thread that started it
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "arbor: what the program starts cannot be kept track of:", err)
		return 126
	}
	cmd, err := started(file, j)
	if err != nil {
		fmt.Fprintln(os.Stderr, "arbor:", err)
		return 126
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	code := 0
	select {
	case <-ended:
		if code = cmd.ProcessState.ExitCode(); code < 0 {
			code = 128 + int(cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
		}
	case <-told:
		killAll()
		<-ended
		code = 124
	}
	killAll()
	return code
}

// started starts the next stage, in the way of the job.
func started(file *os.File, j job) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w, err := wayOf(j.Way)
	if err != nil {
		return nil, err
	}
	cmd, err := w.start(self, j)
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, []*os.File{file}
	return cmd, cmd.Start()
}

// killAll kills every descendant of this process until there is none, and reaps those that became its children.
func killAll() {
	for {
		all := descendants(os.Getpid())
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		// The list may lack a child that was started while it was read.
		if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); len(all) == 0 && errors.Is(err, syscall.ECHILD) {
			return
		}
		runtime.Gosched()
	}
}

// descendants returns the processes below one that are not dead yet, by the system's list of processes.
func descendants(of int) (all []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // it ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ") // behind the name
		words := strings.Fields(rest)
		if len(words) < 2 || words[0] == "Z" {
			continue
		}
		parent, _ := strconv.Atoi(words[1])
		children[parent] = append(children[parent], pid)
	}
	for next := slices.Clone(children[of]); len(next) > 0; {
		pid := next[0]
		all = append(all, pid)
		next = append(next[1:], children[pid]...)
	}
	return all
}
