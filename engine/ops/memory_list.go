package ops

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

type MemoryListIn struct {
	MemoryIn
	Query  string   `json:"query,omitempty" help:"only slots with these WORDS in name, description, group or tags"`
	Tags   []string `json:"tags,omitempty" flag:"tag" help:"only slots with this TAG; repeat it to require several"`
	Group  string   `json:"group,omitempty" help:"only slots in this GROUP and below it"`
	SortBy string   `json:"sortBy,omitempty" enum:"updated,name,created,priority" flag:"sort" help:"default updated"`

	Archived   bool `json:"archived,omitempty" help:"archived slots only"`
	Candidates int  `json:"candidates,omitempty" min:"0" help:"only slots not changed or read for N days"`
	Wanted
}

type MemoryListOut struct {
	Slots  []SlotOut `json:"slots" always:"true"`
	Tags   []Counted `json:"tags"`
	Groups []Counted `json:"groups"`
	Listed
	Sizes // of all archived slots that match
	Out
}

// Sizes say how much room archived slots take, in bytes: as text, and in the archive.
type Sizes struct {
	OriginalSize int     `json:"originalSize,omitempty"`
	ArchivedSize int     `json:"archivedSize,omitempty"`
	Ratio        float64 `json:"ratio,omitempty"` // ArchivedSize / OriginalSize
}

func (s *Sizes) add(original, archived int) {
	s.OriginalSize, s.ArchivedSize = s.OriginalSize+original, s.ArchivedSize+archived
	s.Ratio = ratio(s.ArchivedSize, s.OriginalSize)
}

// ratio returns a/b, rounded to thousandths. For b = 0 it returns a.
func ratio(a, b int) float64 { return math.Round(1000*float64(a)/float64(max(b, 1))) / 1000 }

// Counted is a tag or group, with the number of its slots.
type Counted struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

type SlotOut struct {
	Name        string   `json:"name"`
	ID          string   `json:"id"`
	WorkspaceID string   `json:"workspaceId"`
	Group       string   `json:"group,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Description string   `json:"description,omitempty"`
	Priority    int      `json:"priority,omitempty"`
	Entries     int      `json:"entries"`
	Characters  int      `json:"characters"`
	UpdatedAt   int64    `json:"updatedAt,omitempty"` // Unix milliseconds
	Compressed  bool     `json:"compressed,omitempty"`
	Problem     string   `json:"problem,omitempty"` // why its file cannot be changed

	LastAccessed int64  `json:"lastAccessed,omitempty"` // of an archived slot or a candidate
	ArchivedAt   int64  `json:"archivedAt,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Sizes
}

var memoryList = op("memory_list", reads|repeats, MemoryList, Help{
	Summary: "list slots, with tags and groups",
	Use:     "memory list",
	Text:    "Without a workspace that is meant they are those of all workspaces.",
	Example: "arbor memory list --group projects\narbor memory list --tag urgent --sort name\narbor memory list --archived",
})

// MemoryList lists slots. It loads the documents only of those that it shows.
var MemoryList = reading(func(ctx context.Context, env *Env, in MemoryListIn) (*MemoryListOut, error) {
	views, err := memoryOf(ctx, env.As(in.SessionID), in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	type found struct {
		mdstore.Slot
		page *mdstore.Page
		ws   mdstore.ID
		last int64 // the last use, if the call asks for it
		note mdstore.ArchiveNote
		size int // of an archived file
	}
	accessed := env.Engine.Accessed(ctx)
	rested := env.Engine.Now().AddDate(0, 0, -in.Candidates).UnixMilli()
	var all []found
	out := &MemoryListOut{Tags: []Counted{}, Groups: []Counted{}}
	words := strings.Fields(fold.Name(in.Query))
	broken := map[mdstore.Path]string{} // files of slots that cannot be read, and why
	for _, v := range views {
		slots := view.Slots(v)
		if in.Archived {
			slots = v.Pages().Of(mdstore.ArchivedSlotKind)
		}
		for path, d := range v.Pages().Broken() { // its path tells its name
			if k := mdstore.AllKinds().Of(path); k != nil && (k == mdstore.ArchivedSlotKind || k.IsSlot()) && k.IsSlot() != in.Archived {
				slots, broken[path] = append(slots, mdstore.ParsePage(k, mdstore.File{Path: path})), d.String()
			}
		}
		for _, p := range slots {
			s := mdstore.SlotHead(p)
			for _, t := range s.Tags {
				out.Tags = count(out.Tags, t)
			}
			if s.Group != "" {
				out.Groups = count(out.Groups, s.Group)
			}
			text := fold.Name(strings.Join(append([]string{s.Name, s.Description, s.Group}, s.Tags...), "\n"))
			lacks := func(w string) bool { return !strings.Contains(text, w) }
			other := func(t string) bool { return !slices.Contains(s.Tags, t) }
			if slices.ContainsFunc(words, lacks) || slices.ContainsFunc(in.Tags, other) ||
				in.Group != "" && !mdstore.Path(s.Group).Under(mdstore.Path(strings.Trim(in.Group, "/"))) {
				continue
			}
			f := found{Slot: s, page: p, ws: v.Workspace().ID}
			if in.Archived || in.Candidates > 0 {
				f.last = lastAccess(p, accessed)
			}
			if in.Archived {
				file, _ := env.Engine.FileAt(ctx, mdstore.NotePath(p.Path)) // an error leaves the note empty
				f.note = mdstore.ParseNote(file.Data)
				if !f.note.LastAccessed.IsZero() {
					f.last = f.note.LastAccessed.UnixMilli()
				}
				// this process wrote the file itself and has no note or stamp for it yet
				if f.size = int(p.Stamp.Size); f.note.Size <= 0 || f.size == 0 {
					text := p.Doc().Bytes()
					f.note.Size, f.size = len(text), len(mdstore.Stored(p.Path, text))
				}
			}
			if in.Candidates > 0 && f.last > rested {
				continue
			}
			out.add(f.note.Size, f.size)
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		by := cmp.Compare(b.Updated, a.Updated)
		switch in.SortBy {
		case "name":
			by = 0
		case "created":
			by = cmp.Compare(b.Created, a.Created)
		case "priority": // those without one last
			by = cmp.Compare(uint(a.Priority-1), uint(b.Priority-1))
		}
		return cmp.Or(by, strings.Compare(fold.Name(a.Name), fold.Name(b.Name)), strings.Compare(string(a.page.Path), string(b.page.Path)))
	})
	byName := func(a, b Counted) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(out.Tags, byName)
	slices.SortFunc(out.Groups, byName)
	l := list[found]{all: all, id: func(f found) string { return string(f.ID) }, what: "slots",
		hint:   "{memory_read} reads one, search finds words in all",
		none:   "no slots; {memory_save} makes one",
		narrow: "query, tags or group narrow it"}
	switch {
	case in.Archived:
		l.hint = "{memory_restore} brings one back"
	case in.Candidates > 0:
		l.hint = "{memory_archive} takes one out of the way"
	}
	heads := map[mdstore.Path]SlotOut{}
	err = l.reply(env, in.Wanted, out, &out.Listed, &out.Hint, func(shown []found) {
		out.Slots = []SlotOut{}
		for _, s := range shown {
			h, met := heads[s.page.Path]
			if !met {
				h = slotHead(s.Slot, s.page, s.ws)
				h.Problem = cmp.Or(broken[s.page.Path], h.Problem)
				if h.LastAccessed = s.last; in.Archived {
					h.Reason, h.Compressed = s.note.Reason, false
					h.add(s.note.Size, s.size)
					if !s.note.At.IsZero() {
						h.ArchivedAt = s.note.At.UnixMilli()
					}
				}
				heads[s.page.Path] = h
			}
			out.Slots = append(out.Slots, h)
		}
	})
	return out, err
})

// memoryOf returns the workspaces whose memory a call is about: the one that it names or means, or else all active
// ones.
func memoryOf(ctx context.Context, env *Env, workspace string) ([]*view.View, error) {
	v, err := env.WithPages(ctx, workspace)
	if e := errs.As(err); e == nil {
		return []*view.View{v}, nil
	} else if workspace != "" || e.Code != errs.AmbiguousID && e.Code != errs.WorkspaceNotFound {
		return nil, err
	}
	groups, err := searched(ctx, env, "")
	return slices.Concat(groups...), err
}

func count(all []Counted, name string) []Counted {
	if i := slices.IndexFunc(all, func(c Counted) bool { return c.Name == name }); i >= 0 {
		all[i].Slots++
		return all
	}
	return append(all, Counted{name, 1})
}

// slotHead returns a slot in the form of lists. It uses the slot's document.
func slotHead(s mdstore.Slot, p *mdstore.Page, ws mdstore.ID) SlotOut {
	o := SlotOut{Name: s.Name, ID: string(s.ID), WorkspaceID: string(ws), Group: s.Group, Tags: s.Tags, Description: s.Description,
		Priority: s.Priority, UpdatedAt: s.Updated, Compressed: p.Path.IsZipped()}
	if err := p.Editable(); err != nil {
		o.Problem = err.Error()
	}
	for _, e := range mdstore.EntriesOf(p.Doc()) {
		o.Entries++
		o.Characters += len([]rune(e.Text))
	}
	return o
}
