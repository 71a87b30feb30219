package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

// listed is what a word may become out of a list that a file holds: those that begin with it, in the order of the file.
type listed struct {
	prefix string
	found  []string
}

// add offers a word. One that a shell could not hand back as it is, is not offered.
func (l *listed) add(word, desc string) {
	if !strings.HasPrefix(word, l.prefix) || render.Visible(word) != word {
		return
	}
	if desc = render.Visible(desc); desc != "" {
		word = cobra.CompletionWithDesc(word, desc)
	}
	l.found = append(l.found, word)
}

func (l *listed) answer() ([]string, cobra.ShellCompDirective) {
	return l.found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// changes reports whether an action changes something that is expired or not.
func changes(action string, expired bool) bool {
	return action == "remove" || expired == (action == "activate")
}

// completeReferences completes the references of a node that an action changes.
func (sh *shell) completeReferences(cmd *cobra.Command, action, node, prefix string) ([]string, cobra.ShellCompDirective) {
	l := &listed{prefix: prefix}
	id, err := sh.node(cmd.Context(), node)
	if err != nil {
		return l.answer()
	}
	out, err := call(cmd.Context(), sh, ops.NodeGet, ops.NodeGetIn{In: sh.in(), NodeID: id})
	if err != nil {
		return l.answer()
	}
	for _, r := range out.Node.References {
		if changes(action, r.Expired) {
			l.add(r.Target, describe(r.Description, r.Expired))
		}
	}
	return l.answer()
}

// completeDocs completes the documents of the workspace that an action changes.
func (sh *shell) completeDocs(cmd *cobra.Command, action, prefix string) ([]string, cobra.ShellCompDirective) {
	l := &listed{prefix: prefix}
	out, err := call(cmd.Context(), sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
	if err != nil {
		return l.answer()
	}
	for _, d := range out.Workspace.Docs {
		if changes(action, d.Expired) {
			l.add(d.Target, describe(d.Description, d.Expired))
		}
	}
	return l.answer()
}

func describe(desc string, expired bool) string {
	if expired {
		return strings.TrimSpace(desc + " (expired)")
	}
	return desc
}

// completeRules completes the rules that can be removed, without those that the command line has already. Other actions take new ones.
func (sh *shell) completeRules(action string) cobra.CompletionFunc {
	if action != "remove" {
		return cobra.NoFileCompletions
	}
	return func(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
		l := &listed{prefix: prefix}
		out, err := call(cmd.Context(), sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
		if err != nil {
			return l.answer()
		}
		for _, r := range out.Workspace.Rules {
			if !slices.Contains(words, r) {
				l.add(r, "")
			}
		}
		return l.answer()
	}
}
