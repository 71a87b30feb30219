package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

type WorkspaceUpdateIn struct {
	In
	Name *string `json:"name,omitempty" help:"the new NAME"`
	Goal *string `json:"goal,omitempty" flag:"goal,g" help:"the new GOAL"`
	// what must pass before any execution node is completed
	Verify []string    `json:"verify,omitempty" commas:"part" empty:"ok" help:"TOOLS that every execution node must pass"`
	Brief  *BriefingIn `json:"briefing,omitempty" like:"briefing_update" listed:"never" flag:"-" help:"as briefing_update takes it"`
	Match
	Write
}

var workspaceUpdate = op("workspace_update", writes|repeats, WorkspaceUpdate, Help{
	Summary: "change a workspace's name, goal or briefing",
	Use:     "ws set [WS] [KEY=VALUE...]",
	Text: `The keys are name, goal, verify, and those of the briefing: purpose,
currentGoal, description, rootFolder, preferences, agent. Everything you do not
name stays; KEY= empties a part of the briefing. Repeat verify=ITEM for several
items; commas belong to the item. Workflows, key files and
related files are sections of the workspace's file: use arbor ws edit.`,
	Example: `arbor ws set Login name="Sign-in" goal="Users sign in with a passkey"
arbor ws set purpose="Find work" rootFolder=Job`,
})

// WorkspaceUpdate renames a workspace or gives it another goal.
func WorkspaceUpdate(ctx context.Context, env *Env, in WorkspaceUpdateIn) (*Wrote, error) {
	t := env.whole(ctx, in.WorkspaceID)
	if t.err == nil && in.Name == nil && in.Goal == nil && in.Verify == nil && in.Brief == nil {
		return nil, errs.New(errs.InvalidParams, "nothing to change is given; give name, goal, verify or briefing")
	}
	p, agent := plan.UpdateWorkspace{Name: in.Name, Goal: in.Goal, Verify: in.Verify}, (*string)(nil)
	if in.Brief != nil {
		p.Briefing, agent = in.Brief.plan(), in.Brief.Agent
	}
	w, err := done(ctx, env, t, env.act(in.Write, in.Match), p, "{workspace_get} shows it")
	if err == nil {
		w.Warned = append(w.Warned, missed(ctx, env, agent, p.Briefing.KeyFiles)...)
	}
	return w, err
}

type WorkspaceUpdateRulesIn struct {
	In
	Action string   `json:"action" req:"true" flag:"-" enum:"add,remove,replace,change"`
	Rule   string   `json:"rule,omitempty" flag:"-" help:"one rule, for add and remove"`
	Rules  []string `json:"rules,omitempty" arg:"RULE" flag:"-" help:"several rules; for replace, the whole list"`
	From   string   `json:"from,omitempty" flag:"-" help:"the rule to change, for change"`
	To     string   `json:"to,omitempty" flag:"-" help:"the new text, for change"`
	Match
	Write
}

type WorkspaceUpdateRulesOut struct {
	Rules     []string `json:"rules"`
	RulesHash string   `json:"rulesHash"`
	Wrote
}

var workspaceUpdateRules = op("workspace_update_rules", writes|repeats, WorkspaceUpdateRules, Help{
	Summary: "add, remove, replace or change rules",
	Advice:  "rulesHash changes with them.",
	Use:     "ws rules",
	Text: `Without a verb it prints the rules and their hash. If there are rules, arbor add
--as AI requires the hash, as proof that they were read.`,
	Example: `arbor ws rules
arbor ws rules add "No new dependencies"
arbor ws rules set -F rules.txt`,
})

// WorkspaceUpdateRules adds, removes, replaces or changes rules of a workspace.
func WorkspaceUpdateRules(ctx context.Context, env *Env, in WorkspaceUpdateRulesIn) (*WorkspaceUpdateRulesOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	rules := in.Rules
	if in.Rule != "" {
		rules = append([]string{in.Rule}, rules...)
	}
	switch change := in.Action == string(plan.ChangeRule); {
	case in.Action == string(plan.ReplaceRules) && in.Rules == nil:
		return nil, badParam("rules", "rules is missing; replace needs the whole list in rules (empty for none), "+
			"change needs from and to")
	case change && (in.From == "" || in.To == "" || rules != nil):
		return nil, badParam("from", "change needs from and to, and no other rules")
	case change:
		rules = []string{in.From, in.To}
	case in.From != "" || in.To != "":
		return nil, badParam("action", "from and to go with change, not with %s", in.Action)
	}
	now, o, err := engine.Apply(ctx, env.Engine, id, env.act(in.Write, in.Match), plan.Rules{Do: plan.RulesAction(in.Action), Rules: rules})
	if err != nil {
		return nil, fail(err)
	}
	hint := "{node_create} needs the new {.rulesHash} now"
	if env.Caller != ByAssistant && env.Operator == mdstore.OperatorHuman {
		hint = "whoever adds a node next is shown them once"
	}
	if len(now) == 0 {
		hint = "no rules are left, and nodes are created without {.rulesHash}"
	}
	return &WorkspaceUpdateRulesOut{Rules: nonNil(now), RulesHash: mdstore.RulesHash(now), Wrote: env.wrote(ctx, id, o, hint)}, nil
}

type WorkspaceUpdateDocsIn struct {
	In
	Action      string `json:"action" req:"true" flag:"-" enum:"add,remove,expire,activate"`
	Path        string `json:"path" req:"true" arg:"PATH"`
	Description string `json:"description,omitempty" arg:"DESC" flag:"-"`
	Match
	Write
}

type WorkspaceUpdateDocsOut struct {
	Docs []mdstore.Ref `json:"docs"`
	Wrote
}

var workspaceUpdateDocs = op("workspace_update_docs", writes, WorkspaceUpdateDocs, Help{
	Summary: "add, remove, expire or activate a document",
	Use:     "ws docs",
	Text: `Without a verb it lists them. The workspace's documents are part of the context
of every node, unless they are expired.`,
	Example: `arbor ws docs
arbor ws docs add docs/api.md "the endpoints"
arbor ws docs set docs/old.md status=expired`,
})

// WorkspaceUpdateDocs adds, removes, expires or activates a document of a workspace.
func WorkspaceUpdateDocs(ctx context.Context, env *Env, in WorkspaceUpdateDocsIn) (*WorkspaceUpdateDocsOut, error) {
	warned, err := []string(nil), error(nil)
	if in.Action == string(plan.AddRef) {
		if warned, err = env.present(ctx, in.Path); err != nil {
			return nil, err
		}
	}
	p := plan.WorkspaceDoc{Do: plan.RefAction(in.Action), Doc: mdstore.Ref{Target: in.Path, Description: in.Description}}
	now, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), p,
		"every context of this workspace names its active documents")
	if err != nil {
		return nil, err
	}
	w.Warned = append(w.Warned, warned...)
	return &WorkspaceUpdateDocsOut{Docs: nonNil(now), Wrote: w}, nil
}
