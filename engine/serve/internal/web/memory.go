package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// How many items a page has; a link brings the others.
const (
	slotsOnPage    = 200
	entriesOnPage  = 100
	sessionsOnPage = 200
)

type slots struct {
	Groups   []slotGroup
	Query    string
	Archived bool
	Next     string // the cursor of the next page; "" for none
}

// A slotGroup has the slots of a group; those without one come first.
type slotGroup struct {
	Name  string
	Slots []slotRow
}

type slotRow struct {
	ops.SlotOut
	First string // the first line of the newest entry
}

func (s *Site) memory(r *http.Request, v *screen) error {
	v.Title = "Memory"
	b := slots{Query: strings.TrimSpace(r.FormValue("q")), Archived: r.FormValue("archived") != ""}
	v.Body = &b
	if len(v.All) == 0 {
		return nil
	}
	in := ops.MemoryListIn{Query: b.Query, Archived: b.Archived}
	in.Limit, in.Cursor, in.WorkspaceID = slotsOnPage, r.FormValue("cursor"), v.Workspace
	if v.Static {
		in.Limit = everyNode
	}
	out, err := ops.MemoryList(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	b.Next = out.Cursor
	first := map[string]string{}
	err = s.pages(r, v, func(snap *view.View) {
		for _, slot := range out.Slots {
			p, err := view.Slot(snap, slot.ID, false)
			if err != nil { // it is archived
				continue
			}
			if all := mdstore.ByTime(mdstore.EntriesOf(p.Doc())); len(all) > 0 {
				first[slot.ID] = firstLine(all[len(all)-1].Text)
			}
		}
	})
	if err != nil {
		return err
	}
	groups := map[string][]slotRow{}
	for _, slot := range out.Slots {
		groups[slot.Group] = append(groups[slot.Group], slotRow{slot, first[slot.ID]})
	}
	for name, all := range groups {
		b.Groups = append(b.Groups, slotGroup{name, all})
	}
	slices.SortFunc(b.Groups, func(x, y slotGroup) int { return strings.Compare(x.Name, y.Name) })
	return nil
}

// pages calls read with the view of the workspace and the documents of its pages. It may call it several times.
func (s *Site) pages(r *http.Request, v *screen, read func(*view.View)) error {
	return s.engine.Read(r.Context(), func(ctx context.Context) error {
		snap, err := s.engine.WithPages(ctx, mdstore.ID(v.Workspace))
		if err == nil {
			read(snap)
		}
		return err
	})
}

type slotPage struct {
	*ops.MemoryReadOut
	Group, Description string
	Others             []string // the names of the other slots
}

func (s *Site) slot(r *http.Request, v *screen) error {
	in := ops.MemoryReadIn{SlotRef: ops.SlotRef{In: ops.In{WorkspaceID: v.Workspace}, Slot: r.PathValue("id")},
		Limit: entriesOnPage, Cursor: r.FormValue("cursor")}
	if v.Static {
		in.Limit = 0
	}
	out, err := ops.MemoryRead(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	slices.Reverse(out.Entries)
	b := slotPage{MemoryReadOut: out}
	err = s.pages(r, v, func(snap *view.View) {
		if p, err := view.Slot(snap, r.PathValue("id"), false); err == nil {
			b.Group, b.Description = mdstore.SlotGroup(p), p.Field(mdstore.KeyDescription)
		}
		b.Others = nil
		for _, p := range snap.Pages().Of(mdstore.SlotKind) {
			if name := mdstore.SlotName(p); name != out.Slot {
				b.Others = append(b.Others, name)
			}
		}
	})
	if err != nil {
		return err
	}
	v.Title, v.Body = out.Slot, b
	return nil
}

// entry edits or removes an entry of a slot.
func (s *Site) entry(w http.ResponseWriter, r *http.Request) {
	var in struct{ WorkspaceID, Slot, EntryID, Was, Text, To string }
	if !readJSON(w, r, &in) {
		return
	}
	lf := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") } // as forms send line ends
	s.work(w, r, func(env *ops.Env) (any, error) {
		return ops.EntryEdit(r.Context(), env, ops.EntryEditIn{SlotRef: ops.SlotRef{
			In: ops.In{WorkspaceID: in.WorkspaceID}, Slot: in.Slot}, EntryID: in.EntryID, Was: lf(in.Was), Text: lf(in.Text),
			To: strings.TrimSpace(in.To)})
	})
}
