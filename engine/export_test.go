package engine

// Waiting returns how many requests nobody has taken yet.
func (e *Engine) Waiting() int {
	e.requests.mu.Lock()
	defer e.requests.mu.Unlock()
	return len(e.requests.waiting)
}
