package mcpserv

import (
	"context"
	"strings"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// startWorkspace teaches how a workspace is set up.
func startWorkspace(ctx context.Context, _ *Server, env *ops.Env, args map[string]string) (*letter, error) {
	name, goal := strings.TrimSpace(args["name"]), strings.TrimSpace(args["goal"])
	if _, err := ops.WorkspaceInit(ctx, env, ops.WorkspaceInitIn{Name: name, Goal: goal, Write: ops.Write{DryRun: true}}); err != nil {
		return nil, err // what will not do as a name is said now
	}
	list, err := ops.WorkspaceList(ctx, env, ops.WorkspaceListIn{Status: mdstore.StatusActive})
	if err != nil {
		return nil, err
	}
	l := &letter{}
	l.say("Start an Arbor workspace: a tree of nodes in which the work for one goal is planned, done and recorded. %s", quoting)
	l.say("Name:")
	l.quote(name, 1000)
	l.say("Goal:")
	l.quote(goal, 8000)
	if all := list.Workspaces; len(all) == 0 {
		l.say("No workspace is active yet.")
	} else {
		const shown = 10
		l.say("Active already, newest last:")
		for _, w := range all[max(0, len(all)-shown):] {
			l.item(w.ID, w.Name)
		}
		l.rest(len(all)-shown, "workspace_list")
	}
	l.say("Steps:")
	l.steps(
		"Where an active workspace serves the same goal, ask whether to go on in it (prompt resume) instead of making a second one.",
		"Find out which rules everybody working here must follow and which documents matter. Ask where you cannot know.",
		"workspace_init with name, goal, rules and docs. It returns the workspaceId and, where there are rules, their rulesHash, which node_create asks for.",
		"session_bind to the new workspace, so that later calls may leave out workspaceId.",
		"Divide the goal with node_create below root (prompt plan-node): planning nodes for what is divided further, execution nodes for what is done in one go. Where facts are missing, "+
			"begin with a node of role info_collection; when it is completed, what its conclusion lists under headings Rules and Docs joins the workspace's.",
		"Show the tree (workspace_status) and agree on it with whoever asked before you start a node.",
	)
	return l, nil
}
