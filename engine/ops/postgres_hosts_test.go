package ops_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"arbor/mdstore/pgstore/pgtest"
)

// A host is a server of PostgreSQL on a machine.
type host struct {
	*pgtest.Server
	at *computer
}

func (h host) ctl(words ...string) error { return h.at.do(func() error { return h.Ctl(words...) }) }

// socket returns the path of the socket of a host.
func (h host) socket() *string { p := filepath.Join(h.Dir, ".s.PGSQL.5432"); return &p }

// hosts makes a server and its synchronous standby, each on a machine of two, or both on this one if they are nil.
func hosts(t *testing.T, on []*computer) (primary, standby host) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	made, err := pgtest.Init()
	if err != nil {
		t.Skip(err)
	}
	primary = host{made, on[0]}
	ends := func(h host) {
		t.Cleanup(func() { _ = h.Ctl("stop", "-m", "immediate"); os.RemoveAll(h.Dir) })
	}
	ends(primary)
	if on[0] != nil {
		must(primary.Set("listen_addresses='*'"))
		must(appendTo(filepath.Join(made.Data(), "pg_hba.conf"), "host all,replication arbor 192.0.2.0/24 trust"))
	}
	must(primary.ctl("start"))
	made, err = primary.Standby()
	must(err)
	standby = host{made, on[1]}
	ends(standby)
	if on[1] != nil {
		must(standby.Set("listen_addresses='*'"))
		must(appendTo(filepath.Join(made.Data(), "postgresql.auto.conf"), "primary_conninfo='user=arbor host="+on[0].address+"'"))
	}
	must(standby.ctl("start"))
	must(primary.Set("synchronous_standby_names='*'"))
	must(primary.ctl("reload"))
	return primary, standby
}

func appendTo(name, line string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\n%s\n", line)
	return errors.Join(err, f.Close())
}

// killServer kills a server and all its processes.
func killServer(t *testing.T, s *pgtest.Server) {
	t.Helper()
	pid := s.PID()
	if pid == 0 {
		t.Error("the server does not run")
		return
	}
	children := []int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		var id, parent int
		var state byte
		data, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(data), ") ")
		fmt.Sscanf(string(data), "%d", &id)
		fmt.Sscanf(rest, "%c %d", &state, &parent)
		if parent == pid {
			children = append(children, id)
		}
	}
	for _, id := range append([]int{pid}, children...) {
		if p, err := os.FindProcess(id); err == nil {
			_ = p.Kill()
		}
	}
}

// restart starts a server that was killed, once the system has let go of what it had.
func restart(t *testing.T, s host) {
	t.Helper()
	var err error
	for range 20 {
		if err = s.ctl("start"); err == nil {
			return
		}
		<-time.After(200 * time.Millisecond)
	}
	t.Error(err)
}

// A relay passes connections on to the socket of a server that is in use, until it falls silent.
type relay struct {
	net.Listener
	to     atomic.Pointer[string]
	silent atomic.Bool
}

func (r *relay) serve() {
	for {
		in, err := r.Accept()
		if err != nil {
			return
		}
		go func() {
			defer in.Close()
			out, err := net.Dial("unix", *r.to.Load())
			if err != nil {
				return
			}
			defer out.Close()
			go func() { r.copy(in, out); in.Close() }()
			r.copy(out, in)
		}()
	}
}

// copy passes bytes on. What arrives while the relay is silent is lost, and the connection with it, a while later.
func (r *relay) copy(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		for r.silent.Load() {
			<-time.After(10 * time.Millisecond)
			if !r.silent.Load() {
				return
			}
		}
		if n > 0 {
			if _, failed := to.Write(buf[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
