package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"arbor/engine/env/command"
)

// attempt does what a program may try.
func attempt(words []string) error {
	at := words[len(words)-1]
	switch words[0] {
	case "write":
		f, err := os.OpenFile(at, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if err == nil {
			_, err = f.WriteString("x")
			err = errors.Join(err, f.Close())
		}
		return err
	case "truncate":
		return os.Truncate(at, 0)
	case "open": // and write nothing: not to this one
		f, err := os.OpenFile(at, os.O_WRONLY, 0)
		if err == nil {
			f.Close()
		}
		return err
	case "read":
		_, err := os.ReadFile(at)
		return err
	case "remove":
		return os.Remove(at)
	case "rename":
		return os.Rename(words[1], at)
	case "exchange":
		return unix.Renameat2(unix.AT_FDCWD, words[1], unix.AT_FDCWD, at, unix.RENAME_EXCHANGE)
	case "link":
		return os.Link(words[1], at)
	case "unmount":
		return unix.Unmount(at, unix.MNT_DETACH)
	case "remount":
		return unix.Mount("", at, "", unix.MS_BIND|unix.MS_REMOUNT, "")
	case "chmod":
		return os.Chmod(at, 0o777)
	case "dial":
		c, err := net.Dial(words[1], at)
		if err == nil {
			err = c.Close()
		}
		return err
	case "serve":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		go http.Serve(l, http.NotFoundHandler())
		_, err = http.Get("http://" + l.Addr().String())
		return err
	case "socketpair":
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	case "vsock":
		_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return err
	case "high": // the kernel looks at the lower half of the family only
		_, _, errno := unix.Syscall(unix.SYS_SOCKET, 1<<32|unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return errno
	case "uring":
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		return errno
	case "powerless":
		data, err := os.ReadFile("/proc/self/status")
		if !bytes.Contains(data, []byte("CapEff:\t0000000000000000")) || !bytes.Contains(data, []byte("CapBnd:\t0000000000000000")) && os.Getuid() == 0 {
			err = errors.Join(err, errors.New("it has capabilities"))
		}
		return err
	}
	return errors.ErrUnsupported
}

// protected is what environments keep: git's, settings, and vaults with a hidden folder in them, also of another name.
func (f field) protected() command.Protected {
	return command.Protected{Names: []string{".git", "arbor.toml", "vault"}, Hidden: []string{f.state}, Local: ".local", Mark: "lock"}
}

// A field is a root with all that a program must not reach, in it and beside it.
type field struct {
	root, home, state, elsewhere string
	tcp, socket, abstract        string
	inside                       []string // sockets in the root
}

func newField(t *testing.T) field {
	t.Helper()
	dir := folder(t)
	f := field{
		root: filepath.Join(dir, "root"), state: filepath.Join(dir, "state"), home: filepath.Join(dir, "state", "programs", "x"),
		elsewhere: filepath.Join(dir, "elsewhere"), abstract: "@arbor-" + filepath.Base(dir) + fmt.Sprint(os.Getpid()),
	}
	for _, name := range []string{
		"root/.git/config", "root/.git/hooks/x", "root/arbor.toml", "root/vault/Workspace.md", "root/vault/.local/token", "root/src/a.go",
		"root/src/b.go", "root/deep/down/.git/config", "root/deep/free/a", "root/top", "root/real/HEAD", "root/deep/vault/.local/token",
		"root/plans/.local/lock", "root/plans/Workspace.md", "root/tree/real/HEAD", "root/aim/config",
		"state/trust/book", "state/programs/x/old", "state/programs/y/old", "elsewhere/file", "elsewhere/vault/.local/token",
	} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte("x"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(f.root, "tree/.git"), []byte("gitdir: real\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for at, target := range map[string]string{"root/out": f.elsewhere, "root/linked": ".git", "root/src/.git": "../aim"} {
		if err := os.Symlink(target, filepath.Join(dir, at)); err != nil {
			t.Fatal(err)
		}
	}
	listen := func(network, address string) string {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, c)
				c.Close()
			}
		}()
		return l.Addr().String()
	}
	agent, err := os.MkdirTemp("", "ssh-") // where ssh-agent has its socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(agent) })
	f.tcp, f.socket = listen("tcp", "127.0.0.1:0"), listen("unix", filepath.Join(agent, "agent"))
	listen("unix", f.abstract)
	f.inside = []string{listen("unix", filepath.Join(f.root, "src", "db.sock")), listen("unix", filepath.Join(f.root, ".git", "ipc"))}
	return f
}

func (f field) spec(by string) command.Spec {
	return command.Spec{Dir: f.root, By: by, Home: f.home, Protected: f.protected()}
}

// each runs a test once for each way to confine a program that this system has.
func each(t *testing.T, test func(t *testing.T, by string)) {
	for _, by := range []string{command.Bubblewrap, command.Namespaces, command.Landlock} {
		t.Run(by, func(t *testing.T) {
			if err := command.Try(by); err != nil {
				t.Skip(err)
			}
			test(t, by)
		})
	}
}

// check compares what a program could do with what it may.
func check(t *testing.T, r *command.Result, may, mayNot []string) {
	t.Helper()
	for i, all := range [][]string{may, mayNot} {
		for _, what := range all {
			_, rest, ok := strings.Cut("\n"+r.Output, "\n"+what+": ")
			said, _, _ := strings.Cut(rest, "\n")
			if !ok || (said == "<nil>" || said == "errno 0") != (i == 0) {
				t.Errorf("%s: %q", what, said)
			}
		}
	}
	if t.Failed() {
		t.Logf("%+v", r)
	}
}

func TestAProgramReachesWhatItMay(t *testing.T) {
	each(t, func(t *testing.T, by string) {
		f := newField(t)
		may := []string{
			"write src/a.go", "write src/new", "write top", "write deep/free/a", "write deep/free/new", "rename src/b.go src/c.go",
			"read .git/config", "read arbor.toml", "read vault/Workspace.md", "read deep/down/.git/config", "read /etc/passwd",
			"write " + f.home + "/new", "read " + f.home + "/old", "write /dev/null", "socketpair", "powerless",
		}
		mayNot := []string{
			"write .git/config", "write .git/hooks/pre-commit", "truncate .git/config", "write linked/config", "remove .git/hooks/x",
			"rename .git away", "exchange .git src", "rename src/a.go .git/hooks/pre-commit", "link .git/config src/config",
			"link src/a.go .git/hooks/pre-commit", "unmount .git", "remount .git", "unmount " + f.root, "write arbor.toml", "truncate arbor.toml", "remove arbor.toml",
			"write vault/Workspace.md", "write vault/new", "read vault/.local/token", "write vault/.local/token", "read deep/vault/.local/token",
			"write plans/Workspace.md", "read plans/.local/lock", "write tree/.git", "write tree/real/HEAD", "write aim/config", "write src/.git/config",
			"write deep/down/.git/config", "rename deep/down/.git deep/down/away",
			"write " + f.elsewhere + "/file", "read " + f.elsewhere + "/file", "read out/file", "write out/file", "read " + f.state + "/trust/book",
			"write " + f.state + "/trust/book", "read " + f.state + "/programs/y/old", "write /etc/arbor-test", "write /usr/arbor-test",
			"read /proc/" + fmt.Sprint(os.Getpid()) + "/environ", "open /proc/sys/kernel/core_pattern",
			"dial tcp " + f.tcp, "dial unix " + f.socket, "dial unix " + f.abstract, "vsock", "high", "uring",
			"dial unix " + f.inside[0], "dial unix " + f.inside[1],
		}
		if by == command.Landlock {
			mayNot = append(mayNot, "write new", "write deep/new", "serve") // as docs/environments.md says
		} else {
			may = append(may, "write new", "write deep/new", "serve", "write /tmp/x")
			mayNot = append(mayNot, "chmod .git/config")
		}
		r := runAs(t, f.spec(by), append([]string{"try"}, append(may, mayNot...)...)...)
		check(t, r, may, mayNot)
		if r.Confined != by || r.Made != nil {
			t.Errorf("%+v", r)
		}
		for name, want := range map[string]string{"root/.git/config": "x", "root/arbor.toml": "x", "root/vault/.local/token": "x", "state/trust/book": "x", "elsewhere/file": "x"} {
			if got, err := os.ReadFile(filepath.Join(filepath.Dir(f.root), name)); err != nil || string(got) != want {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		if _, err := os.Stat(filepath.Join(f.home, "new")); err != nil {
			t.Error("its home does not survive:", err)
		}
	})
}

// What a definition asks for besides is there, and nothing in it that is hidden.
func TestAProgramReachesWhatItsDefinitionSays(t *testing.T) {
	each(t, func(t *testing.T, by string) {
		f := newField(t)
		s := f.spec(by)
		s.Network, s.Read = true, []string{filepath.Dir(f.root)}
		may := []string{"dial tcp " + f.tcp, "dial unix " + f.inside[0], "serve", "read " + f.elsewhere + "/file", "write src/a.go"}
		mayNot := []string{
			"write " + f.elsewhere + "/file", "read " + f.elsewhere + "/vault/.local/token", "read " + f.state + "/trust/book", "write .git/config",
			"read vault/.local/token", "uring", "read " + f.state + "/programs/y/old",
		}
		if by != command.Landlock {
			mayNot = append(mayNot, "dial unix "+f.socket) // folders of sockets are covered
		}
		check(t, runAs(t, s, append([]string{"try"}, append(may, mayNot...)...)...), may, mayNot)
	})
}

// What is of the kept names and was made meanwhile is named; a root in one of them is read-only as a whole.
func TestWhatIsMadeLaterIsNamed(t *testing.T) {
	each(t, func(t *testing.T, by string) {
		f := newField(t)
		for _, name := range []string{".git", "arbor.toml"} {
			if err := os.RemoveAll(filepath.Join(f.root, "deep/down", name)); err != nil {
				t.Fatal(err)
			}
		}
		r := runAs(t, f.spec(by), "try", "write deep/down/arbor.toml", "remove src/.git", "write src/.git")
		if got := fmt.Sprint(r.Made); got != "[deep/down/arbor.toml src/.git]" {
			t.Errorf("%s: %s", got, r.Output)
		}
		s := f.spec(by)
		s.Dir = filepath.Join(f.root, ".git", "hooks")
		check(t, runAs(t, s, "try", "write pre-commit", "read x"), []string{"read x"}, []string{"write pre-commit"})
		s.Dir = f.state
		if _, err := command.Run(t.Context(), command.Spec{Dir: s.Dir, Argv: []string{"true"}, Protected: f.protected(), By: by, Timeout: long}); err == nil {
			t.Error("a root in Arbor's own folder is no root")
		}
	})
}

// At the timeout all that a program started is killed, in each way.
func TestNothingOutlivesTheTimeoutInEachWay(t *testing.T) {
	each(t, func(t *testing.T, by string) {
		dir := folder(t)
		runAs(t, command.Spec{Dir: dir, By: by}, "tree", "2")
		dead(t, dir)
	})
}
