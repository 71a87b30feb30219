package env

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// A Loop counts how often in a row a session made the same call and got the same result.
type Loop struct {
	key  string
	last []byte
	n    int
}

// MaxSame is how often in a row the same call may have the same result.
const MaxSame = 4

// Stuck reports whether a call repeats the last MaxSame calls, all of which had the same result.
func (l *Loop) Stuck(environment, tool string, args json.RawMessage) bool {
	return l.n >= MaxSame && l.key == loopKey(environment, tool, args)
}

// Ran notes the result of a call.
func (l *Loop) Ran(environment, tool string, args json.RawMessage, result []byte) {
	key := loopKey(environment, tool, args)
	if key != l.key || !bytes.Equal(result, l.last) {
		l.key, l.last, l.n = key, bytes.Clone(result), 0
	}
	l.n++
}

func loopKey(environment, tool string, args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) == nil {
		args, _ = json.Marshal(v)
	}
	return fmt.Sprintf("%q %q %s", environment, tool, args)
}

// A CallLog has the calls that a server remembers for its sessions, as long as it runs. A nil CallLog remembers
// nothing. Its methods may be called by several goroutines at once.
type CallLog struct {
	mu    sync.Mutex
	loops map[string]*Loop
	seen  map[[3]string]string // the version of a file, by session, environment and path
}

const maxSeen = 10_000 // entries of Memory.seen; when it is full, Show empties it first

func (m *CallLog) loop(session string) *Loop {
	if m.loops == nil {
		m.loops = map[string]*Loop{}
	}
	if m.loops[session] == nil {
		m.loops[session] = &Loop{}
	}
	return m.loops[session]
}

// Stuck is Loop.Stuck of a session.
func (m *CallLog) Stuck(session, environment, tool string, args json.RawMessage) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loop(session).Stuck(environment, tool, args)
}

// Ran is Loop.Ran of a session.
func (m *CallLog) Ran(session, environment, tool string, args json.RawMessage, result []byte) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loop(session).Ran(environment, tool, args, result)
}

// Show notes that a session knows a version of a file.
func (m *CallLog) Show(session, environment, path, version string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil || len(m.seen) >= maxSeen {
		m.seen = map[[3]string]string{}
	}
	m.seen[[3]string{session, environment, path}] = version
}

// Saw reports whether a session knows this version of a file.
func (m *CallLog) Saw(session, environment, path, version string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[[3]string{session, environment, path}] == version
}
