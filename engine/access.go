package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"sync"
	"time"

	"arbor/mdstore"
)

// accessFile lies in .local/, so that reading a workspace makes no difference for git. A file that is lost or damaged leaves the ages of
// workspaces unknown.
const accessFile = mdstore.Path("access")

// accessStep is how much later an access must be than the one that is kept, for the file to be written again.
const accessStep = time.Minute

// An access is what is noted of a workspace on this machine.
type access struct {
	At       int64 `json:"at"`                 // of the last access, Unix milliseconds
	Resolved bool  `json:"resolved,omitempty"` // a resolve on this machine made the workspace
}

// accesses are those that the engine has noted, so that it need not read the file each time.
type accesses struct {
	mu    sync.Mutex
	noted map[mdstore.ID]time.Time // guarded by mu: when each was last written to the file, or found in it
}

// recent reports whether the file has an access of the workspace that is less than accessStep old.
func (a *accesses) recent(ws mdstore.ID, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.noted[ws]
	return ok && !at.After(now) && now.Sub(at) < accessStep
}

func (a *accesses) note(ws mdstore.ID, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.noted == nil {
		a.noted = map[mdstore.ID]time.Time{}
	}
	a.noted[ws] = at
}

// Touched notes that a workspace was used: loaded, resolved, bound or written to. An access within a minute after the last one that is
// noted changes nothing. What cannot be noted is logged, and nothing fails for it.
func Touched(ctx context.Context, e *Engine, ws mdstore.ID) {
	if e.access.recent(ws, e.opt.Now()) {
		return
	}
	noAccess(e, ws, e.st.Update(ctx, func(mdstore.Tx) error { return touch(ctx, e, ws, false) }))
}

// touched is Touched while the lock of the store is held.
func touched(ctx context.Context, e *Engine, ws mdstore.ID) {
	if !e.access.recent(ws, e.opt.Now()) {
		noAccess(e, ws, touch(ctx, e, ws, false))
	}
}

func noAccess(e *Engine, ws mdstore.ID, err error) {
	if err != nil {
		e.opt.Log.Warn("the access to a workspace cannot be noted", "workspace", ws, "error", err)
	}
}

// touch notes an access, and whether a resolve has made the workspace. The lock of the store must be held.
func touch(ctx context.Context, e *Engine, ws mdstore.ID, resolved bool) error {
	now := e.opt.Now()
	all, err := readAccess(ctx, e)
	if err != nil {
		return err
	}
	old := all[ws]
	if at := time.UnixMilli(old.At); resolved || old.At > now.UnixMilli() || now.Sub(at) >= accessStep {
		all[ws] = access{At: now.UnixMilli(), Resolved: old.Resolved || resolved}
		if err := writeAccess(ctx, e, all); err != nil {
			return err
		}
	}
	e.access.note(ws, time.UnixMilli(all[ws].At))
	return nil
}

// forget drops what is noted of a workspace that is gone.
func forget(ctx context.Context, e *Engine, ws mdstore.ID) {
	noAccess(e, ws, e.st.Update(ctx, func(mdstore.Tx) error {
		all, err := readAccess(ctx, e)
		if _, noted := all[ws]; err != nil || !noted {
			return err
		}
		delete(all, ws)
		return writeAccess(ctx, e, all)
	}))
	e.access.mu.Lock()
	defer e.access.mu.Unlock()
	delete(e.access.noted, ws)
}

// Accessed returns when workspaces were last used on this machine, to the minute. One that is missing was not, as far as is known.
func Accessed(ctx context.Context, e *Engine) map[mdstore.ID]time.Time {
	out := map[mdstore.ID]time.Time{}
	all, err := readAccess(ctx, e)
	if err != nil {
		e.opt.Log.Warn("accesses cannot be read", "error", err)
	}
	for ws, a := range all {
		out[ws] = time.UnixMilli(a.At)
	}
	return out
}

// readAccess reads the file; it is empty where the store keeps none for this machine, and where it is damaged.
func readAccess(ctx context.Context, e *Engine) (map[mdstore.ID]access, error) {
	all := map[mdstore.ID]access{}
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return all, nil
	}
	data, err := local.ReadLocal(ctx, accessFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if json.Unmarshal(data, &all) != nil || all == nil {
		all = map[mdstore.ID]access{}
	}
	maps.DeleteFunc(all, func(_ mdstore.ID, a access) bool { return a.At <= 0 })
	return all, nil
}

func writeAccess(ctx context.Context, e *Engine, all map[mdstore.ID]access) error {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return local.WriteLocal(ctx, accessFile, append(data, '\n'))
}
