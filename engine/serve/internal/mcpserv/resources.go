package mcpserv

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

const markdown = "text/markdown"

// forAssistants returns the annotations of a resource that is made for a model to read.
func forAssistants() *mcp.Annotations { return &mcp.Annotations{Audience: []mcp.Role{"assistant"}} }

// private is for replies that only their client may cache. They expire at once, because people save files.
var private = mcp.Cacheable{CacheScope: "private"}

// templates are the views of resources as clients see them.
var templates = []struct {
	part               part
	title, description string
}{
	{partWorkspace, "A workspace's file", "Workspace.md as it is: goal, rules, documents, log, problem."},
	{partTree, "A workspace's tree",
		"The nodes with their statuses, then open problems and damage; at most 200 nodes, the others are counted."},
	{partNode, "A node's file",
		"Node.md as it is: requirement, conclusion, note, documents, references, log, problem."},
	{partContext, "A node's context",
		"What is needed to work on the node: rules, the nodes above it, conclusions of its children, its references."},
}

// templateOf returns the URI template of a view. The query asks for the rest of a text that is longer than a reply.
func templateOf(v part) string {
	t := scheme + "{workspace}/" + string(v)
	if v.ofNode() {
		t += "/{id}"
	}
	return t + "{?from}"
}

// addTemplates registers the templates. Doing so again makes the SDK tell clients that the list of resources changed.
func (s *Server) addTemplates() {
	for _, t := range templates {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: templateOf(t.part), Name: string(t.part),
			Title: t.title, Description: t.description, MIMEType: markdown, Annotations: forAssistants(),
		}, s.readResource)
	}
	s.addSlotTemplates()
}

// slotCursor begins the cursor of a list that has come to the slots.
const slotCursor = "slot/"

// listResources lists the file and the tree of each active workspace, oldest first, and then the slots if the tool set
// memory is on. There are too many nodes to list; templates name them.
func (s *Server) listResources(
	ctx context.Context, env *ops.Env, params *mcp.ListResourcesParams,
) (*mcp.ListResourcesResult, error) {
	all, err := env.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(w *mdstore.Workspace) bool {
		return w.Status != mdstore.StatusActive
	})
	slices.SortStableFunc(all, compareWorkspaces)
	all = slices.CompactFunc(all, func(a, b *mdstore.Workspace) bool { return a.ID == b.ID })
	var after *mdstore.Workspace
	slot, slots := "", false
	if params != nil && params.Cursor != "" {
		if slot, slots = strings.CutPrefix(params.Cursor, slotCursor); slots {
			// earlier pages have the workspaces
		} else if after, err = parseCursor(params.Cursor); err != nil {
			return nil, err
		}
	}
	res := &mcp.ListResourcesResult{Cacheable: private, Resources: []*mcp.Resource{}}
	room := s.room() - 100 // the cursor
	var last *mdstore.Workspace
	for _, w := range all {
		if slots || after != nil && compareWorkspaces(w, after) <= 0 {
			continue
		}
		pair := resourcesOf(w)
		if room -= marshalled(pair); room < 0 && last != nil {
			res.NextCursor = cursorOf(last)
			return res, nil
		}
		res.Resources = append(res.Resources, pair...)
		last = w
	}
	if s.standing().on(ops.SetMemory) {
		more, next, err := s.slotResources(ctx, all, slot, room)
		if err != nil {
			return nil, err
		}
		if res.Resources = append(res.Resources, more...); next != "" {
			res.NextCursor = slotCursor + next
		}
	}
	return res, nil
}

func compareWorkspaces(a, b *mdstore.Workspace) int {
	return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// resourcesOf returns the resources of a workspace that the list names: its file, then its tree.
func resourcesOf(w *mdstore.Workspace) (all []*mcp.Resource) {
	name := cmp.Or(render.Visible(w.Name), string(w.ID))
	for _, t := range templates {
		if !t.part.ofNode() {
			r := ref{workspace: w.ID, part: t.part}
			all = append(all, &mcp.Resource{URI: r.String(), Name: string(w.ID) + "/" + string(t.part),
				Title: name + ": " + string(t.part), Description: t.description, MIMEType: markdown,
				Annotations: forAssistants()})
		}
	}
	file := all[0]
	file.Size = int64(len(w.Doc.Bytes()))
	if w.UpdatedAt > 0 {
		file.Annotations.LastModified = time.UnixMilli(w.UpdatedAt).UTC().Format(time.RFC3339)
	}
	return all
}

// cursorOf returns the cursor for the list after a workspace. It works even if that workspace is gone by then.
func cursorOf(w *mdstore.Workspace) string {
	return fmt.Sprintf("%d/%s", w.CreatedAt, w.ID)
}

func parseCursor(cursor string) (*mdstore.Workspace, error) {
	w := &mdstore.Workspace{}
	if _, err := fmt.Sscanf(cursor, "%d/%s", &w.CreatedAt, &w.ID); err != nil {
		return nil, errs.New(errs.InvalidParams, "cursor %q is not from an earlier answer; start again without it",
			clip(cursor, shownURI))
	}
	return w, nil
}

func marshalled(v any) int {
	data, _ := json.Marshal(v) // strings and numbers only
	return len(data)
}
