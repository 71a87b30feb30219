package ops_test

import (
	"fmt"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/pgstore/pgtest"
)

// A writer whose cable is pulled out while it has the lock of the vault keeps the others waiting for twenty seconds at
// most, and does not overwrite what they write then.
func TestAWriterThatIsCutOffGivesTheLockBack(t *testing.T) {
	if !heavy {
		t.Skip("with ARBOR_HEAVY=1, in .ci/heavy postgres")
	}
	on, err := computers(t, 4)
	if err != nil {
		t.Skip(err)
	}
	primary, _ := hosts(t, on)
	far := fmt.Sprintf("postgres://arbor@%s/postgres?vault=v&sslmode=disable", primary.at.address)
	put := func(from *computer, data string, within func()) error {
		return from.do(func() error {
			return pgtest.OpenAt(t, far, "of-"+data).Update(t.Context(), func(tx mdstore.Tx) error {
				f, _ := tx.Read(t.Context(), "ws/a")
				within()
				_, err := tx.Commit(t.Context(), []mdstore.Change{{Path: "ws/a", Base: f.Version, New: []byte(data)}})
				return err
			})
		})
	}
	if err := put(on[2], "first", func() {}); err != nil {
		t.Fatal(err)
	}
	held, over, lost := make(chan bool), make(chan bool), make(chan error)
	go func() {
		lost <- put(on[2], "lost", func() {
			if err := on[2].plug(false); err != nil {
				t.Error(err)
			}
			close(held)
			<-over
		})
	}()
	<-held
	began := time.Now()
	for err = put(on[3], "second", func() {}); err != nil && time.Since(began) < time.Minute; {
		err = put(on[3], "second", func() {})
	}
	waited := time.Since(began)
	t.Logf("the lock was free after %v, error %v", waited.Round(time.Second/10), err)
	if err := on[2].plug(true); err != nil {
		t.Fatal(err)
	}
	close(over)
	if err := <-lost; err == nil {
		t.Error("the writer that was cut off has overwritten the second one")
	}
	if err != nil || waited > 20*time.Second {
		t.Errorf("others waited for %v, error %v", waited, err)
	}
}
