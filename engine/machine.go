package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// A Machine has this machine's notes for its user, who has no session. A lost or damaged note counts as an empty one.
type Machine struct {
	Workspace mdstore.ID                `json:"workspace,omitempty"` // the default one; "" for none
	Focus     map[mdstore.ID]mdstore.ID `json:"focus,omitempty"`     // the node last begun or focused, by workspace
	Rules     map[mdstore.ID]string     `json:"rules,omitempty"`     // the hash of the rules shown last, by workspace
}

// MachineFile is the place of the note in .local/.
const MachineFile = mdstore.Path("machine.json")

// MachineOf reads the note of this machine, which is empty if the store keeps none.
func (e *Engine) MachineOf(ctx context.Context) (Machine, error) {
	m := Machine{}
	if local, ok := mdstore.AsStore[mdstore.Local](e.st); ok {
		data, err := local.ReadLocal(ctx, MachineFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
		if json.Unmarshal(data, &m) != nil {
			m = Machine{}
		}
	}
	if m.Focus == nil {
		m.Focus = map[mdstore.ID]mdstore.ID{}
	}
	if m.Rules == nil {
		m.Rules = map[mdstore.ID]string{}
	}
	return m, nil
}

// EditMachine changes the note of this machine under the lock. It does nothing if the store keeps no note.
func (e *Engine) EditMachine(ctx context.Context, edit func(*Machine)) error {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return nil
	}
	return e.st.Update(ctx, func(mdstore.Tx) error {
		m, err := e.MachineOf(ctx)
		if err != nil {
			return err
		}
		edit(&m)
		data, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		return local.WriteLocal(ctx, MachineFile, append(data, '\n'))
	})
}
