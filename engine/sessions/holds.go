package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"arbor/mdstore"
)

// A Hold keeps the id of a session for the open connection that bound it.
type Hold struct {
	Connection string `json:"connection"`
	Seen       int64  `json:"seen"` // the connection's last sign of life, Unix milliseconds
}

const (
	holdFor   = time.Minute      // how long a hold lasts after the last sign of life
	HoldRenew = 20 * time.Second // how often a server notes signs of life
	holdKept  = 24 * time.Hour   // after it a hold is dropped: until then a connection that slept renews it
)

// holdsFile is in .local/, because connections belong to this machine. If it is lost, nothing is held.
const holdsFile = mdstore.Path("holds.json")

// Holds are the holds as they were read, by the ids of sessions.
type Holds struct {
	all map[string]Hold
	raw []byte
	now time.Time
}

// ReadHolds reads the holds of a store. A damaged file holds nothing.
func ReadHolds(ctx context.Context, st mdstore.Store, now time.Time) (*Holds, error) {
	h := &Holds{all: map[string]Hold{}, now: now}
	local, ok := mdstore.AsStore[mdstore.Local](st)
	if !ok {
		return h, nil
	}
	data, err := local.ReadLocal(ctx, holdsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, err
	}
	if h.raw = data; json.Unmarshal(data, &h.all) != nil || h.all == nil {
		h.all = map[string]Hold{}
	}
	return h, nil
}

// EditHolds changes the holds while no other process does. Those of long ago are dropped.
func EditHolds(ctx context.Context, st mdstore.Store, now func() time.Time, edit func(*Holds) error) error {
	return st.Update(ctx, func(mdstore.Tx) error {
		h, err := ReadHolds(ctx, st, now())
		if err != nil {
			return err
		}
		if err := edit(h); err != nil {
			return err
		}
		maps.DeleteFunc(h.all, func(_ string, o Hold) bool { return !h.within(o, holdKept) })
		data, err := json.Marshal(h.all)
		if err != nil {
			return err
		}
		local, ok := mdstore.AsStore[mdstore.Local](st)
		if data = append(data, '\n'); !ok || bytes.Equal(data, h.raw) || h.raw == nil && len(h.all) == 0 {
			return nil
		}
		return local.WriteLocal(ctx, holdsFile, data)
	})
}

// within reports whether a connection lived in the last d. A sign of life in the future is none: the clock was wrong
// then.
func (h *Holds) within(o Hold, d time.Duration) bool {
	age := h.now.UnixMilli() - o.Seen
	return age <= d.Milliseconds() && age >= -d.Milliseconds()
}

// Other reports whether a connection other than this one holds an id; "" is no connection.
func (h *Holds) Other(session, connection string) bool {
	o, ok := h.all[session]
	return ok && h.within(o, holdFor) && o.Connection != connection
}

// Fresh reports whether a connection holds an id, and showed a sign of life just now.
func (h *Holds) Fresh(session, connection string) bool {
	o := h.all[session]
	return o.Connection == connection && h.within(o, HoldRenew)
}

// Set gives an id to a connection; with "" it is free.
func (h *Holds) Set(session, connection string) {
	if connection == "" {
		delete(h.all, session)
		return
	}
	h.all[session] = Hold{connection, h.now.UnixMilli()}
}

// Drop frees an id if a connection holds it.
func (h *Holds) Drop(session, connection string) {
	if h.all[session].Connection == connection {
		delete(h.all, session)
	}
}

// Seen notes when a connection last showed a sign of life, in all that it holds.
func (h *Holds) Seen(connection string, at time.Time) {
	for session, o := range h.all {
		if o.Connection == connection && (o.Seen < at.UnixMilli() || o.Seen > h.now.UnixMilli()) {
			h.all[session] = Hold{connection, at.UnixMilli()}
		}
	}
}

// Of returns the ids that a connection holds, sorted.
func (h *Holds) Of(connection string) (ids []string) {
	for session, o := range h.all {
		if o.Connection == connection {
			ids = append(ids, session)
		}
	}
	slices.Sort(ids)
	return ids
}
