package ops

import (
	"reflect"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/mdstore"
)

// rights has the right that each operation asks of a caller with a token: see Env.Who. An operation that is missing
// here would be refused to all of them.
var rights = map[people.Right][]string{
	people.Read: {
		"workspace_list", "workspace_get", "workspace_status", "workspace_load", "node_get", "node_list", "node_next",
		"context_get", "changes_get", "search", "session_list", "session_load", "session_status", "state_list",
		"state_load", "transcript_read", "memory_list", "memory_read", "memory_export", "ask", "history_get",
		"plan_diff", "blame", "plan_graph", "plan_stats", "conflicts", "export",
	},
	people.Work: {
		"workspace_init", "workspace_resolve", "workspace_update", "workspace_update_rules", "workspace_update_docs",
		"workspace_archive", "workspace_restore", "workspace_delete", "workspace_gc", "workspace_check",
		"briefing_update", "node_create", "node_update", "node_move", "node_delete", "node_transition",
		"node_isolate", "node_reference", "context_focus", "log_append", "problem_update", "problem_clear",
		"session_bind", "session_unbind", "session_start", "session_end", "session_note", "state_save",
		"state_update", "state_delete", "transcript_append", "transcript_clear", "memory_save", "memory_update",
		"memory_archive", "memory_restore", "memory_compress", "memory_delete", "memory_summarize", "memory_merge",
		"memory_import", "memory_use", "undo", "config_get", "import", "resolve_conflict", "env_list", "env_register",
		"env_attach", "env_detach", "env_restore", "env_remove", "tool_list", "tool_call", "access_request",
		"approval_list", "file_read", "file_list", "file_search", "file_write", "file_edit", "file_delete",
	},
	people.Programs: {
		"approve", "deny", "env_trust", "env_grants", "env_undo",
	},
	people.Own: {
		"sync", "adopt", "git_install", "git_uninstall", "env_clients", "people_list", "people_tokens", "people_add",
		"people_grant", "people_revoke", "people_rm",
	},
}

// Right returns what the operation asks of a caller with a token. Some operations ask for more in some calls: an answer
// to a question, and the force of a completion, are for people.Decide.
func (o Operation) Right() people.Right {
	for r, names := range rights {
		if slices.Contains(names, o.Name) {
			return r
		}
	}
	return people.None
}

// permits refuses a call whose token has not the right that the operation asks for.
func (o Operation) permits(env *Env, in any) error {
	if !env.Who.May(o.Right()) {
		return lacks(env.Who, o.Name, o.Right())
	}
	for _, p := range o.Params() {
		if p.Writes && !env.Who.May(people.Work) && isGiven(in, p) {
			return lacks(env.Who, o.Name+" with "+p.Name, people.Work)
		}
	}
	return nil
}

// isGiven reports whether an input has a value for a parameter.
func isGiven(in any, p Param) bool {
	return !reflect.ValueOf(in).Elem().FieldByIndex(p.Field.Index).IsZero()
}

// lacks returns the error of a caller who has not a right.
func lacks(who *people.Who, what string, r people.Right) error {
	const code = errs.NotAllowed
	switch {
	case r == people.None || r == people.Own:
		return errs.New(code, "%s: only the server's own user does this, at the server's terminal", what)
	case who.Assistant != "" && r > people.Work:
		return errs.New(code, "%s: an assistant's token never decides; ask %s, who can on the page", what, who.Person)
	case r == people.Programs:
		return errs.New(code, "%s: what programs may do is decided by the server's own user at its terminal, or by whom "+
			"they name: arbor admin people grant %s --programs", what, who.Person)
	}
	return errs.New(code, "%s: %s has the right %s, and this needs %s; the server's own user gives it: arbor admin "+
		"people grant %s --rights %[4]s", what, who, who.Right, r, who.Person)
}

// decides reports whether the caller is a person who can decide what is left to people: a ByDecider who is not marked
// as AI, with the right to it.
func decides(env *Env) bool {
	return env.Caller == ByDecider && env.Operator != mdstore.OperatorAI && env.Who.May(people.Decide)
}

// decidesPrograms reports whether the caller is a person who can decide what tools of environments may do.
func decidesPrograms(env *Env) bool { return decides(env) && env.Who.May(people.Programs) }
