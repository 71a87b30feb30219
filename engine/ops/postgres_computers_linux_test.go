package ops_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A computer is a network namespace with one cable. A process holds it, which ends with the process of the tests, so
// that nothing of it is left. A nil computer is this machine.
type computer struct {
	address string
	pid     string // of the process that holds it
	net     *os.File
	end     io.Closer
	cables  *computer // where the other ends of the cables are; nil for a machine without
}

// computers makes n computers with a network between them, on addresses for documentation (RFC 5737), which nothing
// outside of these namespaces sees.
func computers(t *testing.T, n int) (all []*computer, err error) {
	bridge, err := newComputer(t)
	if err != nil {
		return nil, err
	}
	setup := []string{"link add bridge type bridge", "link set bridge up"}
	for i := range n {
		m, err := newComputer(t)
		if err != nil {
			return nil, err
		}
		m.address, m.cables = fmt.Sprintf("192.0.2.%d", i+1), bridge
		all = append(all, m)
		setup = append(setup, fmt.Sprintf("link add %s type veth peer name cable netns %s", m.port(), m.pid),
			"link set "+m.port()+" master bridge up")
	}
	for _, line := range setup {
		if err := bridge.ip(line); err != nil {
			return nil, err
		}
	}
	for _, m := range all {
		for _, line := range []string{"address add " + m.address + "/24 dev cable", "link set cable up", "link set lo up"} {
			if err := m.ip(line); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func newComputer(t *testing.T) (*computer, error) {
	cmd := exec.Command("unshare", "--net", "sh", "-c", "echo up; exec cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line == "" {
		_ = cmd.Wait()
		return nil, fmt.Errorf("%s", strings.TrimSpace(said.String()))
	}
	m := &computer{pid: fmt.Sprint(cmd.Process.Pid), end: in}
	if m.net, err = os.Open("/proc/" + m.pid + "/ns/net"); err == nil {
		t.Cleanup(func() { m.net.Close() })
	}
	return m, err
}

// port returns the name of the other end of the machine's cable.
func (m *computer) port() string { return "to-" + m.pid }

// do calls f on the machine: processes that f starts, and connections that it makes, are there.
func (m *computer) do(f func() error) error {
	if m == nil {
		return f()
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if err := unix.Setns(int(m.net.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}

func (m *computer) ip(line string) error {
	return m.do(func() error {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", line, err, out)
		}
		return nil
	})
}

// plug pulls the machine's cable out, or puts it in again. What is sent meanwhile is lost, and nobody is told.
func (m *computer) plug(in bool) error {
	state := "down"
	if in {
		state = "up"
	}
	return m.cables.ip("link set " + m.port() + " " + state)
}
