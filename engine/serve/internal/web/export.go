package web

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// stillPolicy lets a page of an export load its style sheet and pictures from beside it, also as a file, and nothing
// else: no script runs in it, whatever a text may hold.
const stillPolicy = "default-src 'none'; style-src 'self' file:; img-src 'self' file: data:; " +
	"base-uri 'none'; form-action 'none'"

// Export writes the views of a workspace as files that need no server: nothing in them runs or can be changed. The
// workspace is named as a person names it. Plan, board and graph show the nodes that a query finds; "" stands for all.
// write is called once for each file, and an error of it ends the export.
func (s *Site) Export(
	ctx context.Context, workspace, language, where string, write func(name string, data []byte) error,
) error {
	env := s.env()
	env.Names = ops.NamesLoose
	ws, err := ops.WorkspaceGet(ctx, env, ops.WorkspaceGetIn{In: ops.In{WorkspaceID: workspace}})
	if err != nil {
		return err
	}
	list := ops.NodeListIn{In: ops.In{WorkspaceID: ws.Workspace.ID}, Where: where, Limit: 1}
	if _, err := ops.NodeList(ctx, s.env(), list); err != nil { // the query cannot be read
		return err
	}
	x := &exporter{site: s, ctx: ctx, where: where, write: write, pictures: map[string]bool{},
		look: look{Language: language, Static: true}}
	all, err := ops.WorkspaceList(ctx, s.env(), ops.WorkspaceListIn{})
	if err != nil {
		return err
	}
	for _, head := range all.Workspaces {
		if head.ID == ws.Workspace.ID {
			x.head = head
		}
	}
	style, err := files.ReadFile("static/app.css")
	if err != nil {
		return err
	}
	if err := write("app.css", style); err != nil {
		return err
	}
	if err := x.views(); err != nil {
		return err
	}
	return x.things(mdstore.ID(ws.Workspace.ID))
}

// An exporter writes the files of one workspace.
type exporter struct {
	site  *Site
	ctx   context.Context
	where string // a query; "" for none
	write func(name string, data []byte) error
	look  look
	head  ops.WorkspaceHead

	pictures map[string]bool // the names of those that are written
	wrong    error           // why a picture could not be written
}

func (x *exporter) views() error {
	for _, v := range x.site.views() {
		switch v.name {
		case "overview":
			if err := x.draw("index.html", v, ""); err != nil {
				return err
			}
		case "plan", "board", "graph", "memory", "sessions", "check":
			if err := x.draw(v.name+".html", v, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// things writes a file for each node, slot, session and state.
func (x *exporter) things(ws mdstore.ID) error {
	snap, err := x.site.engine.View(x.ctx, ws)
	if err != nil {
		return err
	}
	ids := map[string][]string{}
	for n := range snap.All() {
		ids["node"] = append(ids["node"], string(n.ID))
	}
	in := ops.In{WorkspaceID: string(ws)}
	list := ops.MemoryListIn{Wanted: ops.Wanted{Limit: everyNode}}
	list.WorkspaceID = in.WorkspaceID
	slots, err := ops.MemoryList(x.ctx, x.site.env(), list)
	if err != nil {
		return err
	}
	for _, slot := range slots.Slots {
		ids["slot"] = append(ids["slot"], slot.Name)
	}
	sessions, err := ops.SessionList(x.ctx, x.site.env(), ops.SessionListIn{In: in, Wanted: ops.Wanted{Limit: everyNode}})
	if err != nil {
		return err
	}
	for _, session := range sessions.Sessions {
		ids["session"] = append(ids["session"], session.ID)
	}
	states, err := ops.StateList(x.ctx, x.site.env(), ops.StateListIn{In: in, Wanted: ops.Wanted{Limit: everyNode}})
	if err != nil {
		return err
	}
	for _, state := range states.States {
		ids["state"] = append(ids["state"], state.ID)
	}
	total := 0
	for _, of := range ids {
		total += len(of)
	}
	loop := mdstore.LoopOf(x.ctx, "pages written", total)
	defer loop.End()
	for _, v := range x.site.views() {
		for _, id := range ids[v.name] {
			if err := x.draw(fileOf(v.name, id), v, id); err != nil {
				return err
			}
			loop.Done(1)
		}
	}
	return nil
}

// draw writes a view to a file; id names the thing that it shows, or is "".
func (x *exporter) draw(name string, of viewOf, id string) error {
	address := url.URL{Path: "/" + of.name, RawQuery: url.Values{"ws": {x.head.ID}, "filter": {x.where}}.Encode()}
	r, err := http.NewRequestWithContext(x.ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	r.SetPathValue("id", id)
	v := &screen{look: x.look, View: of.name, Workspace: x.head.ID, All: []ops.WorkspaceHead{x.head}}
	x.site.linked(x.ctx, v, id)
	v.links.picture = func(target string) string { return x.picture(v, id, target) }
	if err := of.body(r, v); err != nil && (id == "" || errs.As(err).Class() == errs.Internal || x.ctx.Err() != nil) {
		return err
	} else if err != nil { // the page shows the error instead, and the export goes on
		v.View, v.Title, v.Body = "failure", id, errs.As(err)
	}
	var b bytes.Buffer
	if err := cmp.Or(v.templates().ExecuteTemplate(&b, "page.html", v), x.wrong); err != nil {
		return err
	}
	return x.write(name, b.Bytes())
}

// picture writes a picture that lies in the vault, and returns the name of its file; "" for anything else. target is a
// path from the folder of the screen's node.
func (x *exporter) picture(v *screen, id, target string) string {
	if v.View != "node" {
		id = ""
	}
	p := x.site.pictureAt(x.ctx, v, id, target)
	data, err := x.site.engine.RawFile(x.ctx, p)
	if p == "" || err != nil || data == nil {
		return ""
	}
	name := "picture-" + mdstore.VersionOf(data).String() + strings.ToLower(path.Ext(string(p)))
	if !x.pictures[name] {
		x.pictures[name] = true
		x.wrong = cmp.Or(x.wrong, x.write(name, data))
	}
	return name
}
