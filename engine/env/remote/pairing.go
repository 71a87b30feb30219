package remote

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"strings"
	"sync"
	"time"
)

const (
	pairingLasts = 10 * time.Minute
	pairingTries = 5
)

// errCode says that no pairing is open with this code.
var errCode = errors.New("no pairing is open with this code; arbor serve --pair prints a new one")

// A Pairing is a code with which one client can register, once, within ten minutes and five tries. Its methods may be
// called by several goroutines at once. The zero Pairing takes no code.
type Pairing struct {
	mu    sync.Mutex
	code  string
	until time.Time
	tries int
}

// Open makes a code and returns it.
func (p *Pairing) Open(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.ToLower(rand.Text())
	p.code, p.until, p.tries = text[:4]+"-"+text[4:8], now.Add(pairingLasts), 0
	return p.code
}

// Take uses the code up.
func (p *Pairing) Take(now time.Time, code string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries++
	if p.code == "" || now.After(p.until) || p.tries > pairingTries || subtle.ConstantTimeCompare([]byte(p.code), []byte(code)) == 0 {
		return errCode
	}
	p.code = ""
	return nil
}
