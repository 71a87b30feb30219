package mcpserv

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
)

const shownItems = 10 // of a list in a prompt

// resume says where the work on a workspace stands for somebody who comes back to it.
func resume(ctx context.Context, _ *Server, env *ops.Env, args map[string]string) (*letter, error) {
	snap, err := workspaceOf(ctx, env, args)
	if err != nil {
		return nil, err
	}
	w := snap.Workspace()
	l := &letter{}
	l.say("Go on with the work in Arbor workspace %s, which has stopped for a while. %s", w.ID, quoting)
	l.item(string(w.ID), w.Name)
	if err := l.changes(ctx, env, snap); err != nil {
		return nil, err
	}
	focus, err := focusOf(ctx, env, snap)
	if err != nil {
		return nil, err
	}
	if focus != nil {
		l.say("In focus:")
		l.node(focus)
		l.about = contextOf(snap, focus.ID)
	} else {
		l.say("No node is in focus.")
	}
	l.problems(snap)
	if err := l.ready(ctx, env, snap); err != nil {
		return nil, err
	}
	l.say("Steps:")
	steps := []string{"session_bind to the workspace, unless this session is bound to it; then changes_get, which names what others change from now on."}
	if focus != nil {
		steps = append(steps, "Read the context of the focus, which follows as a resource, rules first. Where a change above concerns its work, read that node too (node_get).")
	} else {
		steps = append(steps, "Read the rules (workspace_get), and choose with node_next what to work on.")
	}
	steps = append(steps, "See to the open problems: what a person has to decide, ask now, before anything else waits for it.",
		"Say in a few sentences where things stand and what you would do next, then go on (prompt work-on-node).")
	l.steps(steps...)
	return l, nil
}

// changes names what others changed since the session last looked, or where it never did, what changed last. That it was shown does not count as a look.
func (l *letter) changes(ctx context.Context, env *ops.Env, snap *engine.Snapshot) error {
	w := snap.Workspace()
	if env.Session != "" {
		seen, err := env.Engine.Changes(ctx, w.ID, env.Session, nil)
		if err != nil {
			return err
		}
		if !seen.First {
			if len(seen.Differences) == 0 {
				l.say("Nobody else changed anything since this session last looked.")
				return nil
			}
			l.say("Changed by others since this session last looked, %s:", plural(len(seen.Differences), "file"))
			for _, d := range seen.Differences[:min(shownItems, len(seen.Differences))] {
				l.item(different(d), d.Title)
			}
			l.rest(len(seen.Differences)-shownItems, "changes_get")
			return nil
		}
	}
	var all []*mdstore.Node
	for n := range snap.All() {
		if n.UpdatedAt > 0 {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b *mdstore.Node) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	if len(all) == 0 {
		return nil
	}
	l.say("This session has not looked before. Changed last:")
	for _, n := range all[:min(shownItems, len(all))] {
		l.item(fmt.Sprintf("%s (%s, %s)", render.Visible(string(n.ID)), statusWord(n), time.UnixMilli(n.UpdatedAt).UTC().Format("2006-01-02 15:04")), n.Title)
	}
	return nil
}

// different says what is different in a file.
func different(d engine.Difference) string {
	id := "Workspace.md"
	if d.Node != "" {
		id = render.Visible(string(d.Node))
	}
	s := id + " (" + d.Kind
	if parts := slices.Concat(d.Fields, d.Sections); len(parts) > 0 {
		const shown = 6
		names := render.Truncate(render.Visible(strings.Join(parts[:min(shown, len(parts))], ", ")), 80, false)
		s += ": " + names
	}
	return s + ")"
}

// focusOf returns the node that a session works on, nil for none.
func focusOf(ctx context.Context, env *ops.Env, snap *engine.Snapshot) (*mdstore.Node, error) {
	w := snap.Workspace()
	ids := []mdstore.ID{w.Focus}
	if env.Session != "" {
		if b, ok, err := env.Engine.Binding(ctx, env.Session); err == nil && ok && b.WorkspaceID == w.ID { // without its bindings the workspace's focus counts
			ids = []mdstore.ID{b.FocusedNodeID, w.Focus}
		}
	}
	for _, id := range ids {
		if n, ok := snap.Node(id); ok && id.Valid() {
			return n, nil
		}
	}
	return nil, ctx.Err()
}

// problems quotes what is wrong now with the workspace and its nodes, in tree order.
func (l *letter) problems(snap *engine.Snapshot) {
	const most = 600 // bytes of one
	n := 0
	tell := func(facts, title string, p mdstore.Problem) {
		if p.IsZero() {
			return
		}
		if n++; n == 1 {
			l.say("Open problems:")
		}
		if n > shownItems {
			return
		}
		l.item(facts, title)
		l.quote("  "+strings.ReplaceAll(p.Text, "\n", "\n  "), most)
		if p.NextStep != "" {
			l.quote("  Next step: "+strings.ReplaceAll(p.NextStep, "\n", "\n  "), most)
		}
	}
	w := snap.Workspace()
	tell("the workspace", w.Name, w.Problem())
	for _, node := range snap.Walk(mdstore.Root) {
		tell(fmt.Sprintf("%s (%s)", render.Visible(string(node.ID)), statusWord(node)), node.Title, node.Problem())
	}
	if n == 0 {
		l.say("No problem is open.")
	}
	l.rest(n-shownItems, "workspace_status")
}

// ready names the nodes that can be worked on now and that nobody else has claimed.
func (l *letter) ready(ctx context.Context, env *ops.Env, snap *engine.Snapshot) error {
	if mdstore.Archived(snap.Workspace().Dir) {
		l.say(archivedSay)
		return nil
	}
	offer, err := env.Engine.Next(ctx, snap.Workspace().ID, engine.Act{Operator: env.Operator, Session: env.Session}, shownItems, 0)
	if err != nil {
		return err
	}
	if len(offer.Nodes) == 0 {
		l.say("Nothing is ready to be started: what is open runs already, is claimed by others, or waits.")
		return nil
	}
	l.say("Ready to be worked on, %d of %d:", len(offer.Nodes), offer.Ready)
	for _, r := range offer.Nodes {
		l.node(r.Node)
	}
	l.rest(offer.Ready-len(offer.Nodes), "node_next")
	return nil
}
