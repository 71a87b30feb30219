package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/statemachine"
)

// choices completes a flag from words that never change.
func choices(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// An offer is a completion of a word.
type offer struct {
	word, desc string
	named      bool // desc is a name that may be given instead of the word
	remark     string
}

// candidatesMost is how many offers a shell gets: few enough to show at once.
const candidatesMost = 300

// completed returns the offers that begin with prefix. It leaves out words with characters that a shell could not pass
// back.
func completed(all []offer, prefix string) []string {
	var found []string
	for _, o := range all {
		desc := render.Visible(o.desc)
		switch {
		case len(found) == candidatesMost:
			return found
		case strings.HasPrefix(o.word, prefix) && render.Visible(o.word) == o.word:
			if desc = strings.TrimSpace(desc + o.remark); desc == "" {
				found = append(found, o.word)
			} else {
				found = append(found, cobra.CompletionWithDesc(o.word, desc))
			}
		case o.named && strings.HasPrefix(desc, prefix):
			found = append(found, cobra.CompletionWithDesc(desc, render.Visible(o.word)))
		}
	}
	return found
}

// complete completes the next word.
func (b *binding) complete(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	many := manyIn(b.words)
	if len(words) >= len(b.words) && many < 0 {
		return nil, directive
	}
	name := b.words[min(len(words), len(b.words)-1)].name
	if many >= 0 && len(words) >= many {
		name = b.words[many].name
	}
	if name == b.command.files {
		directive = cobra.ShellCompDirectiveDefault
	}
	p, _ := b.param(name)
	keys := b.setsKeys() && (name == pairWord || len(words) > 0)
	var found []string
	if keys {
		found, directive = completed(b.keyOffers(), prefix), directive|cobra.ShellCompDirectiveNoSpace
	}
	switch ctx := cmd.Context(); {
	case name == pairWord:
		return found, directive
	case b.command.offers != nil:
		return append(completed(b.command.offers(ctx, words), prefix), found...), directive
	case p.Field.Tag.Get("is") == "node":
		return append(completed(nodeOffers(nil)(ctx, b.sh), prefix), found...), directive
	case p.Field.Tag.Get("is") == "slot":
		return completed(slotOffers(b.o.Name == "memory_restore")(ctx, b.sh), prefix), directive
	case p.Enum != nil:
		return p.Enum, directive
	case wordOffers[name] != nil:
		return append(completed(wordOffers[name](ctx, b.sh), prefix), found...), directive
	case b.o.Name == "session_load", name == "SESSION":
		return completed(sessionOffers(ctx, b.sh), prefix), directive
	case name == "WS":
		return append(completed(workspaceOffers(ctx, b.sh), prefix), found...), directive
	}
	return nil, directive
}

// completeFlag completes the value of a flag.
func completeFlag(sh *shell, offers func(context.Context, *shell) []offer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil { // the library may complete flags without a context
			ctx = context.Background()
		}
		return completed(offers(ctx, sh), prefix), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// nodeOffers offers the nodes for which filter returns true; nil for all. If something cannot be read, this and the
// functions below offer nothing.
func nodeOffers(filter func(*ops.TreeNode) bool) func(context.Context, *shell) []offer {
	return func(ctx context.Context, sh *shell) (all []offer) {
		out, err := call(ctx, sh, ops.NodeList, ops.NodeListIn{In: sh.in(), Limit: -1})
		if err != nil {
			return nil
		}
		walk(out.Tree, func(n *ops.TreeNode) {
			if filter == nil || filter(n) {
				all = append(all, offer{n.ID, n.Title, true, " (" + string(n.Status) + ")"})
			}
		})
		return all
	}
}

// allowing offers the nodes for which an action is allowed now.
func allowing(ctx context.Context, sh *shell, action string) (all []offer) {
	out, err := call(ctx, sh, ops.Allowing, ops.AllowingIn{In: sh.in(), Action: action, Begin: true})
	if err != nil {
		return nil
	}
	for _, n := range out.Nodes {
		all = append(all, offer{string(n.ID), n.Title, true, " (" + string(n.Status) + ")"})
	}
	return all
}

// slotOffers offers the slots of the memory, or the archived ones.
func slotOffers(archived bool) func(context.Context, *shell) []offer {
	return func(ctx context.Context, sh *shell) (all []offer) {
		in := ops.MemoryListIn{MemoryIn: ops.MemoryIn{In: sh.in()}, Archived: archived, Wanted: ops.Wanted{Limit: -1}}
		out, err := call(ctx, sh, ops.MemoryList, in)
		if err != nil {
			return nil
		}
		for _, s := range out.Slots {
			all = append(all, offer{word: s.Name, desc: s.Description})
		}
		return all
	}
}

// wordOffers has the functions that complete a word, by its name in the line of usage.
var wordOffers = map[string]func(context.Context, *shell) []offer{
	"STATE": func(ctx context.Context, sh *shell) (all []offer) {
		out, err := call(ctx, sh, ops.StateList, ops.StateListIn{In: sh.in()})
		if err != nil {
			return nil
		}
		for _, s := range out.States {
			all = append(all, offer{s.ID, s.Name, true, " (" + timeOf(s.Created) + ")"})
		}
		return all
	},
	"ENV": func(ctx context.Context, sh *shell) (all []offer) {
		out, err := call(ctx, sh, ops.EnvList, ops.EnvListIn{})
		if err != nil {
			return nil
		}
		for _, e := range out.Environments {
			all = append(all, offer{word: e.ID, desc: e.URI})
		}
		return all
	},
	"TOOL": func(ctx context.Context, sh *shell) (all []offer) {
		out, err := call(ctx, sh, ops.ToolList, ops.ToolListIn{})
		if err != nil {
			return nil
		}
		for _, t := range out.Tools {
			all = append(all, offer{word: t.Name, desc: t.Description})
		}
		return all
	},
}

// sessionOffers offers the sessions that have a file.
func sessionOffers(ctx context.Context, sh *shell) (all []offer) {
	out, err := call(ctx, sh, ops.SessionList, ops.SessionListIn{In: sh.in()})
	if err != nil {
		return nil
	}
	for _, s := range out.Sessions {
		all = append(all, offer{s.ID, s.Name, true, ""})
	}
	return all
}

// workspaceOffers offers the workspaces of the vault.
func workspaceOffers(ctx context.Context, sh *shell) (all []offer) {
	out, err := call(ctx, sh, ops.WorkspaceList, ops.WorkspaceListIn{Status: "all"})
	if err != nil {
		return nil
	}
	for _, w := range out.Workspaces {
		all = append(all, offer{w.ID, w.Name, true, " (" + w.Status + ")"})
	}
	return all
}

// nodeNamed reads the node that a word names; the zero NodeInfo if it names none.
func nodeNamed(ctx context.Context, sh *shell, word string) ops.NodeInfo {
	if id, err := sh.node(ctx, word); err == nil {
		if out, err := sh.read(ctx, id); err == nil {
			return out.Node
		}
	}
	return ops.NodeInfo{}
}

// newCompletion returns the command that prints completion scripts, which the library writes.
func newCompletion(root *cobra.Command) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or PowerShell",
		Long: `The script completes commands, flags, and ids of nodes and workspaces with their
titles. It offers only nodes that allow the verb now. The bash script needs the
package bash-completion. Write the output where your shell looks for it: for zsh
a file _arbor in a folder of $fpath, for fish
~/.config/fish/completions/arbor.fish; for PowerShell, run it from $PROFILE.`,
		Example:           "arbor admin completion bash > ~/.local/share/bash-completion/completions/arbor",
		ValidArgsFunction: choices(shells...),
		RunE: func(cmd *cobra.Command, words []string) error {
			switch out := cmd.OutOrStdout(); words[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return unknownChoice("the shell", words[0], shells)
		},
	}
}

func statuses() (all []string) {
	for _, t := range statemachine.Types() {
		for _, s := range statemachine.Statuses(t) {
			if !slices.Contains(all, string(s)) {
				all = append(all, string(s))
			}
		}
	}
	return all
}
