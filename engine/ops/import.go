package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/exchange"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

type ImportIn struct {
	In
	Path      string `json:"path" req:"true" arg:"PATH"`
	From      string `json:"from,omitempty" help:"the KIND of source; default: what it looks like"`
	Into      string `json:"into,omitempty" default:"root" is:"planning" help:"the planning NODE that gets it"`
	RulesHash string `json:"rulesHash,omitempty" help:"the rules' HASH, as arbor ws rules prints it; required from assistants if there are rules"`
	Cascade   bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Write

	Source    exchange.Source `json:"-"` // of Path
	Vault     string          `json:"-"` // the vault's folder, relative to that of the project
	RulesRead bool            `json:"-"` // as in NodeCreateIn
}

type ImportOut struct {
	Kind   string         `json:"kind"`
	Nodes  []ImportedNode `json:"nodes"`              // the new ones, parents before their children
	Docs   []string       `json:"docs,omitempty"`     // the new documents, by their paths in the vault
	Slots  int            `json:"entries,omitempty"`  // new entries of the slot that has the name of the kind
	Pages  int            `json:"pages,omitempty"`    // new sessions and states
	There  int            `json:"there"`              // items, documents, entries, sessions and states that were imported before
	Left   []string       `json:"leftOut,omitempty"`  // what was left out or changed
	Differ []string       `json:"differ,omitempty"`   // nodes that differ from the source
	Gone   []string       `json:"notThere,omitempty"` // nodes that the source has no more
	Raised []plan.Cascade `json:"cascadeUpdates"`
	Wrote
}

// ImportedNode is a node that an import has made.
type ImportedNode struct {
	NodeID   string              `json:"nodeId"`
	ParentID string              `json:"parentId"`
	Title    string              `json:"title"`
	Status   statemachine.Status `json:"status"`

	Depth int `json:"-"` // below the node that was imported into
}

var importOp = op("import", writes, Import, Help{
	Summary: "import tasks from other programs",
	Use:     "import PATH",
	Text: `PATH is a file or folder of another program, or - for Markdown from stdin. arbor
says what it looks like; --from KIND decides. All new nodes are created in one
commit. --dry-run prints the tree that would be created.

` + kindsHelp() + `
Each node notes its source (importedFrom). A second import of the same source adds
what is new, changes nothing else, and lists what has changed at the source since.
Statuses are kept. A dependency that closes a cycle is left out and named, and so
is an item that cannot be read; what else is left out is counted.`,
	Example: `arbor import plan.md --dry-run
arbor import plan.md --into Backend
arbor import tanmi ../old/.tanmi-workspace`,
})

func kindsHelp() (text string) {
	for _, k := range exchange.Kinds() {
		text += "  " + k.Name + ":              "[:max(2, 16-len(k.Name))] + k.Form + "\n"
	}
	return text
}

// Import makes nodes of what another program has.
func Import(ctx context.Context, env *Env, in ImportIn) (*ImportOut, error) {
	if in.Source.Read == nil {
		return nil, badParam("path", "import reads a file where arbor import runs, not on the server; on the page, "+
			"paste the text")
	}
	return env.imported(ctx, in, func() (*exchange.Result, error) { return exchange.Read(in.Source, in.From) })
}

// imported makes nodes of what is read.
func (env *Env) imported(ctx context.Context, in ImportIn, source func() (*exchange.Result, error)) (
	*ImportOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	into, err := env.resolve(s, in.Into, "into")
	if err != nil {
		return nil, recoded(err, errs.NodeNotFound, errs.ParentNotFound)
	}
	read, err := source()
	if err != nil {
		return nil, fail(err)
	}
	for i, doc := range read.Docs {
		f, err := env.Engine.FileAt(ctx, plan.ImportedDir(s.Workspace(), read.Kind).Join(doc.Path))
		if err != nil {
			return nil, fail(err)
		}
		read.Docs[i].There, read.Docs[i].Differs = !f.Version.IsZero(), f.Version != mdstore.VersionOf(doc.Text)
	}
	for rel, text := range read.Files {
		p := s.Workspace().Dir.Join(string(rel))
		if !p.Valid() || mdstore.AllKinds().Of(p) != nil {
			continue
		}
		if f, err := env.Engine.FileAt(ctx, p); err != nil {
			return nil, fail(err)
		} else if !f.Version.IsZero() {
			if read.Files[rel] = nil; f.Version != mdstore.VersionOf(text) {
				read.Left = append(read.Left, string(rel)+": it is there, with another text, which stays")
			}
		}
	}
	x := plan.ImportItems{Kind: read.Kind, Scope: read.Scope, Into: into,
		Items: read.Items, Docs: read.Docs, Memories: read.Memories, Pages: read.Pages, Briefing: read.Briefing,
		Files: read.Files, Part: read.Part, Vault: in.Vault,
		RulesHash: in.RulesHash, RulesRead: in.RulesRead, Cascade: in.Cascade}
	if in.Source.Name == "" && read.Files == nil { // a workspace of Arbor says itself what it is
		x.Kind = ""
	}
	r, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, Match{}), x)
	if err != nil {
		return nil, fail(err)
	}
	out := &ImportOut{Kind: read.Kind, Nodes: []ImportedNode{}, Docs: r.Docs, Slots: r.Entries, Pages: r.Pages,
		There: r.There, Left: append(read.Left, r.Left...),
		Differ: r.Differ, Gone: r.Gone, Raised: nonNil(r.Cascades),
		Wrote: env.wrote(ctx, s.Workspace().ID, o, "{node_next} lists nodes that are ready to start")}
	for _, n := range r.Made {
		out.Nodes = append(out.Nodes, ImportedNode{string(n.ID), string(n.Parent), n.Title, n.Status, n.Depth})
	}
	return out, nil
}
