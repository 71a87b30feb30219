package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"arbor/mdstore"
)

// accessFile lies in .local/, so that reading a workspace makes no difference for git. A file that is lost or damaged leaves the ages of
// workspaces unknown.
const accessFile = mdstore.Path("access")

// accessStep is how much later an access must be than the one that is noted, for the file to be written again.
const accessStep = time.Minute

// An access is what is noted of a workspace on this machine.
type access struct {
	At       int64 `json:"at"`                 // of the last access, Unix milliseconds
	Resolved bool  `json:"resolved,omitempty"` // a resolve on this machine made the workspace
}

// recent reports whether the access is less than accessStep old. One that lies ahead was made by another clock.
func (a access) recent(now time.Time) bool {
	age := now.UnixMilli() - a.At
	return age >= 0 && age < accessStep.Milliseconds()
}

// Touched notes that a workspace was used: loaded, resolved, bound or written to. An access within a minute after the last one that is
// noted changes nothing. What cannot be noted is logged, and nothing fails for it.
func Touched(ctx context.Context, e *Engine, ws mdstore.ID) {
	if all, err := readAccess(ctx, e); err != nil || !all[ws].recent(e.opt.Now()) {
		noteLater(ctx, e, ws, false, false)
	}
}

// noteLater is note for a caller who does not hold the store's lock.
func noteLater(ctx context.Context, e *Engine, ws mdstore.ID, resolved, gone bool) {
	if err := e.st.Update(ctx, func(mdstore.Tx) error { note(ctx, e, ws, resolved, gone); return nil }); err != nil {
		e.opt.Log.Warn("the access to a workspace cannot be noted", "workspace", ws, "error", err)
	}
}

// note notes an access to a workspace and that a resolve has made it, or that it is gone. The store's lock must be held.
func note(ctx context.Context, e *Engine, ws mdstore.ID, resolved, gone bool) {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	all, err := readAccess(ctx, e)
	old, noted := all[ws]
	if !ok || err == nil && (!gone && !resolved && old.recent(e.opt.Now()) || gone && !noted) {
		return
	}
	if err == nil {
		if all[ws] = (access{At: e.opt.Now().UnixMilli(), Resolved: old.Resolved || resolved}); gone {
			delete(all, ws)
		}
		var data []byte
		if data, err = json.Marshal(all); err == nil {
			err = local.WriteLocal(ctx, accessFile, append(data, '\n'))
		}
	}
	if err != nil {
		e.opt.Log.Warn("the access to a workspace cannot be noted", "workspace", ws, "error", err)
	}
}

// Accessed returns when workspaces were last used on this machine, to the minute. One that is missing was not, as far as is known.
func Accessed(ctx context.Context, e *Engine) map[mdstore.ID]time.Time {
	out := map[mdstore.ID]time.Time{}
	all, err := readAccess(ctx, e)
	if err != nil {
		e.opt.Log.Warn("accesses cannot be read", "error", err)
	}
	for ws, a := range all {
		if a.At > 0 {
			out[ws] = time.UnixMilli(a.At)
		}
	}
	return out
}

// readAccess reads the file; nothing is noted where the store keeps none for this machine, and where it is damaged.
func readAccess(ctx context.Context, e *Engine) (map[mdstore.ID]access, error) {
	all := map[mdstore.ID]access{}
	if local, ok := mdstore.AsStore[mdstore.Local](e.st); ok {
		data, err := local.ReadLocal(ctx, accessFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if json.Unmarshal(data, &all) != nil || all == nil {
			return map[mdstore.ID]access{}, nil
		}
	}
	return all, nil
}
