package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// A way confines a program.
type way struct {
	name   string
	mounts bool // the program has folders of its own for all that it may reach, and a loopback
	start  func(self string, j job) (*exec.Cmd, error)
}

// ways are tried in this order.
var ways = []way{
	{Bubblewrap, true, func(self string, j job) (*exec.Cmd, error) {
		bwrap, err := find(j.Reach.Root, "bwrap")
		return exec.Command(bwrap, append(bubblewrap(j.Reach, self, j.Argv[0]), self, Word, stageBecome)...), err
	}},
	{Namespaces, true, func(self string, j job) (*exec.Cmd, error) {
		cmd := exec.Command(self, Word, stageEnter)
		uid, gid := os.Getuid(), os.Getgid()
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | network(j.Reach),
			UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}, // until the program starts
		}
		return cmd, nil
	}},
	{Landlock, false, func(self string, _ job) (*exec.Cmd, error) {
		const truncates = 3 // the version of Landlock that keeps programs from truncating what they only read
		if version, err := llsyscall.LandlockGetABIVersion(); err != nil || version < truncates {
			return nil, errors.Join(fmt.Errorf("the kernel's Landlock has version %d; %d is needed", version, truncates), err)
		}
		return exec.Command(self, Word, stageBecome), nil
	}},
	{"", false, func(self string, _ job) (*exec.Cmd, error) { return exec.Command(self, Word, stageBecome), nil }},
}

func network(r reach) uintptr {
	if r.Network {
		return 0
	}
	return unix.CLONE_NEWNET
}

// wayOf returns the way of this name.
func wayOf(name string) (way, error) {
	for _, w := range ways {
		if w.name == name {
			return w, nil
		}
	}
	return way{}, fmt.Errorf("%q is not a way to confine a program", name)
}

// Confinement returns the first way that confines programs here, "" for none. It tries each of them, once in a process.
var Confinement = sync.OnceValue(func() string {
	for _, w := range ways {
		if w.name != "" && Try(w.name) == nil {
			return w.name
		}
	}
	return ""
})

// Try returns an error if a way to confine programs does not work here.
func Try(name string) error {
	if !answers {
		return errors.New("the program does not call command.Main")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "arbor-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	w, err := wayOf(name)
	if err != nil {
		return err
	}
	j := job{Way: name, Argv: []string{self, Word, stageNothing}, Env: []string{"PATH=" + os.Getenv("PATH")}, Reach: reach{Root: dir, Home: dir, Temp: dir}}
	if _, err := w.start(self, j); err != nil {
		return err
	}
	r, err := run(context.Background(), Spec{Dir: dir, Argv: j.Argv, Timeout: 10 * time.Second}, j)
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("a program that does nothing ends with %d: %s", r.Code, r.Output)
	}
	return err
}

// tempOf returns the name that a program has for its folder of temporary files.
func tempOf(how, temp string) string {
	if w, err := wayOf(how); err == nil && w.mounts {
		return "/tmp"
	}
	return temp
}
