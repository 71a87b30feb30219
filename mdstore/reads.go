package mdstore

import (
	"context"
	"sync"
)

// Reads are files that a caller is about to read, each once. A store for which one large request costs less than many
// small ones fetches them together.
type Reads struct {
	mu      sync.Mutex
	left    []Path        // guarded by mu: not fetched yet
	fetched map[Path]File // guarded by mu
}

type readsKey struct{}

// WithReads returns a context whose Reads are these paths.
func WithReads(ctx context.Context, paths []Path) context.Context {
	return context.WithValue(ctx, readsKey{}, &Reads{left: paths, fetched: map[Path]File{}})
}

// readsAtOnce is how many files are fetched together.
const readsAtOnce = 512

// ReadAhead returns a file of the context's Reads, of which fetch reads many at a time. ok is false for any other file,
// and for one that fetch leaves out: the store reads it by itself.
func ReadAhead(ctx context.Context, p Path, fetch func([]Path) (map[Path]File, error)) (f File, ok bool, err error) {
	r, _ := ctx.Value(readsKey{}).(*Reads)
	if r == nil {
		return File{}, false, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok = r.fetched[p]; !ok && len(r.left) > 0 {
		n := min(len(r.left), readsAtOnce)
		some, err := fetch(r.left[:n])
		if err != nil {
			return File{}, false, err
		}
		r.left = r.left[n:]
		for q, f := range some {
			r.fetched[q] = f
		}
		f, ok = r.fetched[p]
		delete(r.fetched, p)
		return f, ok, nil
	}
	delete(r.fetched, p)
	return f, ok, nil
}
