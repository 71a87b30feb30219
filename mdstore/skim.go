package mdstore

import (
	"math"
	"strconv"
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A Skimmer reads what many files state, one after the other, as ParseNode does, and keeps nothing else of them: no document, and few pieces
// of memory. The zero Skimmer is ready. It is not safe for concurrent use.
type Skimmer struct {
	text   strings.Builder // the texts of several nodes, one behind the other: their strings are parts of it
	parent ID              // of the node before: siblings often lie side by side
}

// skimChunk is how much text shares one piece of memory.
const skimChunk = 8 << 10

// Skim returns the node that a file states, without its document. The file's bytes are not kept. Its version may be zero, for a file that is told apart by its stamp.
func (s *Skimmer) Skim(f File) Node {
	if n, ok := s.sound(f); ok {
		return n
	}
	n := *ParseNode(f) // it has something to say of the file, or the file is of a rarer form
	n.doc = nil
	n.ID, n.Parent, n.Title = s.id(f.Path, string(n.ID)), s.above(string(n.Parent)), s.keep(n.Title)
	if role, ok := roleOf(string(n.Role)); ok {
		n.Role = role
	} else {
		n.Role = Role(strings.Clone(string(n.Role)))
	}
	if t, status, ok := standing(string(n.Type), string(n.Status)); ok {
		n.Type, n.Status = t, status
	} else {
		n.Type, n.Status = statemachine.Type(strings.Clone(string(n.Type))), statemachine.Status(strings.Clone(string(n.Status)))
	}
	return n
}

// sound reads a file that is of the usual form and without any fault; ok is false for any other.
func (s *Skimmer) sound(f File) (n Node, ok bool) {
	fields, ok := mdoc.ReadFields(f.Data)
	if !ok {
		return n, false
	}
	n = Node{Path: f.Path, Stamp: f.Stamp, version: f.Version, Order: math.NaN()}
	var id, kind, status, title string
	for i := range fields {
		v := fields[i].Value
		switch fields[i].Key {
		case KeyID:
			id = v
		case KeyTitle:
			title = v
		case KeyType:
			kind = v
		case KeyStatus:
			status = v
		case KeyRole:
			n.Role, ok = roleOf(v)
		case KeyParent:
			n.Parent = s.above(v)
		case KeyIsolated:
			n.Isolated = v == "true"
			ok = fields[i].Kind == mdoc.Bool || fields[i].Kind == mdoc.Null
		case KeyCreated:
			n.CreatedAt, ok = milliseconds(&fields[i])
		case KeyUpdated:
			n.UpdatedAt, ok = milliseconds(&fields[i])
		case KeyOrder:
			if fields[i].Kind != mdoc.Null {
				var err error
				n.Order, err = strconv.ParseFloat(v, 64)
				ok = err == nil && !math.IsNaN(n.Order)
			}
		}
		if !ok {
			return n, false
		}
	}
	if !ID(id).Valid() {
		return n, false
	}
	if n.Type, n.Status, ok = standing(kind, status); !ok {
		return n, false
	}
	n.ID = s.id(f.Path, id)
	if n.Title = string(n.ID); title != "" {
		n.Title = s.keep(title)
	}
	return n, true
}

func milliseconds(f *mdoc.Field) (int64, bool) {
	if f.Kind == mdoc.Null {
		return 0, true
	}
	v, err := strconv.ParseInt(f.Value, 10, 64)
	return v, err == nil
}

// id returns a node's id, which is the name of its folder as a rule.
func (s *Skimmer) id(p Path, id string) ID {
	if folder := p.Dir().Base(); folder == id {
		return ID(folder)
	}
	return ID(s.keep(id))
}

func (s *Skimmer) above(parent string) ID {
	switch parent {
	case "":
		return ""
	case string(Root):
		return Root
	case string(s.parent):
		return s.parent
	}
	s.parent = ID(s.keep(parent))
	return s.parent
}

// keep returns a text that shares its memory with others.
func (s *Skimmer) keep(text string) string {
	at := s.text.Len()
	if s.text.Cap()-at < len(text) {
		at = 0
		s.text.Reset()
		s.text.Grow(max(skimChunk, len(text)))
	}
	s.text.WriteString(text)
	return s.text.String()[at:]
}

// roleOf returns a role that does not hold on to the text that names it.
func roleOf(text string) (Role, bool) {
	switch Role(text) {
	case RoleNone:
		return RoleNone, true
	case RoleInfoCollection:
		return RoleInfoCollection, true
	case RoleValidation:
		return RoleValidation, true
	case RoleSummary:
		return RoleSummary, true
	}
	return "", false
}

// standings are the statuses of each type.
var standings = func() (all []lifeCycle) {
	for _, t := range statemachine.Types() {
		all = append(all, lifeCycle{t, statemachine.Statuses(t)})
	}
	return all
}()

type lifeCycle struct {
	kind     statemachine.Type
	statuses []statemachine.Status
}

// standing returns a type and a status of it which do not hold on to the texts that name them.
func standing(kind, status string) (statemachine.Type, statemachine.Status, bool) {
	for i := range standings {
		c := &standings[i]
		if string(c.kind) != kind {
			continue
		}
		for _, s := range c.statuses {
			if string(s) == status {
				return c.kind, s, true
			}
		}
	}
	return "", "", false
}

// Stand makes the node one of a type, a status and a role that a store has kept of a sound file. It reports false where there are none of these names.
func (n *Node) Stand(kind, status, role string) (ok bool) {
	if n.Type, n.Status, ok = standing(kind, status); ok {
		n.Role, ok = roleOf(role)
	}
	return ok
}
