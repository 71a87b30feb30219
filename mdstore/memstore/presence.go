package memstore

import (
	"context"
	"strconv"

	"arbor/mdstore"
)

var _ mdstore.Presence = (*Store)(nil)

// Appear makes somebody present until they leave.
func (s *Store) Appear(ctx context.Context) (token string, leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.present == nil {
		s.present = map[string]bool{}
	}
	s.appeared++
	token = "present-" + strconv.Itoa(s.appeared)
	s.present[token] = true
	return token, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.present, token)
	}, nil
}

// Present reports whether who appeared under the token has not left.
func (s *Store) Present(ctx context.Context, token string) (bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.present[token], ctx.Err()
}
