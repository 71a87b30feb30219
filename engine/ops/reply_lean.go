package ops

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A leaner is a result that has another form in brief replies: lists as lines of text, and without what a reader does
// not need. short returns how the reply names a node.
type leaner interface {
	lean(short func(id string) string) any
}

// NodeLines is a NodeListOut in brief.
type NodeLines struct {
	Nodes  []string   `json:"nodes"`           // "ID TYPE STATUS TITLE · MARK …", indented below their parents
	Above  int        `json:"above,omitempty"` // as in NodeListOut
	Total  int        `json:"total,omitempty"` // nodes that match, if these are more than are shown
	Shown  int        `json:"shown,omitempty"` // likewise
	Cursor string     `json:"cursor,omitempty"`
	Lost   int        `json:"lost,omitempty"`
	Waves  [][]Titled `json:"waves,omitempty"`
	Out
}

func (out *NodeListOut) lean(short func(id string) string) any {
	l := &NodeLines{Above: out.Above, Cursor: out.Cursor, Lost: out.Lost, Waves: out.Waves, Out: out.Out}
	if out.Shown < out.Total {
		l.Total, l.Shown = out.Total, out.Shown
	}
	var add func(ns []*TreeNode, depth int)
	add = func(ns []*TreeNode, depth int) {
		for _, n := range ns {
			l.Nodes = append(l.Nodes, strings.Repeat(" ", depth)+n.line(short))
			add(n.Children, depth+1)
		}
	}
	add(out.Tree, 0)
	return l
}

func (out *SearchOut) lean(func(id string) string) any {
	l := *out
	l.Results = slices.Clone(out.Results)
	leanSources(len(l.Results), func(i int) *Source { return &l.Results[i].Source })
	return &l
}

func (out *AskOut) lean(func(id string) string) any {
	l := *out
	l.Passages = slices.Clone(out.Passages)
	leanSources(len(l.Passages), func(i int) *Source { return &l.Passages[i].Source })
	return &l
}

// leanSources leaves out the workspace of sources that are all of one, lines in files that a reader knows by other
// names, and the slot of an entry that its title begins with.
func leanSources(n int, at func(i int) *Source) {
	one := true
	for i := range n {
		one = one && at(i).WorkspaceID == at(0).WorkspaceID
	}
	for i := range n {
		s := at(i)
		if one {
			s.WorkspaceID = ""
		}
		if s.Kind != "doc" {
			s.Line = 0
		}
		if s.Kind == "entry" {
			s.ID = "" // the slot's id; its name is shown
		}
		if s.Title == s.Slot {
			s.Title = ""
		}
	}
}

func (out *ChangesGetOut) lean(func(id string) string) any {
	l := *out
	l.Changes = slices.Clone(out.Changes)
	for i := range l.Changes {
		c := &l.Changes[i]
		c.Path, c.From = string(c.path), string(c.from)
		if c.NodeID != "" && !c.page {
			c.Path, c.From = "", ""
		}
		c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(key string) bool { return key == mdstore.KeyUpdated })
		if c.Text != nil {
			c.Fields, c.Sections = nil, nil
		}
	}
	return &l
}

// SlotLines is a MemoryListOut in brief.
type SlotLines struct {
	List   []string `json:"list" always:"true"` // "NAME · group G · #TAG … · N entries · DESCRIPTION …"
	Tagged []string `json:"tagged,omitempty"`   // tags with the number of their slots, as "api 3"
	Groups []string `json:"grouped,omitempty"`
	Total  int      `json:"total,omitempty"` // if more slots match than are shown
	Cursor string   `json:"cursor,omitempty"`
	Out
}

func (out *MemoryListOut) lean(func(id string) string) any {
	l := &SlotLines{Tagged: counted(out.Tags), Groups: counted(out.Groups), Cursor: out.Cursor, Out: out.Out}
	if len(out.Slots) < out.Total {
		l.Total = out.Total
	}
	for _, s := range out.Slots {
		l.List = append(l.List, s.line(out.Slots))
	}
	return l
}

func counted(all []Counted) (lines []string) {
	for _, c := range all {
		lines = append(lines, fmt.Sprintf("%s %d", c.Name, c.Slots))
	}
	return lines
}

// line returns the slot in a line; it names the workspace unless all slots are of one.
func (s *SlotOut) line(all []SlotOut) string {
	marks := []string{s.Name}
	mark := func(is bool, form string, values ...any) {
		if is {
			marks = append(marks, fmt.Sprintf(form, values...))
		}
	}
	day := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }
	other := func(o SlotOut) bool { return o.WorkspaceID != s.WorkspaceID }
	mark(slices.ContainsFunc(all, other), "in %s", s.WorkspaceID)
	mark(s.Group != "", "group %s", s.Group)
	mark(len(s.Tags) > 0, "#%s", strings.Join(s.Tags, " #"))
	mark(s.Priority != 0, "priority %d", s.Priority)
	mark(s.Entries == 1, "1 entry")
	mark(s.Entries != 1, "%d entries", s.Entries)
	mark(s.Compressed, "compressed")
	mark(s.ArchivedAt != 0, "archived %s", day(s.ArchivedAt))
	mark(s.LastAccessed != 0, "last used %s", day(s.LastAccessed))
	mark(s.Reason != "", "%s", s.Reason)
	mark(s.Description != "", "%s", s.Description)
	mark(s.Problem != "", "damaged: %s", s.Problem)
	return strings.Join(marks, " · ")
}

// DeedLines is an UndoOut in brief.
type DeedLines struct {
	Undone string   `json:"undone,omitempty"`
	ID     string   `json:"id,omitempty"`
	List   []string `json:"list,omitempty"`   // operations, the newest first: "ID WHAT · WHO …"
	Hidden int      `json:"hidden,omitempty"` // operations that a bounded result leaves out
	Wrote
}

func (out *UndoOut) lean(func(id string) string) any {
	l := &DeedLines{Undone: out.Undone, ID: out.ID, Hidden: out.Hidden, Wrote: out.Wrote}
	for _, o := range out.Operations {
		line := o.ID + " " + o.Text
		if by := byWhom(o.Operator, o.Who, o.Session); by != "" {
			line += " · " + by
		}
		if o.Undone {
			line += " · undone"
		}
		if o.TooLarge {
			line += " · too large to be undone"
		}
		if o.Diff != "" {
			line += "\n" + o.Diff
		}
		l.List = append(l.List, line)
	}
	if l.List != nil { // nothing was to be changed
		l.Changed = true
	}
	return l
}

// line returns the node in a line.
func (n *TreeNode) line(short func(id string) string) string {
	marks := n.Marks()
	mark := func(is bool, text string) {
		if is {
			marks = append(marks, text)
		}
	}
	mark(n.ParentID != "", "in "+short(n.ParentID))
	mark(len(n.BlockedBy) > 0, "waits for "+strings.Join(shorts(short, n.BlockedBy), ", "))
	mark(n.ClaimedBy != "", "claimed by "+n.ClaimedBy)
	mark(n.HasProblem, "problem")
	mark(n.Damaged, "damaged")
	mark(n.Hidden > 0, fmt.Sprintf("%d more below", n.Hidden))
	mark(n.Focused, "focus")
	return strings.Join(append([]string{
		fmt.Sprintf("%s %s %s %s", short(n.ID), n.Type, n.Status, n.Title)}, marks...), " · ")
}

func shorts(short func(id string) string, ids []string) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = short(id)
	}
	return all
}

// titleIn reports whether a reply whose data has these texts shows the title of a node beside its id, or in a line that
// begins with it.
func titleIn(texts map[string]bool, lines map[string]string, n *mdstore.Node, short string) bool {
	for _, id := range []string{string(n.ID), short} {
		if texts[id] && texts[n.Title] || strings.Contains(lines[id], n.Title) && n.Title != "" {
			return n.Title != id
		}
	}
	return false
}

// titlesIn returns the titles that a reply shows, of the nodes as they were read last. See titleIn.
func (env *Env) titlesIn(
	ws mdstore.ID, texts map[string]bool, lines map[string]string, short func(id string) string,
) (sent []plan.Text) {
	v := env.Engine.Live().Last(ws)
	if v == nil {
		return nil
	}
	shown := func(id string) bool { _, begins := lines[id]; return begins || texts[id] }
	for n := range v.All() {
		id := string(n.ID)
		if (shown(id) || shown(view.Short(id))) && titleIn(texts, lines, n, short(id)) {
			sent = append(sent, plan.Text{NodeID: n.ID, Field: "title", Text: n.Title})
		}
	}
	return sent
}
