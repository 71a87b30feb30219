package ops

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"arbor/engine/exchange"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

type ExportIn struct {
	In
	Format string `json:"format" req:"true" arg:"FORMAT"`
	Where  string `json:"where,omitempty" help:"only nodes that match QUERY"`
}

type ExportOut struct {
	Text    string   `json:"text"`
	Nodes   int      `json:"nodes"`
	Damaged []string `json:"damaged,omitempty"` // files that could not be read
	Out
}

var exportOp = op("export", reads, Export, Help{
	Summary: "export a workspace to share it",
	Use:     "export FORMAT",
	Text: `Prints the workspace in a FORMAT, or writes it as web pages (html DIR).

` + formatsHelp() + `
--where takes a query of search. The workspace stays as it is.`,
	Example: `arbor export json > plan.json
arbor export md --where 'status:pending' > open.md
arbor export html ../plan-for-the-team`,
})

func formatsHelp() (text string) {
	for _, f := range exchange.Formats() {
		text += "  " + f.Name + "              "[:max(1, 10-len(f.Name))] + f.Form + "\n"
	}
	return text
}

// Export returns a workspace in one of the formats of exchange.
var Export = reading(func(ctx context.Context, env *Env, in ExportIn) (*ExportOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	matches, doubt, err := env.where(ctx, s, in.Where)
	if err != nil {
		return nil, err
	}
	out, p := &ExportOut{Out: Out{Hint: doubt}}, exchange.Plan{View: s, All: in.Where == ""}
	met := map[mdstore.Path]bool{}
	add := func(n *mdstore.Node) {
		if !met[n.Path] && matches(n) {
			met[n.Path] = true
			p.Nodes = append(p.Nodes, n)
		}
	}
	for _, n := range s.Walk(mdstore.Root) {
		add(n)
	}
	for n := range s.All() {
		add(n) // what hangs below no root, and files with an id that another one has
	}
	for path, problem := range s.Broken() {
		out.Damaged = append(out.Damaged, string(path)+": "+problem.Text)
	}
	if p.All && in.Format == "json" {
		if p.Files, err = env.filesBeside(ctx, s, out); err != nil {
			return nil, fail(err)
		}
	}
	if in.Format == "mermaid" {
		g, err := PlanGraph(ctx, env, PlanGraphIn{In: in.In, Where: in.Where})
		if err != nil {
			return nil, err
		}
		p.Graph = g.Graph(view.ShortIDs(s)).Mermaid()
	}
	out.Nodes = len(p.Nodes)
	out.Text, err = exchange.Write(p, strings.ToLower(in.Format))
	return out, fail(err)
})

// filesBeside returns the files of a workspace that are neither its own nor nodes, with those in the folder of imports:
// that a text names them is asked as well, because a store need not list files of no kind.
func (env *Env) filesBeside(ctx context.Context, s *view.View, out *ExportOut) (files []mdstore.File, err error) {
	for _, page := range s.Pages().All() {
		files = append(files, mdstore.File{Path: page.Path, Data: page.Doc().Bytes()})
	}
	for path, problem := range s.Pages().Broken() {
		out.Damaged = append(out.Damaged, string(path)+": "+problem.Text)
	}
	w := s.Workspace()
	targets := w.Docs()
	for n := range s.All() {
		n, _ = s.File(n.Path) // with its text
		targets = slices.Concat(targets, n.Docs(), n.References())
		for _, l := range plan.TextLinks(string(n.Doc().Bytes())) {
			targets = append(targets, mdstore.Ref{Target: path.Join(string(n.Path.Dir()), l.Target)})
		}
	}
	paths := map[mdstore.Path]bool{}
	add := func(target string) {
		i := strings.Index("/"+target, "/"+string(plan.Imported(w))+"/")
		if i >= 0 && mdstore.Path(target[i:]).Valid() {
			paths[mdstore.Path(target[i:])] = true
		}
	}
	for _, r := range targets {
		add(r.Target)
	}
	all, _, err := env.Engine.Tree(ctx, string(env.vaultFolder().Join(string(plan.Imported(w)))), maxImported)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if name := path.Base(f.Path); !f.Folder && name[0] != '.' {
			add(f.Path)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		f, err := env.Engine.FileAt(ctx, p)
		unread, damaged := errors.AsType[*mdoc.UnreadableError](err)
		switch {
		case damaged:
			out.Damaged = append(out.Damaged, string(p)+": "+unread.Problem.Text)
		case err != nil:
			return nil, err
		case !f.Version.IsZero():
			files = append(files, f)
		}
	}
	return files, nil
}

// maxImported is how many files and folders are looked for in the folder of imports.
const maxImported = 100_000
