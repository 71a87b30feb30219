package pgstore_test

import (
	"bytes"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// A cut breaks connections at the end of a commit.
type cut struct {
	before, after atomic.Bool // the message with the end of the next commit is sent, or its reply is lost
	dead          atomic.Bool // nothing can be sent
	then          atomic.Bool // dead once a reply was lost
}

type cutConn struct {
	net.Conn
	*cut
	deaf atomic.Bool
}

var errCut = errors.New("the network is cut")

func (c *cutConn) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return 0, errCut
	}
	if bytes.Contains(b, []byte("pg_notify")) {
		if c.before.CompareAndSwap(true, false) {
			c.Conn.Close()
			return 0, errCut
		}
		if c.after.CompareAndSwap(true, false) {
			c.deaf.Store(true)
			defer c.dead.Store(c.then.Load())
		}
	}
	return c.Conn.Write(b)
}

func (c *cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.deaf.Load() {
		c.Conn.Close()
		return 0, errCut
	}
	return n, err
}

// openThrough opens a store whose connections go through f.
func openThrough(t *testing.T, address string, f func(net.Conn) net.Conn) *pgstore.Store {
	t.Helper()
	a, err := pgstore.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	a.Through(f)
	st, err := pgstore.Open(t.Context(), a, pgstore.Options{Make: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func TestAnOutcomeThatIsNotKnownIsAskedFor(t *testing.T) {
	net := &cut{}
	st := openThrough(t, pgtest.Address(t), netOf(net))
	before, _ := st.Generation(t.Context())
	for _, lose := range []*atomic.Bool{&net.before, &net.after} {
		lose.Store(true)
		f, _ := st.Read(t.Context(), "ws/a")
		commit(t, st, mdstore.Change{Path: "ws/a", Base: f.Version, New: append(f.Data, 'x')})
	}
	if f, err := st.Read(t.Context(), "ws/a"); string(f.Data) != "xx" {
		t.Errorf("%q after two commits whose connections were lost, error %v", f.Data, err)
	}
	if now, err := st.Generation(t.Context()); err != nil || now>>48 == before>>48 {
		t.Errorf("generation %d after a lost connection, error %v; want one above all earlier ones", now, err)
	}
}

func TestAnOutcomeThatStaysUnknown(t *testing.T) {
	net := &cut{}
	st := openThrough(t, pgtest.Address(t), netOf(net))
	st.SetPatience(0)
	net.after.Store(true)
	net.then.Store(true)
	_, err := st.Commit(t.Context(), []mdstore.Change{{Path: "ws/a", New: []byte("a")}})
	if u, ok := errors.AsType[*mdstore.UnfinishedError](err); !ok || !u.Unknown {
		t.Fatalf("Commit: error %v, want an *UnfinishedError with an unknown outcome", err)
	}
	if _, err := st.Generation(t.Context()); err == nil {
		t.Error("the generation is known without a server")
	}
	net.dead.Store(false)
	st.SetPatience(time.Minute)
	if _, err := st.Generation(t.Context()); err != nil {
		t.Error(err)
	}
	if f, err := st.Read(t.Context(), "ws/a"); err != nil || string(f.Data) != "a" {
		t.Errorf("%q, error %v", f.Data, err)
	}
}

func netOf(c *cut) func(net.Conn) net.Conn {
	return func(conn net.Conn) net.Conn { return &cutConn{Conn: conn, cut: c} }
}
