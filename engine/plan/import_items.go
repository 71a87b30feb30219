package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// ImportedKey is the key of a node that says what it was imported from: kind:key.
const ImportedKey = "importedFrom"

// An ImportItem is a task of another program: what every exchange format is read into.
type ImportItem struct {
	Key   string   // within the source
	Up    string   // the key of its parent; "" for none
	After []string // keys of items that it waits for
	At    string   // where it stands, for messages: "plan.md:12"

	Stray mdstore.Path // a file among the nodes that the node replaces: it goes to the trash; "" for none

	// File is the file of an item that comes from a workspace of Arbor. It keeps every byte, with its place below nodes/
	// and its id, if that is not taken; then only its ids, title, status and time of creation count of ImportNode. Links
	// has the keys of items by the texts that name them in the file.
	File  *mdstore.Node
	Links map[string]string

	// ImportNode has its texts and fields. Its ids and type are not used. Its status is one of either life cycle, "" for
	// pending; a target of References may be the key of an item.
	ImportNode
}

// ImportItems makes nodes of items, below a node, in one commit. Statuses are set without guards. What was imported
// before, by its key, stays as it is.
type ImportItems struct {
	Kind      string // of the source; "": it is not noted where the nodes come from, and all are new
	Scope     string // what the keys of this source begin with; nodes of that scope without an item are named
	Part      bool   // the source is a part of what that scope has, so no node of it is named
	Into      mdstore.ID
	Items     []ImportItem
	Files     map[mdstore.Path][]byte // further files of a workspace of Arbor, by their paths in it; nil: it is there
	Docs      []ImportDoc
	Memories  []ImportMemory // they become entries of the slot that has the name of the kind
	Pages     []ImportPage   // sessions and states; a session stands before its states
	Briefing  *Briefing      // the workspace gets the parts that it lacks; nil for none
	Vault     string         // the vault's folder in the project; the paths of documents begin with it
	RulesHash string
	RulesRead bool
	Cascade   bool
}

// ImportedItems is the result of an import. Its texts are one line each.
type ImportedItems struct {
	Made     []ImportedNode // parents before their children, in the order of the source
	Docs     []string       // paths of the new documents, in the vault
	Entries  int            // new entries of the slot
	Pages    int            // new sessions and states
	There    int            // items, documents, entries, sessions and states that were imported before
	Left     []string       // what was left out or changed
	Differ   []string       // nodes that differ from their items
	Gone     []string       // nodes whose items are not in the source any more
	Cascades []Cascade
}

// An ImportedNode is a node that an import has made.
type ImportedNode struct {
	ID     mdstore.ID
	Parent mdstore.ID
	Depth  int // below the node that was imported into
	Title  string
	Status statemachine.Status
}

// An importing is a call of ImportItems.Plan.
type importing struct {
	ImportItems
	d     *Draft
	out   *ImportedItems
	there map[string]*mdstore.Node // imported before, by key
	at    map[string]int           // indices of Items
	below map[string][]int         // by key of the parent
	ids   []mdstore.ID             // of Items; "" for one that was left out
	bad   map[string]string        // why items are left out, by key
	begin map[mdstore.ID]int64     // when the first new node below a node is created
	paths map[string]mdstore.Path  // of items with files, by key
	times map[moment]int64         // how many nodes have it
	last  map[mdstore.ID]int64     // the place of the last new node below a parent, in the order of siblings
}

// Plan adds the files of the new nodes.
func (a ImportItems) Plan(d *Draft) (*ImportedItems, error) {
	if err := cmp.Or(d.Writable(), d.View.Unread()); err != nil {
		return nil, err
	}
	if !a.RulesRead {
		if err := d.rulesRead(a.RulesHash); err != nil {
			return nil, err
		}
	}
	if _, err := d.place(a.Into, a.Cascade); err != nil {
		return nil, err
	}
	var broken []string
	drawn := len(d.drawn)
	for {
		m := &importing{ImportItems: a, d: d, out: &ImportedItems{}, there: map[string]*mdstore.Node{}, at: map[string]int{},
			below: map[string][]int{}, ids: make([]mdstore.ID, len(a.Items)), bad: map[string]string{},
			begin: map[mdstore.ID]int64{}, paths: map[string]mdstore.Path{}, times: map[moment]int64{},
			last: map[mdstore.ID]int64{}}
		d.drawn = d.drawn[:drawn]
		m.Items = slices.Clone(a.Items)
		m.known()
		if err := m.draw(); err != nil {
			return nil, err
		}
		m.placeFiles()
		m.dependencies()
		for _, i := range m.below[""] {
			m.settle(i)
		}
		m.compareAll()
		files, adapted := len(d.extra), len(d.adapted)
		m.grow("", a.Into, 0)
		if len(m.bad) == 0 {
			m.files()
			m.out.Left = append(broken, m.out.Left...)
			return m.out, cmp.Or(m.raise(), m.beside())
		}
		d.extra, d.adapted = d.extra[:files], d.adapted[:adapted]
		a.Items, broken = m.whole(a.Items), append(broken, slices.Sorted(maps.Values(m.bad))...)
	}
}

// whole returns the items without the broken ones, whose children get the parents of these.
func (m *importing) whole(items []ImportItem) (all []ImportItem) {
	for _, it := range items {
		if m.bad[it.Key] != "" {
			continue
		}
		for n := 0; m.bad[it.Up] != "" && n < len(items); n++ { // parents may form a circle
			it.Up = items[m.at[it.Up]].Up
		}
		all = append(all, it)
	}
	return all
}

// raise sets the statuses of the nodes above the new ones.
func (m *importing) raise() error {
	for _, n := range m.out.Made {
		if _, old := m.d.View.Node(n.Parent); !old || m.replaces(n.Parent) {
			continue
		}
		up, err := m.d.place(n.Parent, m.Cascade)
		if err != nil {
			return err
		}
		kind := statemachine.Execution
		if n.Status == statemachine.Monitoring {
			kind = statemachine.Planning
		}
		cascades, err := m.d.Raise(entered(kind, n.Status, up), m.Cascade, "child "+string(n.ID)+" created")
		if err != nil {
			return err
		}
		m.out.Cascades = append(m.out.Cascades, cascades...)
	}
	return nil
}

func (m *importing) left(at, format string, args ...any) {
	m.out.Left = append(m.out.Left, at+": "+fmt.Sprintf(format, args...))
}

// known finds the nodes that were imported before, and the items that are in the source no more.
func (m *importing) known() {
	for i, it := range m.Items {
		if first, twice := m.at[it.Key]; twice {
			m.left(it.At, "%s has the key of %s (%s); it is left out", short(it.Title),
				short(m.Items[first].Title), m.Items[first].At)
			continue
		}
		m.at[it.Key] = i
	}
	for i, it := range m.Items {
		if it.File == nil || m.at[it.Key] != i || it.ID == mdstore.Root && m.empty() {
			continue
		}
		if n, ok := m.d.View.Node(it.ID); ok && n.CreatedAt == it.CreatedAt {
			m.there[it.Key] = n
		}
	}
	if m.Kind == "" {
		m.out.There = len(m.there)
		return
	}
	for n := range m.d.View.All() {
		from, _ := n.Own().Key(ImportedKey)
		key, ok := strings.CutPrefix(from.Text(), m.Kind+":")
		if !ok {
			continue
		}
		if _, is := m.at[key]; is {
			m.there[key] = n
		} else if !m.Part && strings.HasPrefix(key, m.Scope) &&
			(m.Scope != "" || !strings.Contains(key, "#")) { // "a#1" is of project a
			m.out.Gone = append(m.out.Gone, view.Named(n))
		}
	}
	m.out.There = len(m.there)
}

// draw draws the ids of the new nodes, and puts each item below its parent. An item whose parents form a circle, or
// whose parent does not exist, is put at the top.
func (m *importing) draw() (err error) {
	for i := range m.Items {
		it := &m.Items[i]
		if m.at[it.Key] != i {
			continue
		}
		if it.Up != "" && !m.rooted(i) {
			m.left(it.At, "the parent of %s, %s, is not there, or is below it; it is put at the top", short(it.Title), it.Up)
			it.Up = ""
		}
		m.below[it.Up] = append(m.below[it.Up], i)
		if n := m.there[it.Key]; n != nil {
			m.ids[i] = n.ID
		} else if it.File != nil && m.free(it.ID) {
			m.ids[i], m.d.drawn = it.ID, append(m.d.drawn, it.ID)
		} else if m.ids[i], err = m.d.FreshID(); err != nil {
			return err
		}
	}
	return nil
}

// rooted reports whether the parents of an item lead to the top.
func (m *importing) rooted(i int) bool {
	for range m.Items {
		up := m.Items[i].Up
		if up == "" {
			return true
		}
		next, ok := m.at[up]
		if !ok {
			return false
		}
		i = next
	}
	return false
}

// settle gives an item and those below it their types, and statuses that these can have.
func (m *importing) settle(i int) (ended bool) {
	it, kids := &m.Items[i], m.below[m.Items[i].Key]
	open := 0
	for _, k := range kids {
		if !m.settle(k) {
			open++
		}
	}
	if n := m.there[it.Key]; n != nil {
		open = 0
		for _, k := range kids {
			if !statemachine.Terminal(m.Items[k].Status) {
				open++
			}
		}
		standing(it, len(kids), open)
		return statemachine.Terminal(n.Status)
	}
	if it.Status == statemachine.Completed && open > 0 && it.File == nil {
		m.left(it.At, "%s is done, and has %d open children; it is monitoring", short(it.Title), open)
	}
	return standing(it, len(kids), open)
}

// standing gives an item with so many children, and open ones among them, its type and status.
func standing(it *ImportItem, kids, open int) (ended bool) {
	if it.File != nil {
		return statemachine.Terminal(it.Status)
	}
	it.Type = statemachine.Execution
	if it.Status == "" {
		it.Status = statemachine.Pending
	}
	if it.Status == statemachine.Cancelled {
		it.Status = statemachine.Failed
	}
	if kids > 0 {
		it.Type = statemachine.Planning
		switch {
		case it.Status == statemachine.Failed:
			it.Status = statemachine.Cancelled
		case it.Status != statemachine.Completed || open > 0:
			it.Status = statemachine.Monitoring
		}
	}
	ended = statemachine.Terminal(it.Status)
	if ended && strings.TrimSpace(it.Conclusion) == "" {
		it.Conclusion = wasEnded(it.Status)
	}
	return ended
}

// grow adds the new nodes below an item, and below those. under is the node of that item.
func (m *importing) grow(key string, under mdstore.ID, depth int) {
	for nth, i := range m.below[key] {
		it := m.Items[i]
		if m.there[it.Key] == nil {
			if err := m.add(i, m.under(it, under), int64(nth), depth); err != nil {
				m.bad[it.Key] = fmt.Sprintf("%s: %s is left out: %s", it.At, short(it.Title), errs.As(err).Message)
			}
		}
		m.grow(it.Key, m.ids[i], depth+1)
	}
}

// under returns the node that a new node is put below: an existing node takes no children if it is an execution node,
// or has ended.
func (m *importing) under(it ImportItem, id mdstore.ID) mdstore.ID {
	n, old := m.d.View.Node(id)
	if !old || id == m.Into {
		return id
	}
	if _, err := m.d.place(id, false); err != nil {
		m.left(it.At, "%s is put below %s: %v", short(it.Title), m.Into, err)
		return m.Into
	}
	return n.ID
}

// add adds the file of a node. The error says why no file can hold it.
func (m *importing) add(i int, parent mdstore.ID, nth int64, depth int) error {
	it, d := &m.Items[i], m.d
	if it.File != nil {
		return m.addFile(i, parent, depth)
	}
	n, sums := it.ImportNode, m.source(i)
	n.ID, n.Parent = m.ids[i], parent
	m.place(&n, parent, nth)
	n.UpdatedAt = max(cmp.Or(n.UpdatedAt, d.now.UnixMilli()), n.CreatedAt)
	title, cut := fitTitle(n.Title)
	if cut {
		n.Requirement = strings.TrimSpace(n.Title + "\n\n" + n.Requirement)
	}
	n.Title = title
	m.fields(&n, it.At)
	why := "imported"
	if m.Kind != "" {
		from := m.Kind + ":" + it.Key
		n.Own = append(slices.Clone(n.Own), mdoc.FieldValue{Key: ImportedKey, Value: mdoc.Text(from)},
			mdoc.FieldValue{Key: mdstore.KeyImported, Value: mdoc.Text(sums.sums())})
		why = "imported from " + m.Kind
	}
	for _, x := range way(n.Type, n.Status, why) {
		at := d.now.Format(mdstore.TimeLayout)
		n.Log = append(n.Log, mdstore.LogEntry{Time: at, Operator: d.act.Operator, Event: x.String()})
	}
	n.References = slices.Clone(n.References)
	for r, to := range n.References {
		if k, ok := m.at[to.Target]; ok {
			n.References[r].Target = string(m.ids[k])
		}
	}
	docs, err := formatRefs("doc path", m.copied(it))
	if err != nil {
		return err
	}
	refs, err := formatRefs("reference", n.References)
	if err != nil {
		return err
	}
	if err := d.create(newFile(d, n.ID, n.Title), n, docs, refs); err != nil {
		return err
	}
	if it.Stray != "" {
		to := mdstore.TrashPath(mdstore.TrashStamp(d.now, "adopt"), it.Stray)
		d.whole(mdstore.Change{Path: it.Stray, To: to}, view.Change{Do: "moved to the trash", Name: it.Stray.Base()})
	}
	m.out.Made = append(m.out.Made, ImportedNode{n.ID, parent, depth, n.Title, n.Status})
	return nil
}
