package command

import (
	"context"
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

	ll "github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	landlock = "landlock"
	inside   = "inside" // the second stage: confine this process, and become the program
)

// Confinement returns what keeps a program in its folder here: "landlock", or "" for nothing.
func Confinement() string {
	if version, err := llsyscall.LandlockGetABIVersion(); err == nil && version > 0 {
		return landlock
	}
	return ""
}

// supervised returns the command that runs a program under a supervisor, which is this program started anew: it
// outlives what it supervises, takes over the orphans of that, and kills all of them when it ends or is told to.
func supervised(ctx context.Context, how, root, scratch string, argv []string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if how == "" {
		how = "-"
	}
	cmd := exec.CommandContext(ctx, self, append([]string{Word, how, root, scratch, "--"}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	_, err = cmd.StdinPipe() // which ends when this process does, however that comes
	return cmd, err
}

// Confined is what main does when the program is started with Word: it supervises, or is, the program that the
// arguments behind Word name. It returns the exit code.
func Confined(args []string) int {
	if len(args) < 5 || args[3] != "--" {
		fmt.Fprintln(os.Stderr, "arbor: confined is started by arbor itself, for the programs of tools")
		return 2
	}
	how, root, scratch, argv := args[0], args[1], args[2], args[4:]
	if stage, ok := strings.CutPrefix(how, inside+":"); ok {
		return become(stage, root, scratch, argv)
	}
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
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "arbor:", err)
		return 126
	}
	cmd := exec.Command(self, append([]string{Word, inside + ":" + how, root, scratch, "--"}, argv...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
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

// killAll kills every descendant of this process until there is none, and reaps those that became its children.
func killAll() {
	for {
		all := descendants(os.Getpid())
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		// A child can be left where the list has none: it was started while the list was read.
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

// become confines this process to its folders, and makes it the program.
func become(how, root, scratch string, argv []string) int {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0) // with its supervisor
	runtime.LockOSThread()                                                   // the thread that is confined is the one that becomes the program
	if how == landlock {
		if err := confine(root, scratch); err != nil {
			fmt.Fprintln(os.Stderr, "arbor: the program was not started, as it cannot be confined:", err)
			return 126
		}
	}
	err := syscall.Exec(argv[0], argv, os.Environ())
	fmt.Fprintf(os.Stderr, "arbor: %s cannot be started: %v\n", argv[0], err)
	return 127
}

// system are the folders that programs need, which are read and run, and the devices that they also write to.
var (
	system = []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/proc", "/sys/devices/system/cpu",
	}
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
)

// confine lets this process, and what it becomes, write below two folders only, and read besides what the system's
// programs need and what is in PATH. The network is as it was. Where the system's Landlock knows signals, none leaves
// either.
func confine(root, scratch string) error {
	dirs := slices.Clone(system)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && filepath.Clean(dir) != "/" {
			dirs = append(dirs, dir)
		}
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
	err := ll.V5.BestEffort().RestrictPaths(
		ll.RODirs(dirs...), ll.RWFiles(devices...).WithIoctlDev().IgnoreIfMissing(), ll.RWDirs(root, scratch).WithRefer(),
	)
	if err == nil {
		err = ll.V6.BestEffort().RestrictScoped()
	}
	return err
}
