package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"arbor/mdstore"
)

// accessFile lies in .local/, so that reading a workspace makes no difference for git. A file that is lost or damaged
// leaves the ages of workspaces unknown.
const accessFile = mdstore.Path("access")

// accessStep is the least time between two noted accesses of a workspace.
const accessStep = time.Minute

// An access is this machine's note about the use of a workspace.
type access struct {
	At       int64 `json:"at"`                 // time of the last access, Unix milliseconds
	Resolved bool  `json:"resolved,omitempty"` // a resolve on this machine made the workspace
}

// Touched notes that a workspace was used: loaded, resolved, bound or written to. It notes at most one use a minute.
// If the note cannot be written, nothing fails.
func (e *Engine) Touched(ctx context.Context, ws mdstore.ID) {
	now := e.opt.Now().UnixMilli()
	recent := func(at int64) bool { return at != 0 && now >= at && now-at < accessStep.Milliseconds() }
	if at, _ := e.touched.Load(ws); at != nil && recent(at.(int64)) {
		return
	}
	all, err := e.readAccess(ctx)
	if err == nil && recent(all[ws].At) {
		e.touched.Store(ws, all[ws].At)
		return
	}
	_ = e.editAccess(ctx, func(all map[mdstore.ID]access) { all[ws] = access{now, all[ws].Resolved} })
}

type accessEdit func(map[mdstore.ID]access)

// editAccess changes the notes. An error is only logged.
func (e *Engine) editAccess(ctx context.Context, edit accessEdit) error {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return nil
	}
	e.touched.Clear() // what was noted may go
	err := e.st.Update(ctx, func(mdstore.Tx) error {
		all, err := e.readAccess(ctx)
		if err != nil {
			return err
		}
		edit(all)
		data, err := json.Marshal(all)
		if err != nil {
			return err
		}
		return local.WriteLocal(ctx, accessFile, append(data, '\n'))
	})
	if err != nil {
		e.opt.Log.Warn("an access to a workspace cannot be noted", "error", err)
	}
	return err
}

// Accessed returns when workspaces were last used on this machine, to the minute. A workspace without a noted access is
// not in the map.
func (e *Engine) Accessed(ctx context.Context) map[mdstore.ID]time.Time {
	out := map[mdstore.ID]time.Time{}
	all, err := e.readAccess(ctx)
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

// readAccess reads the notes. They are empty if the store keeps no file for this machine, or the file is damaged.
func (e *Engine) readAccess(ctx context.Context) (map[mdstore.ID]access, error) {
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
