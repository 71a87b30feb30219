package engine_test

import (
	"context"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// An outrun store has another process commit after each reading of everything and, for a while, after each look at what was committed last.
type outrun struct {
	*dirstore.Store
	commit func()
	whole  int // readings of everything
	more   int // looks after which there is another commit
}

func (o *outrun) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	o.whole++
	found, err := o.Store.Skim(ctx, under, known, trusting)
	o.commit()
	return found, err
}

func (o *outrun) ChangedSince(ctx context.Context, before, now uint64) ([]mdstore.Path, bool) {
	paths, ok := o.Store.ChangedSince(ctx, before, now)
	if o.more > 0 {
		o.more--
		o.commit()
	}
	return paths, ok
}

// Who reads while another process commits all the time is done after one reading of everything, and has what there is.
func TestBusyProcessesKeepNobodyFromReading(t *testing.T) {
	mine := onDisk(t, sized(20))
	st, err := dirstore.Open(mine.Dir(), dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	other := opened(t, st)
	commits := 0
	o := &outrun{Store: mine, more: 30}
	o.commit = func() {
		if commits++; commits > 500 {
			return // who does not keep up is done at some time
		}
		if _, _, err := other.AppendLog(t.Context(), benchWorkspace, leaf(20-commits%5), "busy", engine.Act{}); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := other.AppendLog(t.Context(), benchWorkspace, leaf(20), "the first has nothing before it that could be known", engine.Act{}); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), o, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for round, readings := range []int{1, 1} { // and again, when most of it is known
		s, err := e.Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		if o.whole != readings || o.more > 0 {
			t.Errorf("round %d: everything was read %d times; want %d. %d commits were to come yet", round, o.whole, readings, o.more)
		}
		want, err := other.Snapshot(t.Context(), benchWorkspace)
		if err != nil {
			t.Fatal(err)
		}
		for n := range want.All() {
			if is, ok := s.Node(n.ID); !ok || is.Version() != n.Version() {
				t.Errorf("round %d: %s is not as it is there", round, n.ID)
			}
		}
		o.more = 20
		o.commit()
	}
}
