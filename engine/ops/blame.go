package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
)

// BlameIn names a node.
type BlameIn struct {
	In
	NodeID  string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"the workspace itself unless given"`
	Section string `json:"section,omitempty" help:"only this SECTION, as Conclusion"`
}

// BlameOut says of each field and section who changed it last.
type BlameOut struct {
	Parts []BlamePart `json:"parts"`
	Out
}

// BlamePart is a field of the front matter, or a section with its signs of a heading.
type BlamePart struct {
	Name   string   `json:"name"`
	Commit string   `json:"commit,omitempty"` // of its newest line; "" where a line is in no commit yet
	Time   string   `json:"timestamp,omitempty"`
	Author string   `json:"author,omitempty"`
	Others []string `json:"others,omitempty"` // authors of its other lines
}

var blame = op("blame", reads|repeats|byGit, Blame, Help{
	Summary: "tell who changed each field and section of a node last",
	Use:     "blame [NODE]",
	Text: `Of each field and section the newest line counts; the authors of its other lines
stand behind it. Without NODE it is the workspace itself.`,
	Example: "arbor blame \"Sign-in endpoint\"\narbor blame . --section Conclusion",
})

// Blame says who changed each field and section of a file last, by git.
func Blame(ctx context.Context, env *Env, in BlameIn) (*BlameOut, error) {
	_, f, err := fileOf(ctx, env, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	out := &BlameOut{Parts: []BlamePart{}}
	lines, err := r.Blame(ctx, f.Path, f.Data)
	if _, ok := errors.AsType[*gitrepo.Error](err); ok {
		out.Hint, err = "it is in no commit yet", nil
	}
	doc, _ := mdoc.Parse(string(f.Path), f.Data, mdstore.AllKinds().Of(f.Path).Form)
	add := func(name string, first int, s mdoc.Span) {
		_, last := doc.Lines(s)
		of := lines[min(first-1, len(lines)):min(max(first, last), len(lines))]
		part, newest, whole := BlamePart{Name: name}, gitrepo.Commit{}, len(of) > 0
		for _, c := range of {
			if whole = whole && c.ID != ""; c.Time.After(newest.Time) {
				newest = c
			}
		}
		if whole {
			part.Commit, part.Time, part.Author = newest.ID[:shortID], newest.Time.Format(mdstore.TimeLayout), newest.Author
		}
		for _, c := range of {
			if c.ID != "" && c.Author != part.Author && !slices.Contains(part.Others, c.Author) {
				part.Others = append(part.Others, c.Author)
			}
		}
		out.Parts = append(out.Parts, part)
	}
	for _, f := range doc.Fields() {
		add(f.Key, f.Line, f.Span)
	}
	for _, s := range doc.Sections() {
		add("## "+s.Name, s.Line, mdoc.Span{Start: s.Heading.Start, End: s.Body.End})
	}
	if in.Section != "" {
		other := func(p BlamePart) bool { return !strings.EqualFold(p.Name, "## "+in.Section) }
		out.Parts = slices.DeleteFunc(out.Parts, other)
		if len(out.Parts) == 0 {
			return nil, badParam("section", "there is no section %q; without it all are told", in.Section)
		}
	}
	return out, fail(err)
}
