package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"arbor/mdstore"
)

// A Begun notes that a caller on this machine began a session with a file, or took it up.
type Begun struct {
	Session   mdstore.ID `json:"session"`
	Workspace mdstore.ID `json:"workspace"`
	Caller    string     `json:"caller,omitempty"` // the id under which the caller is bound; "" once the session has ended
	By        string     `json:"by,omitempty"`     // the identifier or the client that the caller belongs to; "" if unknown
}

// begunFile is in .local/. If it is lost, a caller's session is the one named like the caller, and no session is
// resumed.
const begunFile = mdstore.Path("sessions.json")

const begunMost = 1000 // sessions that are noted, the newest

// ReadBegun returns the sessions that were begun on this machine, the newest last. A damaged file has none.
func ReadBegun(ctx context.Context, st mdstore.Store) (all []Begun, err error) {
	local, ok := mdstore.AsStore[mdstore.Local](st)
	if !ok {
		return nil, nil
	}
	data, err := local.ReadLocal(ctx, begunFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if json.Unmarshal(data, &all) != nil {
		return nil, nil
	}
	return all, nil
}

// EditBegun changes the note while no other process does.
func EditBegun(ctx context.Context, st mdstore.Store, edit func([]Begun) []Begun) error {
	local, ok := mdstore.AsStore[mdstore.Local](st)
	if !ok {
		return nil
	}
	return st.Update(ctx, func(mdstore.Tx) error {
		all, err := ReadBegun(ctx, st)
		if err != nil {
			return err
		}
		all = edit(all)
		data, err := json.MarshalIndent(all[max(0, len(all)-begunMost):], "", "  ")
		if err != nil {
			return err
		}
		return local.WriteLocal(ctx, begunFile, append(data, '\n'))
	})
}

// With returns the note with one more session, which is then the newest.
func With(all []Begun, b Begun) []Begun {
	same := func(o Begun) bool {
		return o.Session == b.Session && o.Workspace == b.Workspace && (o.Caller == b.Caller || o.Caller == "")
	}
	return append(slices.DeleteFunc(all, same), b)
}

// FileOf returns the session that a caller has in a workspace: the one that it began or continued last, or else the one
// named like the caller.
func FileOf(all []Begun, ws mdstore.ID, caller string) string {
	for _, b := range slices.Backward(all) {
		if b.Caller == caller && b.Workspace == ws {
			return string(b.Session)
		}
	}
	return caller
}
