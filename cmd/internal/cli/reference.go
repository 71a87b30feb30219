package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// refVerbs are what can be done with a document of a workspace or with a reference of a node.
var refVerbs = []struct{ action, summary, words, example string }{
	{"add", "add a %s", " [DESC]", ` docs/api.md "the endpoints"`},
	{"remove", "remove a %s; the file stays", "", " docs/api.md"},
	{"expire", "keep a %s in the list, but out of every context", "", " docs/api.md"},
	{"activate", "bring an expired %s back", "", " docs/api.md"},
}

// addRefVerbs adds the verbs below a command that lists documents or references.
func (sh *shell) addRefVerbs(
	parent *cobra.Command, noun, words, node, text string, of func(action string) command,
) *cobra.Command {
	for _, v := range refVerbs {
		c := of(v.action)
		c.help = ops.Help{
			Use: v.action + " " + words + v.words, Summary: fmt.Sprintf(v.summary, noun), Text: text,
			Example: "arbor " + parent.Name() + " " + v.action + node + v.example,
		}
		parent.AddCommand(sh.command(c))
	}
	return parent
}

func newDocs(sh *shell) *cobra.Command {
	docs := sh.command(command{op: "workspace_update_docs", without: allParams, list: true, instead: sh.showDocs})
	text := "The path is relative to the project, or an address."
	return sh.addRefVerbs(docs, "document", "PATH", "", text, func(action string) command {
		c := command{op: "workspace_update_docs", in: &ops.WorkspaceUpdateDocsIn{Action: action}}
		if action == "add" {
			c.files = "PATH"
		}
		c.offers = func(ctx context.Context, words []string) []offer {
			if len(words) > 0 || action == "add" {
				return nil
			}
			return sh.docs(ctx, action)
		}
		return c
	})
}

func (sh *shell) showDocs(ctx context.Context) (bool, error) {
	out, err := call(ctx, sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
	if err != nil {
		return true, err
	}
	docs := out.Workspace.Docs
	if sh.flags.json {
		return true, sh.json(struct {
			Docs        []mdstore.Ref     `json:"docs"`
			Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
			ops.Out
		}{docs, out.Diagnostics, ops.Out{Hint: "arbor docs add adds to them; arbor docs expire keeps one out of every context"}})
	}
	sh.damage(out.Diagnostics)
	if len(docs) == 0 {
		sh.say("%s has no documents", out.Workspace.Name)
		return true, nil
	}
	return true, sh.docLines(docs, "documents")
}

// docLines prints documents or references, one a line, or their paths alone.
func (sh *shell) docLines(docs []mdstore.Ref, what string) error {
	var all []string
	p := sh.page()
	for _, d := range docs {
		if sh.flags.quiet {
			all = append(all, render.Visible(d.Target))
		} else {
			all = append(all, p.docLine(d))
		}
	}
	return sh.bounded(all, what, "--all brings the rest")
}

func newRef(sh *shell) *cobra.Command {
	in := &ops.NodeReferenceIn{}
	ref := sh.command(command{op: "node_reference", in: in, without: allParams, list: true,
		instead: func(ctx context.Context) (bool, error) { return true, sh.showRefs(ctx, in.NodeID) }})
	text := "The target is a node, or the path of a document relative to the project."
	return sh.addRefVerbs(ref, "reference", "NODE TARGET", " node-mj2hz4gy", text, func(action string) command {
		c := command{op: "node_reference", in: &ops.NodeReferenceIn{Action: action}}
		if action == "add" {
			c.files = "TARGET"
		}
		c.offers = func(ctx context.Context, words []string) []offer {
			switch {
			case len(words) == 1 && action != "add":
				return refs(refsOf(sh.nodeNamed(ctx, words[0]).References), action)
			case len(words) < 2:
				return sh.nodes(ctx, nil)
			}
			return nil
		}
		return c
	})
}

func (sh *shell) showRefs(ctx context.Context, node string) error {
	out, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: sh.in(), NodeID: node})
	if err != nil {
		return err
	}
	refs := out.Node.References
	if sh.flags.json {
		return sh.json(struct {
			References []ops.Reference `json:"references"`
			ops.Out
		}{refs, ops.Out{Hint: "arbor ref add adds to them; arbor context brings what the active ones say"}})
	}
	if len(refs) == 0 {
		sh.say("%s has no references", out.Node.Title)
		return nil
	}
	return sh.docLines(refsOf(refs), "references")
}

// refsOf returns references as documents are: both print and complete alike.
func refsOf(refs []ops.Reference) []mdstore.Ref {
	docs := make([]mdstore.Ref, len(refs))
	for i, r := range refs {
		docs[i] = mdstore.Ref{Target: r.Target, Description: r.Description, Expired: r.Expired}
	}
	return docs
}
