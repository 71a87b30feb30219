package pgstore_test

import (
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/pgstore/pgtest"
)

// The server fails right after a file of .local/ was kept, alone and within Update. The file is there afterwards, also
// where the server is set to acknowledge commits that it could still lose: a revoked token does not come back.
func TestWhatIsKeptSurvivesAFailureOfTheServer(t *testing.T) {
	if _, err := pgtest.Program("initdb"); err != nil {
		t.Skip(err)
	}
	s, err := pgtest.Start("fsync=off", "synchronous_commit=off", "wal_writer_delay=10s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Ctl("stop", "-m", "immediate") })
	st := pgtest.OpenAt(t, s.Address("v"), "me")
	for _, keep := range []struct {
		name string
		do   func(name mdstore.Path) error
	}{
		{"alone", func(name mdstore.Path) error { return st.KeepLocal(t.Context(), name, []byte("kept")) }},
		{"within", func(name mdstore.Path) error {
			return st.Update(t.Context(), func(mdstore.Tx) error { return st.KeepLocal(t.Context(), name, []byte("kept")) })
		}},
	} {
		if err := keep.do(mdstore.Path(keep.name)); err != nil {
			t.Fatal(err)
		}
		if err := s.Ctl("restart", "-m", "immediate"); err != nil {
			t.Fatal(err)
		}
		if data, err := st.ReadLocal(t.Context(), mdstore.Path(keep.name)); err != nil || string(data) != "kept" {
			t.Errorf("%s: %q, %v", keep.name, data, err)
		}
	}
}
