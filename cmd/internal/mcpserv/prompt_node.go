package mcpserv

import (
	"cmp"
	"context"
	"fmt"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// subjectOf returns the node that a prompt is about.
func subjectOf(ctx context.Context, env *ops.Env, args map[string]string) (*engine.Snapshot, *mdstore.Node, error) {
	snap, id, err := env.At(ctx, args["workspace"], args["node"])
	if err != nil {
		return nil, nil, err
	}
	n, err := snap.Known(id)
	if err != nil {
		return nil, nil, err
	}
	if err := cmp.Or(nameable(snap.Workspace().ID, snap.Workspace().Path), nameable(n.ID, n.Path)); err != nil {
		return nil, nil, err
	}
	return snap, n, nil
}

// workspaceOf returns the workspace that a prompt is about.
func workspaceOf(ctx context.Context, env *ops.Env, args map[string]string) (*engine.Snapshot, error) {
	snap, err := env.In(ctx, args["workspace"])
	if err != nil {
		return nil, err
	}
	return snap, nameable(snap.Workspace().ID, snap.Workspace().Path)
}

// nameable returns an error for what has a folder's name for an id, which may be any text: Arbor does not take it in its mouth.
func nameable(id mdstore.ID, p mdstore.Path) error {
	if id.Valid() {
		return nil
	}
	return engine.Fail(engine.FileUnreadable, "%s: the file has no id that calls could name; workspace_check says how to mend it", p)
}

// planNode teaches how a planning node is divided.
func planNode(ctx context.Context, _ *Server, env *ops.Env, args map[string]string) (*letter, error) {
	snap, n, err := subjectOf(ctx, env, args)
	if err != nil {
		return nil, err
	}
	if !statemachine.TakesChildren(n.Type) {
		return nil, engine.Fail(engine.ExecutionChildren, "%s: it is %s node and takes no children; plan the node above it, or work on this one (prompt work-on-node)", n.ID, article(typeWord(n.Type)))
	}
	l := &letter{about: contextOf(snap, n.ID)}
	l.say("Plan node %s: divide it into children that can be worked on one by one. Its context follows as a resource. %s", n.ID, quoting)
	l.standing(snap, n)
	if statemachine.Terminal(n.Status) {
		l.add("Before it takes children it has to be reopened: node_transition reopen, or node_create with cascade: true.")
	}
	l.rules(snap)
	l.children(snap, n)
	l.say("A child is of one of these types:")
	l.bullets(
		"planning: it is divided further, and holds no work of its own.",
		"execution: it is done in one go by somebody who reads only its context, and takes no children.",
	)
	l.say("Roles, where one fits: info_collection gathers facts, and the lists under Rules and Docs in its conclusion join the workspace's; validation checks what others did; summary draws results together.")
	l.say("Steps:")
	l.steps(
		"Read the context to the end: the rules, why the node is there, what was found out already.",
		"Choose the fewest children that cover its requirement, three to seven as a rule, none that overlaps another. What has to be known first comes first.",
		"node_create for each, with parentId "+string(n.ID)+": a title that tells it from its siblings, and a requirement that says what is wanted, what is not, and how to tell that it is done.",
		"node_reference from a child to the nodes and documents that its work needs and its context does not bring. node_isolate one that the nodes above would only distract.",
		"Children are worked on in the order of the tree; node_move with before or after changes it.",
		"Show the tree (workspace_status) to whoever asked. Do not start the work with the plan.",
	)
	return l, nil
}

// rules says what the rules of a workspace ask for.
func (l *letter) rules(snap *engine.Snapshot) {
	n := len(snap.Workspace().Rules())
	if n == 0 {
		l.say("The workspace has no rules, so node_create takes no rulesHash.")
		return
	}
	l.say("The workspace has %s, which the context begins with: keep to them. node_create asks for the rulesHash beside them, as the proof that they were read. Refused with RULES_HASH_MISMATCH, "+
		"the rules have changed: read them again (context_get).", plural(n, "rule"))
}

// children names the children that a node has.
func (l *letter) children(snap *engine.Snapshot, n *mdstore.Node) {
	kids := snap.Children(n.ID)
	if len(kids) == 0 {
		l.say("It has no children yet; the first one moves it to monitoring.")
		return
	}
	const shown = 20
	l.say("Its children, %d:", len(kids))
	for _, id := range kids[:min(shown, len(kids))] {
		if k, ok := snap.Node(id); ok {
			l.node(k)
		}
	}
	l.rest(len(kids)-shown, "node_list with this node as rootId")
}

// actionHelp says what each action of a life cycle is for.
var actionHelp = map[statemachine.Action]string{
	statemachine.Start:    "before you touch anything; the focus moves to the node.",
	statemachine.Submit:   "when the work is done and wants checking, by tests or by whoever asked.",
	statemachine.Complete: "when its requirement is met, with a conclusion.",
	statemachine.Fail:     "when it cannot be done, with a conclusion that says why and what was tried.",
	statemachine.Retry:    "to try again what failed, in another way than before.",
	statemachine.Reopen:   "only where more is to be done; it is over otherwise.",
	statemachine.Cancel:   "when it is not wanted any more, with a conclusion that says why.",
}

// workOnNode teaches how the work of a node is done.
func workOnNode(ctx context.Context, _ *Server, env *ops.Env, args map[string]string) (*letter, error) {
	snap, n, err := subjectOf(ctx, env, args)
	if err != nil {
		return nil, err
	}
	l := &letter{about: contextOf(snap, n.ID)}
	l.say("Work on node %s. Its context follows as a resource: all that you need to know about it. %s", n.ID, quoting)
	l.standing(snap, n)
	if !n.Problem().IsZero() {
		l.add("A problem is open; it is in the context. Solve it first, and say so with problem_clear.")
	}
	switch actions := statemachine.Allowed(n.Type, n.Status); {
	case mdstore.Archived(snap.Workspace().Dir): // none is taken there
	case len(actions) > 0:
		l.say("node_transition can, as it stands:")
		for _, a := range actions {
			l.bullets(fmt.Sprintf("%s: %s", a, actionHelp[a]))
		}
	default:
		l.say("node_transition can do nothing with it as it stands; workspace_check says what is wrong with its file.")
	}
	steps := []string{"Read the context to the end; the rules in it bind you."}
	if statemachine.Terminal(n.Status) {
		steps = append(steps, fmt.Sprintf("It is %s, with the conclusion that stands there. Tell so, and ask what more is wanted, before you take it up again.", n.Status))
	}
	if statemachine.TakesChildren(n.Type) {
		l.children(snap, n)
		steps = append(steps, "Its work is done in its children: divide it where something is missing (prompt plan-node), work on what is ready (node_next).",
			"Complete it when every child is done. Its conclusion draws theirs together for whoever reads only this node.")
	} else {
		steps = append(steps, "Do what the requirement asks for and no more. What else you find worth doing becomes a node of its own.",
			"log_append what you decide and find out, when it happens, in one line each.",
			"problem_update what you cannot solve, with the next step that would; problem_clear when it is solved. Ask where a person has to decide.",
			"End with a conclusion for somebody who has only that: what is different now and where, what was left out, what to watch for. Not the story of the work.")
	}
	l.say("Steps:")
	l.steps(steps...)
	return l, nil
}
