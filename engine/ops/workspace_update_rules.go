package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// WorkspaceUpdateRulesIn changes the rules.
type WorkspaceUpdateRulesIn struct {
	In
	Action string   `json:"action" req:"true" flag:"-" enum:"add,remove,replace,change"`
	Rule   string   `json:"rule,omitempty" flag:"-" help:"one rule, for add and remove"`
	Rules  []string `json:"rules,omitempty" arg:"RULE" flag:"-" help:"several; all of them, for replace"`
	From   string   `json:"from,omitempty" flag:"-" help:"the rule to change, for change"`
	To     string   `json:"to,omitempty" flag:"-" help:"what it becomes, for change"`
	Match
	Write
}

// WorkspaceUpdateRulesOut carries the rules as they are now.
type WorkspaceUpdateRulesOut struct {
	Rules     []string `json:"rules"`
	RulesHash string   `json:"rulesHash"`
	Wrote
}

var workspaceUpdateRules = op("workspace_update_rules", writes|repeats, WorkspaceUpdateRules, Help{
	Summary: "add, remove, replace or change rules",
	Advice:  "rulesHash changes with them.",
	Use:     "rules",
	Also:    "ws rules",
	Text: `Without a verb it prints the rules and their hash. Where there are rules, arbor
add asks for that hash: it proves that the rules were read.`,
	Example: `arbor rules
arbor rules add "No new dependencies"
arbor rules replace -F rules.txt`,
})

// WorkspaceUpdateRules changes the rules.
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
		return nil, badParam("rules", "rules is missing; replace takes all rules in rules, an empty list for none; change takes one, from and to")
	case change && (in.From == "" || in.To == "" || rules != nil):
		return nil, badParam("from", "change takes from and to, and no other rules")
	case change:
		rules = []string{in.From, in.To}
	case in.From != "" || in.To != "":
		return nil, badParam("action", "from and to go with change, not with %s", in.Action)
	}
	now, o, err := engine.Apply(ctx, env.Engine, id, env.act(in.Write, in.Match), plan.Rules{Do: plan.RulesAction(in.Action), Rules: rules})
	if err != nil {
		return nil, fail(err)
	}
	hint := "node_create needs the new rulesHash now"
	if env.Person && env.Operator == mdstore.OperatorHuman {
		hint = "whoever adds a node next is shown them once"
	}
	if len(now) == 0 {
		hint = "no rules are left, and nodes are created without rulesHash"
	}
	return &WorkspaceUpdateRulesOut{Rules: nonNil(now), RulesHash: mdstore.RulesHash(now), Wrote: env.wrote(ctx, id, o, hint)}, nil
}
