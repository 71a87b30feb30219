package ops

import (
	"context"
	"fmt"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NodeCreate makes a node.
func NodeCreate(ctx context.Context, env *Env, in NodeCreateIn) (*NodeCreateOut, error) {
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	parent := mdstore.ID(in.ParentID)
	if env.Loose || in.ParentID == "" {
		if parent, err = env.resolve(s, in.ParentID, "parentId"); err != nil {
			return nil, recoded(err, engine.NodeNotFound, engine.ParentNotFound)
		}
	}
	c, err := env.Engine.Create(ctx, s.Workspace().ID, engine.NewNode{Parent: parent, Type: statemachine.Type(in.Type), Title: in.Title, Requirement: in.Requirement,
		RulesHash: in.RulesHash, Role: mdstore.Role(in.Role), Docs: refs(in.Docs), Cascade: in.Cascade}, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	hint := "start it with node_transition (arbor start " + string(c.Node) + ")"
	return &NodeCreateOut{NodeID: string(c.Node), Path: env.path(c.Path), CascadeUpdates: cascades(c.Cascades), Wrote: env.wrote(ctx, s.Workspace().ID, c.Outcome, hint)}, nil
}

func recoded(err error, from, to engine.Code) error {
	if e := engine.AsError(err); e.Code == from {
		c := *e
		c.Code = to
		return &c
	}
	return err
}

// NodeGet returns a node.
func NodeGet(ctx context.Context, env *Env, in NodeGetIn) (*NodeGetOut, error) {
	return touching(ctx, env, in, nodeGet)
}

func nodeGet(ctx context.Context, env *Env, in NodeGetIn) (*NodeGetOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	n, err := s.Known(id)
	if err != nil {
		return nil, fail(err)
	}
	out := &NodeGetOut{Node: NodeInfo{
		ID: string(n.ID), Title: n.Title, Type: string(n.Type), Status: string(n.Status), Role: string(n.Role), ParentID: string(n.Parent), Isolated: n.Isolated,
		Requirement: n.Requirement(), Conclusion: n.Conclusion(), Note: n.Note(), Docs: docs(n.Docs()), References: references(n.References()), Problem: problem(n.Problem()),
		Log: logs(n.Log()), Children: []string{}, Allowed: allowed(s, n), CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, Path: env.path(n.Path),
		Version: n.Version().String(), Claim: env.claimOf(ctx, s.Workspace().ID, n), Diagnostics: s.DiagnosticsOf(n),
	}}
	out.Node.Log, out.Node.LogHidden = env.newest(out.Node.Log)
	kids := s.Children(id)
	if env.bounded() {
		kids = kids[:min(len(kids), boundedIDs)]
		kids = kids[:share(env, kids, 4)]
		out.Node.MoreKids = len(s.Children(id)) - len(kids)
	}
	for _, k := range kids {
		out.Node.Children = append(out.Node.Children, string(k))
	}
	switch {
	case n.Editable() != nil:
		out.Hint = damaged(out.Node.Diagnostics)
	case len(out.Node.Diagnostics) > 0:
		out.Hint = found(out.Node.Diagnostics)
	case out.Node.MoreKids > 0:
		out.Hint = shownOf(len(kids), len(kids)+out.Node.MoreKids, "children", "node_list with this node as rootId brings all")
	case mdstore.Archived(s.Workspace().Dir):
		out.Hint = archivedHint
	case len(out.Node.Allowed) > 0:
		out.Hint = "node_transition can: " + strings.Join(out.Node.Allowed, ", ")
	default:
		out.Hint = "nothing is left to do with it"
	}
	return out, nil
}

// damaged is the hint of what has a file that is closed to edits.
func damaged(ds []mdoc.Diagnostic) string {
	return "its file is damaged, and takes no writes before a person has mended it: " + ds[0].String()
}

// found is the hint of a node whose file something is wrong with.
func found(ds []mdoc.Diagnostic) string {
	s := "something is wrong with its file: " + beginning(ds[0].Code+": "+ds[0].Text, 400)
	if ds[0].Fix != "" {
		s += " (workspace_check with fix: " + ds[0].Fix + ")"
	}
	if len(ds) > 1 {
		s += fmt.Sprintf("; and %d more", len(ds)-1)
	}
	return s
}

// NodeUpdate changes a node's texts.
func NodeUpdate(ctx context.Context, env *Env, in NodeUpdateIn) (*NodeUpdateOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	if in.Title == nil && in.Requirement == nil && in.Note == nil && in.Conclusion == nil {
		return nil, engine.Fail(engine.InvalidParams, "nothing is to be updated; give title, requirement, note or conclusion")
	}
	o, err := env.Engine.UpdateNode(ctx, s.Workspace().ID, id, engine.NodeTexts{Title: in.Title, Requirement: in.Requirement, Note: in.Note, Conclusion: in.Conclusion}, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeUpdateOut{env.wrote(ctx, s.Workspace().ID, o, "node_get shows it as it is now")}, nil
}

// NodeMove gives a node another parent or place.
func NodeMove(ctx context.Context, env *Env, in NodeMoveIn) (*NodeMoveOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	parent, err := env.resolve(s, in.NewParentID, "newParentId")
	if err != nil {
		return nil, recoded(err, engine.NodeNotFound, engine.ParentNotFound)
	}
	m := engine.Move{Node: id, Parent: parent, Cascade: in.Cascade}
	if in.Before != "" {
		if m.Before, err = env.resolve(s, in.Before, "before"); err != nil {
			return nil, err
		}
	}
	if in.After != "" {
		if m.After, err = env.resolve(s, in.After, "after"); err != nil {
			return nil, err
		}
	}
	r, err := env.Engine.Move(ctx, s.Workspace().ID, m, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeMoveOut{PreviousParentID: string(r.Previous), CascadeUpdates: cascades(r.Cascades), Wrote: env.wrote(ctx, s.Workspace().ID, r.Outcome, "node_list shows the tree as it is now")}, nil
}

// NodeDelete moves a node and all below it to the trash.
func NodeDelete(ctx context.Context, env *Env, in NodeDeleteIn) (*NodeDeleteOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	d, err := env.Engine.Delete(ctx, s.Workspace().ID, id, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeDeleteOut{DeletedCount: d.Count, Trash: string(d.Trash), Wrote: env.wrote(ctx, s.Workspace().ID, d.Outcome, "the folders lie in the trash, whole; move them back to restore the nodes")}, nil
}

// NodeTransition moves a node along its life cycle.
func NodeTransition(ctx context.Context, env *Env, in NodeTransitionIn) (*NodeTransitionOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	t, err := env.Engine.Transition(ctx, s.Workspace().ID, engine.Transition{Node: id, Action: statemachine.Action(in.Action), Conclusion: in.Conclusion, Reason: in.Reason, Cascade: in.Cascade},
		env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	hint := "nothing is left to do with it"
	if n, ok := s.Node(id); ok {
		if next := actions(n.Type, t.To); len(next) > 0 {
			hint = "next it can: " + strings.Join(next, ", ")
		}
		if t.To == statemachine.InPlanning {
			hint = "divide it with node_create; " + hint
		}
	}
	if t.TakesFocus && !in.DryRun && env.Session != "" {
		if err := env.Engine.Refocus(ctx, env.Session, s.Workspace().ID, id); err != nil {
			hint = "done; but the session's own focus could not follow: " + err.Error()
		}
	}
	return &NodeTransitionOut{NodeID: string(id), PreviousStatus: string(t.From), CurrentStatus: string(t.To), Conclusion: t.Conclusion, CascadeUpdates: cascades(t.Cascades),
		Archived: archived(t.Archived), Wrote: env.wrote(ctx, s.Workspace().ID, t.Outcome, hint)}, nil
}

// NodeIsolate cuts a node's context off from its ancestors, or joins it again.
func NodeIsolate(ctx context.Context, env *Env, in NodeIsolateIn) (*NodeIsolateOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	hint := "its context begins with itself now"
	if !in.Isolate {
		hint = "its context begins with its ancestors again"
	}
	o, err := env.Engine.Isolate(ctx, s.Workspace().ID, id, in.Isolate, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeIsolateOut{Isolated: in.Isolate, Wrote: env.wrote(ctx, s.Workspace().ID, o, hint)}, nil
}

// NodeReference changes a node's references.
func NodeReference(ctx context.Context, env *Env, in NodeReferenceIn) (*NodeReferenceOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	target := in.TargetIDOrPath
	if env.Loose && target != "" {
		switch t, err := s.Resolve(target); {
		case err == nil:
			target = string(t)
		case engine.AsError(err).Code == engine.AmbiguousID && !strings.ContainsAny(target, "/."):
			return nil, fail(err) // not silently the path of a document
		}
	}
	now, o, err := env.Engine.Reference(ctx, s.Workspace().ID, id, engine.RefAction(in.Action), mdstore.Ref{Target: target, Description: in.Description}, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &NodeReferenceOut{References: references(now), Wrote: env.wrote(ctx, s.Workspace().ID, o, "the context of "+string(id)+" brings what its active references lead to")}, nil
}
