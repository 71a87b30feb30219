package mdstore

import (
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

// A Briefing is the part of Workspace.md for people who come back to the work: its sections besides rules, docs, log
// and problem.
type Briefing struct {
	Purpose, CurrentGoal, Preferences string
	Workflows                         []Workflow
	KeyFiles                          []Ref // a description says what the file is for
	Related                           []Ref // the description is why
}

// A Workflow is a way in which work is done: a heading of level 3 in the section Workflows.
type Workflow struct {
	Name  string
	When  string // "" if the file does not say
	Steps string // as they are

	raw string // the whole text below the heading of the section; "" for one that is not from a file
}

const whenMark = "When:"

// Briefing reads the workspace's briefing.
func (w *Workspace) Briefing() Briefing {
	_, flows := workflowsOf(w.Doc)
	return Briefing{Purpose: w.Doc.Text(SecPurpose), CurrentGoal: w.Doc.Text(SecCurrentGoal),
		Preferences: w.Doc.Text(SecPreferences), Workflows: flows,
		KeyFiles: refs(w.Doc, SecKeyFiles), Related: refs(w.Doc, SecRelated)}
}

// workflowsOf returns what stands above the first workflow, and the workflows.
func workflowsOf(d *mdoc.Doc) (above string, flows []Workflow) {
	exact := func(from, to int) string { return strings.ReplaceAll(string(d.Readable()[from:to]), "\r\n", "\n") }
	for _, s := range d.Sections() {
		if s.Name != SecWorkflows {
			continue
		}
		heads := slices.DeleteFunc(slices.Clone(d.Headings()), func(h mdoc.Heading) bool {
			return h.Level != 3 || h.Span.Start < s.Body.Start || h.Span.End > s.Body.End
		})
		end := s.Body.End
		if len(heads) > 0 {
			end = heads[0].Span.Start
		}
		above += apart(exact(s.Body.Start, end), len(heads) == 0)
		for i, h := range heads {
			last := i == len(heads)-1
			if end = s.Body.End; !last {
				end = heads[i+1].Span.Start
			}
			steps := d.Slice(mdoc.Span{Start: h.Span.End, End: end})
			f := Workflow{Name: h.Title, Steps: steps, raw: apart(exact(h.Span.Start, end), last)}
			if first, rest, _ := strings.Cut(f.Steps, "\n"); begins(first, whenMark) {
				f.When, f.Steps = strings.TrimSpace(first[len(whenMark):]), strings.TrimLeft(rest, "\n")
			}
			flows = append(flows, f)
		}
	}
	return above, flows
}

// apart returns a part of a section unchanged, or the last part so that another can follow.
func apart(text string, last bool) string {
	if text = strings.TrimLeft(text, "\n"); !last || text == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\n"
}

func begins(s, mark string) bool {
	return len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark)
}

// String returns the workflow as one text: its name, when it is for, and its steps.
func (f Workflow) String() string {
	if f.When == "" {
		return f.Name + ":\n" + f.Steps
	}
	return f.Name + " (" + f.When + "):\n" + f.Steps
}

// neat returns the workflow as it will read back, and what has to be changed in it to make it fit.
func (f Workflow) neat() (g Workflow, adapted []string, err error) {
	f.Name, f.When = strings.TrimSpace(f.Name), strings.TrimSpace(f.When)
	f.Steps, adapted, err = mdoc.Nest(f.Steps, 3)
	f.raw = "### " + f.Name + "\n\n"
	if f.When != "" || begins(f.Steps, whenMark) {
		f.raw += strings.TrimSpace(whenMark+" "+f.When) + "\n\n"
	}
	if f.Steps != "" {
		f.raw += f.Steps + "\n\n"
	}
	return f, adapted, err
}

func (f Workflow) same(g Workflow) bool {
	return f.Name == g.Name && f.When == g.When && f.Steps == g.Steps
}

// WorkflowsText returns a text for the section Workflows that has these workflows, and the changes that were needed to
// make them fit. The text above the first workflow stays, and a workflow that the document has already keeps its
// bytes. If a workflow would not read back, the error is an *mdoc.EditError.
func WorkflowsText(d *mdoc.Doc, flows []Workflow) (text string, adapted []string, err error) {
	text, have := workflowsOf(d)
	want := make([]Workflow, len(flows))
	for i, f := range flows {
		f, changed, err := f.neat()
		if err != nil {
			return "", nil, err
		}
		if at := slices.IndexFunc(have, f.same); at >= 0 {
			f, changed = have[at], nil
			have = slices.Delete(have, at, at+1)
		}
		want[i], text, adapted = f, text+f.raw, append(adapted, changed...)
	}
	text = strings.TrimRight(text, "\n")
	now, _ := mdoc.Parse("", []byte("---\n---\n\n## "+SecWorkflows+"\n\n"+text+"\n"), WorkspaceForm)
	_, back := workflowsOf(now)
	for i, f := range want {
		if f.Name == "" || i >= len(back) || !back[i].same(f) {
			return "", nil, &mdoc.EditError{Text: "workflow " + quoted(f.Name) +
				" would not read back as it is given: its name and when are one line each, without the marks of headings"}
		}
	}
	return text, adapted, nil
}

// RefItems returns the items of a section of documents, with their indexes, and the items for the references want: an
// item that the section has already keeps its text, and "" means a new one.
func RefItems(d *mdoc.Doc, section string, want []Ref) (have []string, at []int, now []string) {
	known, items := refs(d, section), d.Items(section)
	for _, r := range known {
		have, at = append(have, items[r.Index].Text), append(at, r.Index)
	}
	now = make([]string, len(want))
	for i, r := range want {
		same := func(k Ref) bool { return k.Target == r.Target && k.Description == r.Description }
		if k := slices.IndexFunc(known, same); k >= 0 {
			now[i] = items[known[k].Index].Text
			known = slices.Delete(known, k, k+1)
		}
	}
	return have, at, now
}
