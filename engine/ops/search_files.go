package ops

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"arbor/engine/internal/search"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A source is a file that a search looks at. Of node, page, doc and own, exactly one is set.
type source struct {
	ws   *mdstore.Workspace
	node *mdstore.Node
	is   *standing // of a node
	page *mdstore.Page
	doc  string // path of a document in the project
	own  bool   // the workspace's own file
}

// unreadable returns the reason for each unreadable file of a workspace, such as its size, or that it is a link.
func unreadable(v *view.View) (all []string) {
	broken := v.AllBroken()
	for _, p := range slices.Sorted(maps.Keys(broken)) {
		if d := broken[p]; d.Code != view.CodeFileMissing {
			all = append(all, d.String())
		}
	}
	return all
}

// unreadShown returns the first lines of unread files, as many as a reply shows, and one with the number of the others.
func unreadShown(all []string) []string {
	if n := len(all) - warnedFiles; n > 0 {
		return append(all[:warnedFiles:warnedFiles], fmt.Sprintf("%d more: {workspace_check} names them", n))
	}
	return all
}

// sources returns the files of the workspaces that a call means, in the place that in names; "" and "all" mean every
// place. unread names the files of these workspaces that cannot be read, and why.
func sources(ctx context.Context, env *Env, workspace, in string) (all []source, unread []string, err error) {
	workspaces, err := env.Workspaces(ctx)
	if err != nil {
		return nil, nil, fail(err)
	}
	others := env.ofOthers(ctx, workspaces)
	meant := func(w *mdstore.Workspace) bool { return w.Status == mdstore.StatusActive && others[w.ID] == "" }
	if ref := cmp.Or(workspace, env.Where.Workspace); ref != "" {
		id, err := env.workspace(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		meant = func(w *mdstore.Workspace) bool { return w.ID == id }
	}
	want := func(place string) bool { return in == "" || in == "all" || in == place }
	named := map[string]bool{}
	for _, w := range workspaces {
		if !meant(w) {
			continue
		}
		v, err := env.Engine.WithPages(ctx, w.ID)
		if err != nil {
			return nil, nil, fail(err)
		}
		unread = append(unread, unreadable(v)...)
		w = v.Workspace()
		name := func(target string) {
			base, _, _ := strings.Cut(target, "#")
			target = path.Clean(base)
			hidden := slices.Contains(strings.Split(target, "/"), ".git") // git's own files may hold a token
			if want(search.InDocs) && !named[target] && !hidden {
				named[target] = true
				all = append(all, source{ws: w, doc: target})
			}
		}
		if want(search.InPlan) {
			all = append(all, source{ws: w, own: true})
		}
		for _, d := range w.Docs() {
			if !d.Expired {
				name(d.Target)
			}
		}
		is := env.standing(ctx, v)
		for n := range v.All() {
			if want(search.InPlan) {
				all = append(all, source{ws: w, node: n, is: is})
			}
			for target := range n.Facts().Docs() {
				name(target)
			}
		}
		for _, p := range v.Pages().All() {
			if place := placeOfKind(p.Kind); place != "" && want(place) {
				all = append(all, source{ws: w, page: p})
			}
		}
	}
	return all, unread, ctx.Err()
}

// workspaceOf returns the workspace of all sources, "" if they are of several.
func workspaceOf(all []source) mdstore.ID {
	for i, s := range all {
		if s.ws.ID != all[0].ws.ID {
			return ""
		}
		if i == len(all)-1 {
			return s.ws.ID
		}
	}
	return ""
}

// placeOfKind returns the place (a value of SearchIn.In) of the files of a kind, "" for kinds that are not searched.
func placeOfKind(k *mdstore.Kind) string {
	switch {
	case k.IsSlot():
		return search.InMemory
	case k == mdstore.StateKind:
		return search.InStates
	case k == mdstore.SessionKind, k == mdstore.SessionLogKind, k == mdstore.TranscriptKind:
		return search.InSessions
	}
	return ""
}

// kind returns what results call a part of the source.
func (s source) kind() string {
	switch {
	case s.doc != "":
		return "doc"
	case s.own:
		return "workspace"
	case s.node != nil:
		return "node"
	case s.page.Kind.IsSlot():
		return "entry"
	}
	return s.page.Kind.Name
}

func (s source) path() mdstore.Path {
	switch {
	case s.doc != "":
		return mdstore.Path(s.doc)
	case s.own:
		return s.ws.Path
	case s.node != nil:
		return s.node.Path
	}
	return s.page.Path
}

// read returns the file's present bytes with its head. If the view has an older version, the front matter is read
// again.
func (s *source) read(ctx context.Context, env *Env) (f search.File, data []byte, err error) {
	if s.doc != "" {
		data, err = env.Engine.ReadDoc(ctx, s.doc)
		return search.File{Path: mdstore.Path(s.doc), Head: search.Head{In: search.InDocs, Title: s.doc}, Parts: search.Sections}, data, err
	}
	now, err := env.Engine.ReadFile(ctx, s.path())
	if err != nil {
		return search.File{}, nil, err
	}
	switch f.Path, data = now.Path, now.Data; {
	case s.own:
		w := s.ws
		if w.Version != now.Version {
			w = mdstore.ParseWorkspace(now)
		}
		f.Head = search.Head{In: search.InPlan, Status: w.Status, ID: string(w.ID), Title: w.Name, Description: w.Goal + "\n" + w.Description,
			Time: max(w.CreatedAt, w.UpdatedAt)}
		f.Parts = search.Sections
	case s.node != nil:
		n := s.node
		if n.Version() != now.Version {
			n = mdstore.ParseNode(now)
		}
		f.Head = s.is.head(n)
	default:
		p := s.page
		if p.Version() != now.Version {
			p = mdstore.ParsePage(p.Kind, mdstore.File{Path: now.Path, Data: mdstore.Stored(now.Path, data)})
		}
		f.Head = search.Head{In: placeOfKind(p.Kind), ID: string(p.ID), Title: p.Name(), Tags: p.List(mdstore.KeyTags),
			Description: p.Field(mdstore.KeyDescription) + "\n" + p.Field(mdstore.KeyGoal), Time: max(p.Made(), p.Time(mdstore.KeyUpdated))}
		if f.Parts = search.Sections; p.Kind.IsSlot() {
			f.Title, f.Group, f.Parts = mdstore.SlotName(p), mdstore.SlotGroup(p), search.Entries
		}
	}
	return f, data, nil
}

const readers = 16 // goroutines that read files: more than most machines have processors

// lookAt calls look with every source, from several goroutines and in no order. It skips files that cannot be read.
func lookAt(ctx context.Context, env *Env, all []source, look func(i int, f *search.File, data []byte)) error {
	loop := mdstore.LoopOf(ctx, "files searched", len(all))
	defer loop.End()
	paths := make([]mdstore.Path, 0, len(all))
	for _, s := range all {
		if s.doc == "" {
			paths = append(paths, s.path())
		}
	}
	ctx = mdstore.WithReads(ctx, paths)
	var next atomic.Int64
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if f, data, err := all[i].read(ctx, env); err == nil {
					look(i, &f, data)
				}
				loop.Done(1)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// tagged returns a filter by tags, type and time.
func tagged(tags, without []string, typ string, since, until int64) func(*search.Head) bool {
	fold := func(s string) string { return string(search.Fold(nil, []byte(s))) }
	has := func(h *search.Head, any []string) bool {
		return slices.ContainsFunc(h.Tags, func(t string) bool {
			return slices.ContainsFunc(any, func(a string) bool { return fold(a) == fold(t) })
		})
	}
	return func(h *search.Head) bool {
		return (len(tags) == 0 || has(h, tags)) && !has(h, without) && (typ == "" || fold(typ) == fold(h.Type)) &&
			(since == 0 || h.Time >= since) && (until == 0 || h.Time <= until && h.Time > 0)
	}
}
