package ui

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A change is one operation of a person. Only one runs at a time; keys wait for it.
type change struct {
	said string                      // what it did, in words
	op   string                      // the operation of the catalogue
	save func() error                // before the operation; nil for nothing
	in   any                         // its input
	then func(out any)               // after a success
	back func(e *errs.Error) tea.Cmd // after a refusal: gives the typed text back or tries again; nil if neither
	undo bool                        // it takes a change back, and is none that u takes back
}

// A done is the result of a change, with the plan after it.
type done struct {
	change
	out  any
	err  error
	id   string // by which it can be undone; "" if it cannot
	own  map[string]bool
	plan loaded
}

// perform runs a change, and then loads the plan.
func (m *Model) perform(c change) tea.Cmd {
	m.busy = true
	m.asked++ // loads that are under way are overtaken
	env, ws, n, query := m.env(), string(m.plan.id), m.asked, m.query()
	return func() tea.Msg {
		d := done{change: c, own: map[string]bool{}}
		o, _ := ops.Find(c.op)
		if c.save != nil {
			d.err = c.save()
		}
		if d.err == nil {
			d.out, d.err = o.Run(m.ctx, env, c.in)
		}
		if d.err == nil {
			d.id = undoID(m.ctx, env, d.out, d.own)
		}
		d.plan = load(m.ctx, env, ws, query)
		d.plan.asked = n
		return d
	}
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

// finished shows the result of a change, and then answers the keys that waited for it.
func (m *Model) finished(d done) tea.Cmd {
	m.busy = false
	m.take(d.plan)
	var all []tea.Cmd
	if d.err != nil {
		m.fail(d.err)
		if d.back != nil {
			all = append(all, d.back(errs.As(d.err)))
		}
	} else {
		m.say(d.said)
		m.own = maps.Clone(d.own)
		if d.id != "" && !d.undo {
			m.undos = append(m.undos, undoable{d.id, d.own})
		}
		if d.then != nil {
			d.then(d.out)
		}
	}
	for len(m.waiting) > 0 && !m.busy {
		next := m.waiting[0]
		m.waiting = m.waiting[1:]
		all = append(all, m.typed(next))
	}
	if m.stale && !m.busy {
		m.stale = false
		all = append(all, m.reload())
	}
	return tea.Batch(all...)
}

// An undoable is an operation that was made here, and the nodes that it changed.
type undoable struct {
	id  string
	own map[string]bool
}

// undo takes back the last operation of this screen.
func (m *Model) undo() tea.Cmd {
	if len(m.undos) == 0 {
		m.say("nothing to undo here; arbor undo --list has what others did")
		return nil
	}
	last := m.undos[len(m.undos)-1]
	m.undos = m.undos[:len(m.undos)-1]
	return m.perform(change{
		op: "undo", in: &ops.UndoIn{Operation: last.id}, undo: true,
		then: func(out any) {
			maps.Copy(m.own, last.own)
			m.say("undone: " + out.(*ops.UndoOut).Undone)
		},
	})
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

// giveBack puts a refused text into its prompt again.
func (m *Model) giveBack(p *prompt) tea.Cmd {
	m.keep(p)
	m.prompt = p
	if p.file != "" {
		m.said += "; your text is also in " + p.file
	}
	return nil
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
