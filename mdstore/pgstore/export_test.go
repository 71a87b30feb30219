package pgstore

import (
	"context"
	"net"
	"testing"
	"time"
)

// Through makes connections go through f.
func (a *Address) Through(f func(net.Conn) net.Conn) {
	dial := a.config.DialFunc
	a.config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return f(c), nil
	}
}

// SetPatience sets how long a lost server is asked again.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }

// SSLMode says how connections are protected.
func (a *Address) SSLMode() string {
	switch t := a.config.TLSConfig; {
	case t == nil:
		return "off"
	case t.InsecureSkipVerify:
		return "encrypted"
	}
	return "verified"
}

// Exec runs a statement as a person with psql does.
func (s *Store) Exec(t testing.TB, text string) {
	t.Helper()
	if _, err := s.query(t.Context(), sql(text)); err != nil {
		t.Fatal(err)
	}
}
