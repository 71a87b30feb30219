package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A since is what others changed since the person was here.
type since struct {
	Last    int64 // the end of the previous visit, Unix milliseconds; 0 for none
	Changed []changed
	More    int // further nodes
}

// A changed is a node that others changed.
type changed struct {
	ID, Title string
	Who, What string
	Time      int64  // of the last change, Unix milliseconds
	Part      string // the address of the diff
	Gone      bool   // it was deleted
	Undo      string // the operation that deleted it, if that can be undone; else ""
}

// since lists the nodes that others changed since the previous visit: what the record and the files tell, nodes that
// git had then and has no longer, and nodes whose files came or say that they were changed since. Changes by people on
// this machine are left out.
func (s *Site) since(ctx context.Context, v *screen, snap *view.View) (out since, err error) {
	if out.Last = v.lastVisit; out.Last == 0 {
		return out, nil
	}
	did, err := ops.Activity(ctx, s.env(), s.seenSaves(v.Workspace))
	if err != nil {
		return out, err
	}
	met, keys := map[string]bool{}, map[string][]string{}
	own := map[string]bool{} // nodes that a person changed
	for _, h := range did.Happenings {
		if h.Time <= out.Last || h.Commit() {
			continue
		}
		for _, c := range h.What {
			id := string(c.ID)
			now, there := snap.Node(c.ID)
			if strings.HasPrefix(h.By, mdstore.OperatorHuman) {
				own[id] = true
				continue
			}
			if there && h.Deleted(c.ID) || !there && own[id] { // it was restored, or a person deleted it
				continue
			}
			if !met[id] {
				met[id] = true
				row := changed{ID: id, Title: h.Titles[c.ID], Who: v.who(h.By), Time: h.Time, Part: "/since/" + id}
				if there {
					row.Title = now.Title
				} else {
					row.Gone, row.Part = true, "/activity/"+url.PathEscape(h.ID)
					if h.Deleted(c.ID) && !h.Undone && !h.TooLarge {
						row.Undo = h.ID
					}
				}
				if h.Path != "" {
					row.Who, c.Do = v.say("another program"), cmp.Or(c.Do, h.Text)
				}
				out.Changed = append(out.Changed, row)
			}
			if word := v.changeWord(c); word != "" && !slices.Contains(keys[id], word) {
				keys[id] = append(keys[id], word)
			}
		}
	}
	for i, c := range out.Changed {
		out.Changed[i].What = strings.Join(keys[c.ID], ", ")
	}
	gone, err := ops.GoneSince(ctx, s.env(), ops.In{WorkspaceID: v.Workspace}, time.UnixMilli(out.Last))
	if err != nil {
		return out, err
	}
	for _, h := range gone { // by git pull, also while no server ran
		id := string(h.What[0].ID)
		if met[id] {
			continue
		}
		out.Changed = append(out.Changed, changed{ID: id, Title: h.What[0].Name, Who: v.who(h.By), What: v.say(view.Deleted),
			Time: h.Time, Part: "/activity/" + url.PathEscape(h.ID), Gone: true})
	}
	for n := range snap.All() { // also files with an older updatedAt that came just now, as by git pull
		id, kind := string(n.ID), view.Altered
		if met[id] || own[id] || max(n.UpdatedAt, n.Stamp.Mtime/1e6) <= out.Last {
			continue
		}
		if n.CreatedAt > out.Last {
			kind = view.Added
		}
		out.Changed = append(out.Changed, changed{ID: id, Title: n.Title, What: v.say(kind), Part: "/since/" + id,
			Time: max(n.UpdatedAt, n.Stamp.Mtime/1e6)})
	}
	out.More = max(0, len(out.Changed)-shortList)
	out.Changed = out.Changed[:min(len(out.Changed), shortList)]
	return out, nil
}

// sinceDiff shows what changed in a node since the previous visit.
func (s *Site) sinceDiff(r *http.Request, v *screen) error {
	in := ops.In{WorkspaceID: v.Workspace}
	diff, err := ops.NodeSince(r.Context(), s.env(), in, r.PathValue("id"), time.UnixMilli(v.lastVisit))
	if err != nil {
		return err
	}
	v.Title, v.Body = "Activity", cut(diff)
	return nil
}
