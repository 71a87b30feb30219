package ui

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A change is one operation of a person. One runs at a time, beside the screen, in the order of the keys.
type change struct {
	word   string                      // what is under way, at the rows of its nodes
	nodes  []string                    // that it is about
	along  string                      // the node with which the cursor goes, if it is on it; "" for none
	shifts bool                        // rows may be elsewhere after it
	said   string                      // what it did, in words
	op     string                      // the operation of the catalogue
	ready  func(c *change) bool        // completes it when its turn comes; false: nothing is to be done. nil for nothing
	save   func() error                // before the operation; nil for nothing
	in     any                         // its input
	then   func(out any)               // after a success
	back   func(e *errs.Error) tea.Cmd // after a refusal: gives the typed text back or tries again; nil if neither
	undo   bool                        // it takes a change back, and is none that u takes back

	pressed int             // keys before it
	heard   map[string]bool // nodes of which an event came while it ran
}

// A done is the result of a change, with the plan after it.
type done struct {
	*change
	out  any
	err  error
	id   string // by which it can be undone; "" if it cannot
	own  map[string]bool
	plan loaded
}

// A refusal says why a change of a node failed.
type refusal struct{ word, text string }

// perform makes a change when those before it are done.
func (m *Model) perform(c change) tea.Cmd {
	c.pressed = m.pressed
	m.queue = append(m.queue, c)
	return m.next()
}

// next begins the first change that waits, unless one runs.
func (m *Model) next() tea.Cmd {
	for m.running == nil && len(m.queue) > 0 {
		c := m.queue[0]
		m.queue = m.queue[1:]
		if c.ready == nil || c.ready(&c) {
			return m.run(&c)
		}
	}
	return nil
}

// run runs a change, and then loads the plan.
func (m *Model) run(c *change) tea.Cmd {
	c.heard = map[string]bool{}
	m.running = c
	for _, id := range c.nodes {
		delete(m.refused, id)
	}
	env, ws, n, query, has := m.env(), string(m.plan.id), m.asked, m.query(), m.plan.has
	return func() tea.Msg {
		m.alone.Lock()
		defer m.alone.Unlock()
		d := done{change: c, own: map[string]bool{}}
		o, _ := ops.Find(c.op)
		if d.err = m.ctx.Err(); d.err == nil && c.save != nil {
			d.err = c.save()
		}
		if d.err == nil {
			d.out, d.err = o.Run(m.ctx, env, c.in)
		}
		if d.err == nil {
			d.id = undoID(m.ctx, env, d.out, d.own)
		}
		d.plan = load(m.ctx, env, ws, query, has)
		d.plan.asked = n
		return d
	}
}

// underWay returns the word for the first change of a node that is not done; "" for none. With a word it looks for that
// change only.
func (m *Model) underWay(id, word string) string {
	if m.running == nil {
		return ""
	}
	for _, c := range append([]change{*m.running}, m.queue...) {
		if (word == "" || word == c.word) && slices.Contains(c.nodes, id) {
			return c.word
		}
	}
	return ""
}

// again reports whether the same change of one of the nodes is not done yet, and says so.
func (m *Model) again(word string, nodes ...string) bool {
	under := slices.ContainsFunc(nodes, func(id string) bool { return m.underWay(id, word) != "" })
	if under {
		m.say(word + " is under way")
	}
	return under
}

// undoID returns the id by which an operation can be undone, and notes the nodes that it changed.
func undoID(ctx context.Context, env *ops.Env, out any, own map[string]bool) string {
	did, ok := out.(interface {
		Began() int64
		Changes() []view.Change
	})
	if !ok || did.Began() == 0 {
		return ""
	}
	for _, c := range did.Changes() {
		own[string(c.ID)] = true
	}
	deeds, err := env.Engine.Deeds(ctx)
	if err != nil {
		return ""
	}
	for _, d := range deeds {
		if d.Began == did.Began() && !d.Large {
			return d.ID
		}
	}
	return ""
}

// finished shows the result of a change, begins the next one, and then answers the keys that waited.
func (m *Model) finished(d done) tea.Cmd {
	on := d.along != "" && m.plan.selected() == d.along
	m.running = nil
	m.stale = m.stale || m.loading || m.asked != d.plan.asked // a load may have an older plan, or a newer one
	m.asked++
	m.take(d.plan)
	var all []tea.Cmd
	if d.err != nil {
		all = append(all, m.refuse(d))
		m.quits = false
	} else {
		m.say(d.said)
		for id := range d.own {
			m.own[id] = !d.heard[id]
		}
		if d.id != "" && !d.undo {
			m.undos = append(m.undos, undoable{d.id, d.own})
		}
		if d.then != nil {
			d.then(d.out)
		}
		if on {
			m.plan.reveal(d.along)
		}
	}
	for all = append(all, m.next()); len(m.waiting) > 0 && !m.needsResult(m.waiting[0]); {
		key := m.waiting[0]
		m.waiting = m.waiting[1:]
		all = append(all, m.typed(key))
	}
	if m.stale {
		m.stale = false
		all = append(all, m.reload())
	}
	if m.quits && m.running == nil {
		return tea.Quit
	}
	return tea.Batch(all...)
}

// refuse says why a change failed: below the screen, and at the rows of its nodes unless its text is in a prompt again.
func (m *Model) refuse(d done) (cmd tea.Cmd) {
	m.fail(d.err)
	typing := m.prompt
	m.went = m.pressed != d.pressed
	if d.back != nil {
		cmd = d.back(errs.As(d.err))
	}
	if m.prompt != typing || m.running != nil || len(d.nodes) == 0 {
		return cmd
	}
	for _, id := range d.nodes {
		m.refused[id] = refusal{d.word, m.said}
	}
	if i := m.plan.row(d.nodes[0]); i >= 0 && !slices.Contains(d.nodes, m.plan.selected()) {
		m.said = m.plan.rows[i].Title + ": " + m.said
	}
	return cmd
}

// quit ends the program when all changes are done. Asked again, it waits for none: the one that runs is broken off, and
// has happened as a whole or not at all.
func (m *Model) quit() tea.Cmd {
	switch {
	case m.running == nil:
	case m.quits:
		m.stop()
	default:
		m.quits = true
		m.say("quits when " + m.running.word + " is done; q again quits now")
		return nil
	}
	return tea.Quit
}

// An undoable is an operation that was made here, and the nodes that it changed.
type undoable struct {
	id  string
	own map[string]bool
}

// undo takes back the last operation of this screen.
func (m *Model) undo() tea.Cmd {
	return m.perform(change{word: "undo", op: "undo", undo: true, shifts: true, ready: func(c *change) bool {
		if len(m.undos) == 0 {
			m.say("nothing to undo here; arbor undo --list has what others did")
			return false
		}
		last := m.undos[len(m.undos)-1]
		m.undos = m.undos[:len(m.undos)-1]
		c.in, c.nodes = &ops.UndoIn{Operation: last.id}, slices.Collect(maps.Keys(last.own))
		c.then = func(out any) {
			for id := range last.own {
				m.own[id] = !c.heard[id]
			}
			m.say("undone: " + out.(*ops.UndoOut).Undone)
		}
		return true
	}})
}

// editText opens the text that is being typed in the person's editor. The file stays until the text is saved.
func (m *Model) editText() tea.Cmd {
	p := m.prompt
	if p.file == "" {
		file, err := kept(p.text())
		if err != nil {
			m.fail(err)
			return nil
		}
		p.file = file
	} else if err := os.WriteFile(p.file, []byte(p.text()), 0o600); err != nil {
		m.fail(err)
		return nil
	}
	return m.exec(m.opt.Editor(p.file), func(failed error) tea.Msg { return wrote{p, failed} })
}

// A wrote is the end of an editor that had the text of a prompt.
type wrote struct {
	prompt *prompt
	failed error
}

// mostText is how many bytes a text from the editor may have.
const mostText = 16 << 20

func (m *Model) wrote(w wrote) {
	text, err := guard.ReadFile(filepath.Dir(w.prompt.file), filepath.Base(w.prompt.file), mostText)
	if err = errors.Join(w.failed, err); err != nil {
		m.fail(errs.New(errs.InvalidParams, "the editor failed (%v); what you wrote is in %s", err, w.prompt.file))
		return
	}
	w.prompt.set(strings.TrimRight(string(text), "\n"))
	m.say("")
}

// saved removes what was kept of a text that is now in the vault.
func (m *Model) saved(p *prompt) {
	delete(m.drafts, p.draft)
	if p.file != "" {
		_ = os.Remove(p.file) // the text is in the vault: a file that stays is only in the way
	}
}

// giveBack puts a refused text into its prompt again. If the person has gone on meanwhile, it keeps the text and
// reports false.
func (m *Model) giveBack(p *prompt) bool {
	m.keep(p)
	there := m.prompt == p || m.prompt == nil && !m.went
	if p.saving = false; there {
		m.prompt = p
	} else if m.drafts[p.draft] != "" {
		m.said += "; the same key brings back what you typed"
	}
	if p.file != "" {
		m.said += "; your text is also in " + p.file
	}
	return there
}

// targets returns the nodes that an action is about: all selected ones in the order of the outline, or else the one
// under the cursor. It returns none if a filter hides selected ones.
func (m *Model) targets() (first string, more []string, title string) {
	var all []*ops.TreeNode
	var find func(nodes []*ops.TreeNode)
	find = func(nodes []*ops.TreeNode) {
		for _, n := range nodes {
			if m.selected[n.ID] {
				all = append(all, n)
			}
			find(n.Children)
		}
	}
	switch {
	case len(m.selected) == 0 && m.plan.selected() == "":
		return "", nil, ""
	case len(m.selected) == 0:
		all = append(all, m.plan.rows[m.plan.at].TreeNode)
	default:
		find(m.plan.tree)
		if hidden := len(m.selected) - len(all); hidden > 0 {
			m.fail(errs.New(errs.InvalidParams, "%s of those you chose is not in this plan or does not match the filter; "+
				"Esc drops what is chosen", counted(hidden, "node")))
			return "", nil, ""
		}
	}
	for _, n := range all[1:] {
		more = append(more, n.ID)
	}
	title = all[0].Title
	if len(more) > 0 {
		title += " and " + counted(len(more), "other")
	}
	return all[0].ID, more, title
}

func (m *Model) in() ops.In { return ops.In{WorkspaceID: string(m.plan.id)} }

var root = string(mdstore.Root)
