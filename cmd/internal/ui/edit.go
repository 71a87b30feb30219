package ui

import (
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// An edited is the end of an editor that had the file of a node, or a copy of it.
type edited struct {
	id, title, version string // of the node, before
	path               mdstore.Path
	copy               string // the file of the copy; "" for none
	was                []byte // what the copy began with
	failed             error
}

// edit opens the file of the node in the person's editor: a copy of it, if the vault is on a server.
func (m *Model) edit() tea.Cmd {
	if m.plan.selected() == "" {
		return nil
	}
	if err := m.lookAt(m.plan.selected()); err != nil {
		m.fail(err)
		return nil
	}
	e := edited{id: m.node.id, title: m.node.info.Title, version: m.node.info.Version, path: m.node.path}
	engine, file := m.env().Engine, ""
	if engine.Vault() != "" {
		file = filepath.Join(engine.Vault(), filepath.FromSlash(string(e.path)))
	} else {
		var err error
		if e.was, err = engine.RawFile(m.ctx, e.path); err == nil {
			e.copy, err = kept(string(e.was))
		}
		if err != nil {
			m.fail(err)
			return nil
		}
		file = e.copy
	}
	return m.exec(m.opt.Editor(file), func(failed error) tea.Msg {
		e.failed = failed
		return e
	})
}

// saw says what became of a file that was open in the editor. The engine reads it as any save of another program; a
// copy is written back.
func (m *Model) saw(e edited) tea.Cmd {
	if e.failed != nil {
		also := ""
		if e.copy != "" {
			also = "; what you wrote is in " + e.copy
		}
		const form = "the editor failed (%v); set VISUAL or EDITOR to one that works%s"
		m.fail(errs.New(errs.InvalidParams, form, e.failed, also))
		return nil
	}
	m.env().Engine.Refresh()
	c := change{word: "save", nodes: []string{e.id}, shifts: true, op: "node_get"}
	c.in = &ops.NodeGetIn{In: m.in(), NodeID: e.id}
	if e.copy != "" {
		env := m.env()
		c.save = func() error {
			text, err := guard.ReadFile(filepath.Dir(e.copy), filepath.Base(e.copy), mostText)
			if err == nil {
				err = ops.SaveEdited(m.ctx, env, e.path, e.was, text)
			}
			return err
		}
		c.back = func(*errs.Error) tea.Cmd {
			m.said += "; your text is in " + e.copy
			return nil
		}
	}
	c.then = func(out any) {
		if e.copy != "" {
			_ = os.Remove(e.copy) // its text is in the vault
		}
		switch n := out.(*ops.NodeGetOut).Node; {
		case len(n.Diagnostics) > 0:
			m.fail(errs.New(errs.FileUnreadable, "%s: %s; e opens it again", n.Title, n.Diagnostics[0].Text))
		case n.Version == e.version:
			m.say(e.title + ": nothing was changed")
		default:
			m.own[e.id] = true
			m.say(n.Title + ": saved in the editor")
		}
	}
	return m.perform(c)
}
