package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// offerRefs completes a word from documents or references that an action changes: those that begin with prefix, in the
// order of the file. One that a shell could not hand back as it is, is not offered.
func offerRefs(refs []mdstore.Ref, action, prefix string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, r := range refs {
		changes := action == "remove" || r.Expired == (action == "activate")
		if !changes || !strings.HasPrefix(r.Target, prefix) || render.Visible(r.Target) != r.Target {
			continue
		}
		desc := render.Visible(r.Description)
		if r.Expired {
			desc = strings.TrimSpace(desc + " (expired)")
		}
		if desc != "" {
			r.Target = cobra.CompletionWithDesc(r.Target, desc)
		}
		found = append(found, r.Target)
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeReferences completes the references of a node that an action changes.
func (sh *shell) completeReferences(ctx context.Context, action, node, prefix string) ([]string, cobra.ShellCompDirective) {
	id, err := sh.node(ctx, node)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: sh.in(), NodeID: id})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offerRefs(refsOf(out.Node.References), action, prefix)
}

// completeDocs completes the documents of the workspace that an action changes.
func (sh *shell) completeDocs(ctx context.Context, action, prefix string) ([]string, cobra.ShellCompDirective) {
	out, err := call(ctx, sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offerRefs(out.Workspace.Docs, action, prefix)
}

// completeRules completes the rules that can be removed, without those that the command line has already. Other actions
// take new ones.
func (sh *shell) completeRules(action string) completeWords {
	return func(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if action != "remove" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		out, err := call(cmd.Context(), sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var refs []mdstore.Ref
		for _, r := range out.Workspace.Rules {
			if !slices.Contains(words, r) {
				refs = append(refs, mdstore.Ref{Target: r})
			}
		}
		return offerRefs(refs, action, prefix)
	}
}
