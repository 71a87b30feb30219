package ops_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/pgstore/pgtest"
)

// Sixteen writers of four processes make changes in a folder and on a server, in turn, on the same disk. The test tells
// how many each made; it fails for none.
func TestWritersOnAServerBesideThoseOfAFolder(t *testing.T) {
	if !heavy {
		t.Skip("with ARBOR_HEAVY=1, in .ci/heavy postgres")
	}
	server, err := pgtest.Start()
	if err != nil {
		t.Skip(err)
	}
	const rounds, lasts = 5, 6 * time.Second
	folder, onServer := 0, 0
	for i := range rounds {
		dir, err := os.MkdirTemp("/tmp", "arbor-writers-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := torturedFiles()
		for p, data := range files {
			enginetest.Put(t, dir, p, data)
		}
		address := server.Address(fmt.Sprintf("round%d", i))
		var first []mdstore.Change
		for p, data := range files {
			first = append(first, mdstore.Change{Path: p, New: data})
		}
		if _, err := pgtest.OpenAt(t, address, "judge").Commit(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		inFolder, _ := changesIn(t, dir, lasts)
		there, errors := changesIn(t, address, lasts)
		if len(errors) > 0 {
			t.Errorf("%s: %v", address, errors)
		}
		t.Logf("in %v: %d changes in a folder, %d on a server: %.2f times as many", lasts, inFolder, there, float64(there)/float64(inFolder))
		folder, onServer = folder+inFolder, onServer+there
	}
	t.Logf("together: %d in a folder, %d on a server: %.2f times as many", folder, onServer, float64(onServer)/float64(folder))
}

// changesIn returns how many changes four processes with four writers each make in a vault, and what fails.
func changesIn(t *testing.T, address string, lasts time.Duration) (n int, errors map[string]int) {
	l := &serverLedger{tried: map[string]bool{}, done: map[string]bool{}, claimed: map[string]map[string]bool{}, errors: map[string]int{}}
	stop := make(chan struct{})
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() { livesOnServer(t, l, fmt.Sprintf("p%d", i), address, nil, nil, stop) })
	}
	<-time.After(lasts)
	close(stop)
	running.Wait()
	return len(l.done), l.errors
}
