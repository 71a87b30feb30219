package mcpserv

import (
	"slices"
	"sync"
	"time"

	"arbor/engine/errs"
)

const mostMade = 100 // workspaces made for identifiers over HTTP within an hour, by all clients of the one token

// made are the times at which workspaces were made for identifiers over HTTP.
type made struct {
	mu sync.Mutex
	at []time.Time // guarded by mu: of the last hour
}

// another notes that one more workspace is made, or refuses it.
func (m *made) another(now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = slices.DeleteFunc(m.at, func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	if len(m.at) >= mostMade {
		return errs.New(errs.InvalidParams, "%d workspaces were made for identifiers within an hour, and no more are made; name a workspace, or try again in %v",
			mostMade, (time.Hour - now.Sub(m.at[0])).Round(time.Second))
	}
	m.at = append(m.at, now)
	return nil
}
