package cli

import "strings"

// ourWords are the commands that do what the operations of the catalogue do, for hints that name an operation.
var ourWords = []string{
	"workspace_init", "arbor init",
	"workspace_list", "arbor ws list",
	"workspace_get", "arbor ws get",
	"workspace_status", "arbor status",
	"workspace_update_rules", "arbor rules",
	"workspace_update_docs", "arbor docs",
	"workspace_update", "arbor ws update",
	"workspace_archive", "arbor ws archive",
	"workspace_restore", "arbor ws restore",
	"workspace_delete", "arbor ws delete",
	"workspace_check", "arbor check",
	"node_create", "arbor add",
	"node_get", "arbor show",
	"node_list", "arbor list",
	"node_update", "arbor node update",
	"node_move", "arbor node move",
	"node_delete", "arbor node delete",
	"node_transition", "arbor node transition",
	"node_isolate", "arbor isolate",
	"node_reference", "arbor ref",
	"node_next", "arbor next",
	"context_get", "arbor context",
	"context_focus", "arbor focus",
	"log_append", "arbor log",
	"problem_update", "arbor problem",
	"problem_clear", "arbor problem --clear",
	"session_bind", "arbor session bind",
	"session_unbind", "arbor session unbind",
	"session_status", "arbor session",
	"changes_get", "arbor changes",
	"rulesHash", "--rules-hash",
	"workspaceId", "--workspace",
	"dryRun", "--dry-run",
}

// inOurWords returns a hint with commands in place of operations. One that names a command already stays as it is.
func inOurWords(hint string) string {
	if strings.Contains(hint, "(arbor ") {
		return hint
	}
	return strings.NewReplacer(ourWords...).Replace(hint)
}
