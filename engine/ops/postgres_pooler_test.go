package ops_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/pgstore/pgtest"
)

// Sixteen writers of four processes work through pgbouncer, which gives each transaction another connection, and
// directly: no write fails.
func TestWritersThroughAPooler(t *testing.T) {
	if !heavy {
		t.Skip("with ARBOR_HEAVY=1, in .ci/heavy postgres")
	}
	pooler, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("there is no pgbouncer here: apt-get install pgbouncer")
	}
	server, err := pgtest.Start()
	if err != nil {
		t.Skip(err)
	}
	users, conf := filepath.Join(server.Dir, "users"), filepath.Join(server.Dir, "pooler.ini")
	for name, text := range map[string]string{
		users: `"arbor" ""` + "\n",
		conf: fmt.Sprintf("[databases]\npostgres = host=%[1]s port=%[2]d\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n"+
			"unix_socket_dir = %[1]s\npool_mode = transaction\nauth_type = trust\nauth_file = %[3]s\ndefault_pool_size = 6\n"+
			"max_client_conn = 200\n", server.Dir, server.Port, users),
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(pooler, "-q", conf)
	server.AsItsUser(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	through := *server
	through.Port = 6432
	var first []mdstore.Change
	for p, data := range torturedFiles() {
		first = append(first, mdstore.Change{Path: p, New: data})
	}
	if _, err := pgtest.OpenAt(t, server.Address("v"), "judge").Commit(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{through.Address("v"), server.Address("v"), through.Address("v")} {
		n, errors := changesIn(t, address, 5*time.Second)
		t.Logf("%s: %d changes", address, n)
		if n == 0 || len(errors) > 0 {
			t.Errorf("%s: %d changes, errors: %v", address, n, errors)
		}
	}
}
