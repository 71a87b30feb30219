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
	return st
}

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

// Start makes a cluster and starts its server with settings such as fsync=off.
func Start(settings ...string) (*Server, error) {
	initdb, err := Program("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "arbor-pg-") // the path of a socket may have 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, Port: 5432}
	if err := own(dir); err != nil {
		return nil, err
	}
	made := exec.Command(initdb, "-D", s.Data(), "-U", "arbor", "--auth=trust", "--no-locale", "--encoding=UTF8", "--no-sync")
	if err := s.Run(made); err != nil {
		return nil, err
	}
	return s, s.Serve(settings...)
}

// Data returns the folder of the cluster.
func (s *Server) Data() string { return filepath.Join(s.Dir, "data") }

// Run runs a program as the server's user.
func (s *Server) Run(cmd *exec.Cmd) error {
	as(cmd)
	cmd.Dir = s.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// Serve starts the server and waits until it answers. A shell that waits for the end of this process ends it, and
// removes its folder.
func (s *Server) Serve(settings ...string) error {
	postgres, err := Program("postgres")
	if err != nil {
		return err
	}
	ready, err := Program("pg_isready")
	if err != nil {
		return err
	}
	args := []string{"-c", `"$@" >>log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid 2>/dev/null; wait $pid; cd / && rm -rf "$0"`, s.Dir,
		postgres, "-D", s.Data(), "-k", s.Dir, "-p", fmt.Sprint(s.Port), "-c", "listen_addresses="}
	for _, set := range append([]string{"max_connections=200", "log_statement=none"}, settings...) {
		args = append(args, "-c", set)
	}
	cmd := exec.Command("sh", args...)
	as(cmd)
	cmd.Dir = s.Dir
	if s.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
