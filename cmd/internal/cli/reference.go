package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// refVerbs are the verbs for the documents of a workspace and the references of a node.
var refVerbs = []struct{ verb, summary, words, example string }{
	{"add", "add a %s", " [DESC]", ` docs/api.md "the endpoints"`},
	{"set", "expire a %s, or make it active again", " " + pairWord, " docs/api.md status=expired"},
	{"rm", "remove a %s; the file stays", "", " docs/api.md"},
}

// withRefVerbs returns a command that lists documents or references, with the verbs below it. help is for all verbs:
// Use has the words, Text the text, Summary the noun, and Example the words before the path. of returns the command of
// a verb, and a pointer to its action.
func withRefVerbs(name string, c command, help ops.Help, of func(verb string) (command, *string)) command {
	c.without, c.list = allParams, true
	for _, v := range refVerbs {
		sub, action := of(v.verb)
		*action = map[string]string{"add": "add", "rm": "remove"}[v.verb]
		sub.help = ops.Help{
			Use: v.verb + " " + help.Use + v.words, Summary: fmt.Sprintf(v.summary, help.Summary), Text: help.Text,
			Example: "arbor " + name + " " + v.verb + help.Example + v.example,
		}
		if v.verb == "set" {
			sub.help.Text = "status=expired keeps it in the list but out of every context, status=active brings\nit back."
			sub.pairs = []offer{{word: "status=expired"}, {word: "status=active"}}
			sub.sets = func(key, value string) error {
				if key != "status" {
					return unknownChoice("the key", key, []string{"status"})
				}
				if *action = map[string]string{"expired": "expire", "active": "activate"}[value]; *action == "" {
					return unknownChoice("status", value, []string{"expired", "active"})
				}
				return nil
			}
		}
		c.verbs = append(c.verbs, sub)
	}
	return c
}

func docsCommand(sh *shell) command {
	help := ops.Help{Use: "PATH", Summary: "document", Text: "The path is one from here, or from the project, or an address; the file must be\nthere. It is kept as seen from the project."}
	return withRefVerbs("ws docs", command{instead: always(sh, showDocs)}, help, func(verb string) (command, *string) {
		in := &ops.WorkspaceUpdateDocsIn{}
		if verb == "add" {
			c := command{in: in, files: "PATH"}
			fromHere(sh, &c, func(context.Context) *string { return &in.Path })
			return c, &in.Action
		}
		listed := func(ctx context.Context) []mdstore.Ref {
			ws, err := sh.own(ctx)
			if err != nil {
				return nil
			}
			return ws.Workspace.Docs
		}
		c := command{in: in, offers: func(ctx context.Context, words []string) []offer {
			if len(words) > 0 {
				return nil
			}
			return refOffers(listed(ctx))
		}}
		c.instead = func(ctx context.Context) (bool, error) {
			in.Path = asListed(sh, listed(ctx), in.Path)
			return false, nil
		}
		return c, &in.Action
	})
}

// fromHere makes a command take the path of a document relative to the working directory, and store it relative to the
// project. pathOf returns a pointer to the path, or nil if the word is not a path. A file outside of the project needs
// --outside.
func fromHere(sh *shell, c *command, pathOf func(context.Context) *string) {
	outside := false
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&outside, "outside", false, "the document may lie outside of the project")
	}
	c.instead = func(ctx context.Context) (bool, error) {
		at := pathOf(ctx)
		if at == nil || *at == "" {
			return false, nil
		}
		path, err := fromProject(sh, *at, outside)
		if err == nil {
			*at = path
		}
		return false, err
	}
}

// fromProject turns the path of an existing file, relative to the working directory, into one relative to the project.
// Other words stay as they are: they may be relative to the project already, or addresses; the operation checks that.
// It cannot check paths outside of the project, so fromProject refuses missing files there.
func fromProject(sh *shell, path string, outside bool) (string, error) {
	place := resolve(sh.dir(), path)
	_, missing := os.Stat(place)
	if missing != nil && filepath.IsLocal(path) {
		return path, nil
	}
	found, err := sh.sys.Vaults.Find(sh.place())
	if err != nil && !isCode(err, errs.VaultNotFound) { // without a vault, found says where one would be made
		return "", err
	}
	rel, err := filepath.Rel(found.Project, place)
	switch inside := err == nil && filepath.IsLocal(rel); {
	case inside:
		return filepath.ToSlash(rel), nil
	case missing != nil:
		return "", errs.New(errs.ReferenceNotFound, "%s: no such file; make it first", path)
	case outside:
		return filepath.ToSlash(place), nil
	}
	return "", errs.New(errs.InvalidPath,
		"%s lies outside of the project %s, where others do not find it; --outside adds it all the same",
		path, found.Project)
}

// asListed returns path as it is in list: as given, relative to the project, or absolute. It returns path itself if the
// list has none of these.
func asListed(sh *shell, list []mdstore.Ref, path string) string {
	has := func(path string) bool {
		return slices.ContainsFunc(list, func(r mdstore.Ref) bool { return r.Target == path })
	}
	if found, err := sh.sys.Vaults.Find(sh.place()); err == nil && !has(path) {
		place := resolve(sh.dir(), path)
		if rel, err := filepath.Rel(found.Project, place); err == nil && has(filepath.ToSlash(rel)) {
			return filepath.ToSlash(rel)
		}
		if has(filepath.ToSlash(place)) {
			return filepath.ToSlash(place)
		}
	}
	return path
}

func showDocs(sh *shell, out *ops.WorkspaceGetOut) error {
	docs := out.Workspace.Docs
	if sh.flags.json {
		return sh.part(map[string]any{"docs": docs}, out.Diagnostics,
			"arbor ws docs add adds to them; arbor ws docs set PATH status=expired keeps one out of every context")
	}
	sh.damage(out.Diagnostics)
	return printRefs(sh, docs, out.Workspace.Name, "documents")
}

func refCommand(sh *shell) command {
	in := &ops.NodeReferenceIn{}
	list := func(ctx context.Context) (bool, error) { return true, showRefs(ctx, sh, in.NodeID) }
	help := ops.Help{
		Use: "NODE TARGET", Summary: "reference", Example: " node-mj2hz4gy",
		Text: "The target is a node, or the path of a document from here or from the project,\nwhich must be there. It is kept as seen from the project.",
	}
	return withRefVerbs("ref", command{in: in, instead: list}, help, func(verb string) (command, *string) {
		in := &ops.NodeReferenceIn{}
		c := command{in: in}
		if verb == "add" {
			c.files = "TARGET"
			fromHere(sh, &c, func(ctx context.Context) *string {
				if nodeNamed(ctx, sh, in.TargetIDOrPath).ID != "" {
					return nil
				}
				return &in.TargetIDOrPath
			})
		} else {
			c.instead = func(ctx context.Context) (bool, error) {
				list := refsOf(nodeNamed(ctx, sh, in.NodeID).References, names{})
				in.TargetIDOrPath = asListed(sh, list, in.TargetIDOrPath)
				return false, nil
			}
		}
		c.offers = func(ctx context.Context, words []string) []offer {
			switch {
			case len(words) == 1 && verb != "add":
				return refOffers(refsOf(nodeNamed(ctx, sh, words[0]).References, names{}))
			case len(words) < 2:
				return nodeOffers(nil)(ctx, sh)
			}
			return nil
		}
		return c, &in.Action
	})
}

func showRefs(ctx context.Context, sh *shell, node string) error {
	sh.parts = true
	out, err := sh.read(ctx, node)
	if err != nil {
		return err
	}
	refs := out.Node.References
	if sh.flags.json {
		return sh.part(map[string]any{"references": refs}, nil,
			"arbor ref add adds to them; arbor context brings what the active ones say")
	}
	n := names{}
	if !sh.flags.quiet {
		n = namesOf(sh, "")
	}
	return printRefs(sh, refsOf(refs, n), out.Node.Title, "references")
}

// printRefs prints documents or references, one a line; with -q only their paths. of is the name of the node or
// workspace that has them.
func printRefs(sh *shell, refs []mdstore.Ref, of, what string) error {
	if len(refs) == 0 {
		sh.say("%s has no %s", of, what)
		return nil
	}
	var all []string
	p := sh.page()
	for _, d := range refs {
		if sh.flags.quiet {
			all = append(all, render.Visible(d.Target))
		} else {
			all = append(all, p.docLine(d))
		}
	}
	return sh.bounded(all, what)
}

// refsOf returns references in the form of documents, so that both are printed and completed in the same way. It names
// nodes by their titles if n knows them.
func refsOf(refs []ops.Reference, n names) []mdstore.Ref {
	docs := make([]mdstore.Ref, len(refs))
	for i, r := range refs {
		docs[i] = mdstore.Ref{Target: r.TargetID, Description: r.Description, Expired: r.Expired}
		if n.view != nil {
			docs[i].Target = n.titled(r.TargetID)
		}
	}
	return docs
}

// refOffers offers documents or references.
func refOffers(list []mdstore.Ref) (all []offer) {
	for _, r := range list {
		o := offer{word: r.Target, desc: r.Description}
		if r.Expired {
			o.remark = " (expired)"
		}
		all = append(all, o)
	}
	return all
}
