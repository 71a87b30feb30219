package engine_test

import (
	"context"
	"errors"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/internal/people"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A keeper refuses what a power failure could take back.
type keeper struct{ *memstore.Store }

func (keeper) WriteLocal(context.Context, mdstore.Path, []byte) error {
	return errors.New("a power failure could take this back")
}

// Changes of persons, for example a revoked token, are durable when EditPeople returns.
func TestChangesOfPersonsLast(t *testing.T) {
	w := enginetest.Over(t, memstore.New(enginetest.Plan("ws-a", "n1")), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		return keeper{st}
	})
	err := w.Engine.EditPeople(t.Context(), func(b *people.Book) error {
		_, err := b.Invite(w.Engine.Now(), "ann", people.Read, 0)
		return err
	})
	if b, read := w.Engine.People(t.Context()); err != nil || read != nil || b.Find("ann") == nil {
		t.Errorf("%v, %v, %+v", err, read, b)
	}
}
