package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

// choices completes a flag from words that never change.
func choices(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// candidatesMost is how many nodes a word is completed to: few enough for a shell to show at once.
const candidatesMost = 300

// complete completes the next word: a node, a workspace, or nothing.
func (b *binding) complete(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if b.command.words != nil {
		return b.command.words(cmd, words, prefix)
	}
	if len(words) < len(b.words) {
		name := b.words[len(words)].name
		if p, ok := b.param(name); ok && p.Field.Tag.Get("is") == "node" {
			return b.sh.completeNodes(b.command.nodes)(cmd, words, prefix)
		}
		if name == "WS" {
			return b.sh.completeWorkspaces(cmd, words, prefix)
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeNodes completes nodes that a filter lets through, nil for all: ids with titles as descriptions, and titles
// where the word begins one.
func (sh *shell) completeNodes(filter nodeFilter) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		out, err := call(cmd.Context(), sh, ops.NodeList, ops.NodeListIn{In: sh.in(), Limit: -1})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		walk(out.Tree, func(n *ops.TreeNode) {
			if len(found) < candidatesMost && (filter == nil || filter(n)) {
				found = append(found, offer(prefix, n.ID, n.Title, n.Status)...)
			}
		})
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// offer returns what a word may become: the id, or the title where only that begins with the word.
func offer(prefix, id, title, status string) []string {
	id, title = render.Visible(id), render.Visible(title)
	switch {
	case strings.HasPrefix(id, prefix):
		if status != "" {
			status = " (" + status + ")"
		}
		return []string{cobra.CompletionWithDesc(id, title+status)}
	case strings.HasPrefix(title, prefix):
		return []string{cobra.CompletionWithDesc(title, id)}
	}
	return nil
}

// completeActions completes the actions that a node's status allows now.
func (sh *shell) completeActions(cmd *cobra.Command, node string) ([]string, cobra.ShellCompDirective) {
	ctx := cmd.Context()
	id, err := sh.node(ctx, node)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	n, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: sh.in(), NodeID: id})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return n.Node.Allowed, cobra.ShellCompDirectiveNoFileComp
}

// completeWorkspaces completes the first word of a command, or the value of a flag, as a workspace.
func (sh *shell) completeWorkspaces(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
	out, err := call(completionContext(cmd), sh, ops.WorkspaceList, ops.WorkspaceListIn{Status: "all"})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, w := range out.Workspaces {
		status := w.Status
		if status == "active" {
			status = ""
		}
		found = append(found, offer(prefix, w.ID, w.Name, status)...)
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completionContext returns the command's context; the library may complete flags without one.
func completionContext(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}

// completion adds the command that prints completion scripts, which the library writes.
func (sh *shell) completion(root *cobra.Command) {
	root.SetCompletionCommandGroupID(groupCare)
	root.InitDefaultCompletionCmd()
	cmd, _, _ := root.Find([]string{"completion"})
	cmd.Short = "Print a completion script for bash, zsh, fish or PowerShell"
	cmd.Long = `It completes commands, flags, and the ids of nodes and workspaces with their
titles, and offers only nodes whose status allows the verb. The one for bash
needs the package bash-completion. The help of each says how to install it.`
	cmd.Example = "arbor completion bash > ~/.local/share/bash-completion/completions/arbor"
	cmd.RunE = sh.runGroup
}
