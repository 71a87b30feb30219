package mcpserv

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/internal/memory"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	letters "arbor/mdstore/fold"
	"arbor/mdstore/pattern"
)

// slotScheme begins the URI of every slot: memory://notes.md, or memory://ws-1/notes.md where several slots have the
// name.
const slotScheme = "memory://"

// slotForms are the forms in which a slot is read, with their media types: the end of its URI says which.
var slotForms = map[string]string{"md": markdown, "txt": "text/plain", "json": "application/json"}

// slotTemplates are the URI templates of slots.
var slotTemplates = []string{slotScheme + "{slot}.{format}{?from}", slotScheme + "{workspace}/{slot}.{format}{?from}"}

var slotForm = pattern.Of(`^` + slotScheme + `(?:([^/?]+)/)?([^/?]+)\.(md|txt|json)(?:\?from=([1-9][0-9]{0,8}))?$`)

// parseSlotURI reads the URI of a slot.
func parseSlotURI(uri string) (r ref, ok bool) {
	m := slotForm().FindStringSubmatch(uri)
	if m == nil {
		return ref{}, false
	}
	r = ref{part: partSlot, form: m[3]}
	r.from, _ = strconv.Atoi(m[4]) // digits, or nothing
	slot, err := url.PathUnescape(m[2])
	if r.slot = slot; m[1] != "" {
		r.workspace, ok = decodeID(m[1])
	}
	return r, err == nil && (ok || m[1] == "")
}

func (r ref) slotURI() string {
	s := slotScheme
	if r.workspace != "" {
		s += string(r.workspace) + "/"
	}
	return s + strings.ReplaceAll(url.QueryEscape(r.slot), "+", "%20") + "." + r.form
}

// addSlotTemplates registers the templates of slots, where the memory is offered.
func (s *Server) addSlotTemplates() {
	for i, t := range slotTemplates {
		if s.standing().on(ops.SetMemory) {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: t, Name: "memory" + []string{"", "-in-workspace"}[i], Title: "A slot of the memory",
				Description: "As Markdown (md), text (txt) or JSON (json): the exports of memory_export.",
				Annotations: forAssistants()}, s.readResource)
		}
	}
}

// slotText returns an export of a slot. Of a slot whose file is damaged, Markdown is the file as it is.
func slotText(ctx context.Context, env *ops.Env, r ref) (string, error) {
	_, p, err := ops.SlotOf(ctx, env, ops.SlotRef{In: ops.In{WorkspaceID: string(r.workspace)}, Slot: r.slot})
	if err != nil {
		return "", err
	}
	if doc, v := p.File(); p.Editable() != nil && r.form == "md" { // an export would look complete
		return source(p.Path, v, doc, p.Problems)
	}
	return string(memory.Export(mdstore.SlotOf(p), nil, r.form)), nil
}

// slotResources returns the slots of workspaces whose paths come after a path, in the order of paths: as many as fit
// into room bytes, but at least one. If more follow, next is the path of the last one.
func (s *Server) slotResources(ctx context.Context, all []*mdstore.Workspace, after string, room int) (out []*mcp.Resource, next string, err error) {
	err = s.engine.Read(ctx, func(ctx context.Context) error {
		type slot struct {
			*mdstore.Page
			ws mdstore.ID
		}
		var slots []slot
		named := map[string]int{}
		for _, w := range all {
			v, err := s.engine.View(ctx, w.ID)
			if err != nil {
				continue // two workspaces have this id
			}
			for _, p := range view.Slots(v) {
				slots = append(slots, slot{p, w.ID})
				named[letters.Name(mdstore.SlotName(p))]++
			}
		}
		slices.SortFunc(slots, func(a, b slot) int { return cmp.Compare(a.Path, b.Path) })
		out, next = nil, ""
		room := room
		for _, p := range slots {
			if string(p.Path) <= after {
				continue
			}
			r := ref{part: partSlot, slot: mdstore.SlotName(p.Page), form: "md"}
			if named[letters.Name(r.slot)] > 1 {
				r.workspace = p.ws
			}
			one := slotResource(r, p.Page)
			if room -= marshalled(one); room < 0 && len(out) > 0 {
				return nil
			}
			out, next = append(out, one), string(p.Path)
		}
		next = ""
		return nil
	})
	return out, next, err
}

// slotResource returns the entry for a slot in the list. It needs the slot's document for its size.
func slotResource(r ref, p *mdstore.Page) *mcp.Resource {
	s := mdstore.SlotOf(p)
	about := &mcp.Resource{URI: r.slotURI(), Name: render.Visible(s.Name), Description: render.Visible(s.Description), MIMEType: markdown,
		Size: int64(len(memory.Export(s, nil, r.form))), Annotations: forAssistants(), Meta: mcp.Meta{}}
	if s.Updated > 0 {
		about.Annotations.LastModified = time.UnixMilli(s.Updated).UTC().Format(time.RFC3339)
	}
	if len(s.Tags) > 0 {
		about.Meta["tags"] = s.Tags
	}
	if s.Group != "" {
		about.Meta["group"] = s.Group
	}
	return about
}

// slotAt returns a text that changes when a slot does: the paths and versions of the slots that ref names.
func slotAt(v *view.View, ref string) (state string) {
	for _, p := range view.SlotsNamed(v, ref, false) {
		state += fmt.Sprintln(p.Path, p.Version())
	}
	return state
}

// slots adds the names of slots.
func (m *matches) slots(ctx context.Context, env *ops.Env, workspace string) error {
	in := ops.MemoryListIn{Wanted: ops.Wanted{Limit: -1}, SortBy: "name"}
	in.WorkspaceID = workspace
	out, err := ops.MemoryList(ctx, env, in)
	if err != nil {
		if c := errs.As(err).Class(); c == errs.NotFound || c == errs.Invalid {
			return nil
		}
		return err
	}
	for _, s := range out.Slots {
		m.word(s.Name)
	}
	return nil
}

// word adds a word if it matches.
func (m *matches) word(word string) {
	switch at := strings.Index(strings.ToLower(word), m.value); {
	case at == 0:
		m.found[0] = append(m.found[0], word)
	case at > 0:
		m.found[2] = append(m.found[2], word)
	}
}
