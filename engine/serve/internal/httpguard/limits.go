package httpguard

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// What each token may ask for. A request costs one unit, and one more for each started 64 KiB of its body.
const (
	unitsPerSecond = 50
	unitsAtOnce    = 500
	unitBytes      = 64 << 10
)

// How failed logins are slowed down. An address is forgotten an hour after its last failure.
const (
	firstDelay   = 100 * time.Millisecond // doubled with each further failure of an address
	maxDelay     = 5 * time.Second
	maxWaiting   = 64 // failed logins that wait at once; further ones are refused at once
	forgetAfter  = time.Hour
	maxAddresses = 10_000
)

// Limits bound how often each token may be used, and slow down those who guess tokens. The zero Limits work.
type Limits struct {
	Now   func() time.Time                     // nil: time.Now
	After func(time.Duration) <-chan time.Time // nil: time.After
	Log   *slog.Logger                         // nil: nothing is logged
	// Proxied says that a proxy on this machine passes requests on, and adds the address of the client to
	// X-Forwarded-For.
	Proxied bool

	mu      sync.Mutex
	left    map[string]allowance // by the id of the token
	open    map[string]int       // requests that are being answered, by the id of the token
	failed  map[string]failures  // by address
	waiting int
}

type allowance struct {
	units float64
	at    time.Time
}

type failures struct {
	count int
	last  time.Time
}

func (l *Limits) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// maxOpen is how many requests of a token are answered at once, streams included.
const maxOpen = 200

// Take takes a request of a token out of its allowance, until the request ends. It returns how long the client must
// wait if nothing is left.
func (l *Limits) Take(token string, r *http.Request) (wait time.Duration) {
	cost := 1 + float64(max(r.ContentLength, 0)/unitBytes)
	if r.ContentLength < 0 { // its length is not known before it has been read
		cost = 1 + maxUnknown/unitBytes
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a, ok := l.left[token]
	if !ok {
		a = allowance{unitsAtOnce, now}
	}
	a.units = min(unitsAtOnce, a.units+unitsPerSecond*now.Sub(a.at).Seconds())
	a.at = now
	if l.open[token] >= maxOpen {
		wait = time.Second
	} else if a.units < cost {
		wait = time.Duration((cost - a.units) / unitsPerSecond * float64(time.Second))
	} else {
		a.units -= cost
		l.begin(r.Context(), token)
	}
	if l.left == nil {
		l.left = map[string]allowance{}
	}
	l.left[token] = a
	return wait
}

// begin counts a request of a token until it ends. l.mu must be held.
func (l *Limits) begin(request context.Context, token string) {
	if l.open == nil {
		l.open = map[string]int{}
	}
	l.open[token]++
	context.AfterFunc(request, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.open[token]--; l.open[token] == 0 {
			delete(l.open, token)
		}
	})
}

// maxUnknown is what a body of unknown length costs, in bytes: a server reads no more of any.
const maxUnknown = 4 << 20

// Failed counts a failed login of a request's address, and returns after a delay, which grows with each failure. busy
// says that so many failed logins wait that this one did not.
func (l *Limits) Failed(ctx context.Context, r *http.Request) (busy bool) {
	address := l.address(r)
	l.mu.Lock()
	now := l.now()
	if l.failed == nil || len(l.failed) >= maxAddresses {
		l.failed = map[string]failures{}
	}
	f := l.failed[address]
	if now.Sub(f.last) > forgetAfter {
		f.count = 0
	}
	f.count, f.last = f.count+1, now
	l.failed[address] = f
	if busy = l.waiting >= maxWaiting; !busy {
		l.waiting++
	}
	l.mu.Unlock()
	if log := l.Log; log != nil && f.count&(f.count-1) == 0 { // 1, 2, 4, 8, …
		log.Warn("a login failed", "address", address, "failures", f.count)
	}
	if busy {
		return true
	}
	after := l.After
	if after == nil {
		after = time.After
	}
	select {
	case <-ctx.Done():
	case <-after(min(maxDelay, firstDelay<<min(f.count-1, 10))):
	}
	l.mu.Lock()
	l.waiting--
	l.mu.Unlock()
	return false
}

// address returns the address for which a failed login counts: that of the client, or behind a proxy the one that the
// proxy says it heard. That is the last of X-Forwarded-For; those before it are what the client claims. From another
// machine than this one the header counts for nothing.
func (l *Limits) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	all := r.Header["X-Forwarded-For"]
	if ip := net.ParseIP(host); !l.Proxied || ip == nil || !ip.IsLoopback() || len(all) == 0 {
		return host
	}
	last := all[len(all)-1]
	if ip := net.ParseIP(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); ip != nil {
		return ip.String()
	}
	return host
}

// Failures returns how many logins of an address have failed lately.
func (l *Limits) Failures(address string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed[address].count
}
