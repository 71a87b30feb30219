// Package pgtest starts a server of PostgreSQL for tests: Debian's, on a socket of its own, as an ordinary user. It ends
// with the process of the tests, however that ends.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arbor/mdstore/pgstore"
)

// A Server is a cluster in a folder of its own, which is removed with the process.
type Server struct {
	Dir  string // has the socket, and data
	Port int    // of the socket; TCP is off

	alive io.Closer // ends the server when it is closed, also by the end of this process
}

var shared = sync.OnceValues(func() (*Server, error) { return Start("fsync=off", "full_page_writes=off") })

var vaults atomic.Int64

// Address returns the address of a vault that does not exist yet, on the server that all tests of the process share. It
// skips the test where there is no PostgreSQL.
func Address(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Skip(err)
	}
	return s.Address(fmt.Sprintf("v%d", vaults.Add(1)))
}

// Open opens a new vault on the shared server, and makes it.
func Open(t testing.TB) *pgstore.Store {
	t.Helper()
	return OpenAt(t, Address(t), "me")
}

// OpenAt opens the vault at an address, makes it if it is missing, and closes it when the test ends.
func OpenAt(t testing.TB, address, own string) *pgstore.Store {
	t.Helper()
	a, err := pgstore.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	st, err := pgstore.Open(t.Context(), a, pgstore.Options{Own: own, Make: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	few.Lock()
	defer few.Unlock()
	if few.open = append(few.open, st); len(few.open) > fewMost {
		few.open[0].Close() // only its idle connections: it makes others where it is still used
		few.open = few.open[1:]
	}
	return st
}

// few are the stores that were opened last: those of a test that opens thousands keep no connections.
var few struct {
	sync.Mutex
	open []*pgstore.Store
}

const fewMost = 16

// Address returns the address of a vault.
func (s *Server) Address(vault string) string {
	return fmt.Sprintf("postgres://arbor@/postgres?host=%s&port=%d&vault=%s", url.QueryEscape(s.Dir), s.Port, vault)
}

// Program returns the path of a program of PostgreSQL.
func Program(name string) (string, error) {
	if p, err := exec.LookPath(name); err == nil && name != "psql" {
		return p, nil
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(all) == 0 {
		return "", fmt.Errorf("there is no %s here: apt-get install postgresql", name)
	}
	return slices.Max(all), nil
}

// Start makes a cluster with settings such as fsync=off, and starts its server.
func Start(settings ...string) (*Server, error) {
	s, err := Init(settings...)
	if err != nil {
		return nil, err
	}
	return s, s.Serve()
}

// Init makes a cluster without starting its server.
func Init(settings ...string) (*Server, error) {
	s, err := place()
	if err != nil {
		return nil, err
	}
	made, err := s.command("initdb", "-D", s.Data(), "-U", "arbor", "--auth=trust", "--no-locale", "--encoding=UTF8", "--no-sync")
	if err == nil {
		err = run(made)
	}
	if err == nil {
		err = s.Set(append([]string{"listen_addresses=''", "max_connections=200"}, settings...)...)
	}
	return s, err
}

// place makes the folder of a server.
func place() (*Server, error) {
	if _, err := Program("initdb"); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "arbor-pg-") // the path of a socket may have 107 bytes
	if err != nil {
		return nil, err
	}
	return &Server{Dir: dir, Port: 5432}, own(dir)
}

// Standby makes a standby of a running server, without starting it.
func (s *Server) Standby() (*Server, error) {
	other, err := place()
	if err != nil {
		return nil, err
	}
	made, err := other.command("pg_basebackup", "-D", other.Data(), "-R", "--checkpoint=fast", "-U", "arbor",
		"-h", s.Dir, "-p", fmt.Sprint(s.Port))
	if err == nil {
		err = run(made)
	}
	if err == nil {
		err = other.Set("listen_addresses=''")
	}
	return other, err
}

// Set adds settings to the cluster's configuration.
func (s *Server) Set(settings ...string) error {
	f, err := os.OpenFile(filepath.Join(s.Data(), "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "unix_socket_directories='%s'\n%s\n", s.Dir, strings.Join(settings, "\n"))
	return errors.Join(err, f.Close())
}

// Data returns the folder of the cluster.
func (s *Server) Data() string { return filepath.Join(s.Dir, "data") }

// Ctl runs pg_ctl, such as Ctl("restart", "-m", "immediate").
func (s *Server) Ctl(words ...string) error {
	cmd, err := s.command("pg_ctl", append([]string{"-D", s.Data(), "-w", "-s", "-l", filepath.Join(s.Dir, "log")}, words...)...)
	if err != nil {
		return err
	}
	return run(cmd)
}

// PID returns the process of the running server, 0 for none.
func (s *Server) PID() int {
	data, _ := os.ReadFile(filepath.Join(s.Data(), "postmaster.pid"))
	first, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}

// AsItsUser makes a command run as the user of the server, in its folder.
func (s *Server) AsItsUser(cmd *exec.Cmd) { as(cmd); cmd.Dir = s.Dir }

// command returns a program of PostgreSQL that runs as the server's user.
func (s *Server) command(name string, args ...string) (*exec.Cmd, error) {
	program, err := Program(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args...)
	s.AsItsUser(cmd)
	return cmd, nil
}

// run runs a program to its end. Its output is a file, because a server that it starts keeps it open.
func run(cmd *exec.Cmd) error {
	out, err := os.CreateTemp("", "pg-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, said)
	}
	return nil
}

// Serve starts the server and waits until it answers. A shell that waits for the end of this process ends it, and
// removes its folder.
func (s *Server) Serve() error {
	postgres, err := Program("postgres")
	if err != nil {
		return err
	}
	ready, err := Program("pg_isready")
	if err != nil {
		return err
	}
	const script = `"$@" >>log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid 2>/dev/null; wait $pid; cd / && rm -rf "$0"`
	cmd := exec.Command("sh", "-c", script, s.Dir, postgres, "-D", s.Data(), "-p", fmt.Sprint(s.Port))
	s.AsItsUser(cmd)
	if s.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for exec.CommandContext(ctx, ready, "-h", s.Dir, "-p", fmt.Sprint(s.Port), "-q").Run() != nil {
		if ctx.Err() != nil {
			log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			return errors.New("the server did not start: " + strings.TrimSpace(string(log)))
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}
