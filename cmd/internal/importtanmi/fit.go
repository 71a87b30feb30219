package importtanmi

import (
	"path"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// maxText is how many bytes of text a new file is given. It leaves room below mdstore.MaxFileSize for what is yet to come.
const maxText = 3 * mdstore.MaxFileSize / 4

// maxTail is how many bytes of a log stay where they are when the log is too long for its file.
const maxTail = 64 << 10

// A slot is one section of a file to be written: a text, or the items of a list.
type slot struct {
	section string
	text    *string
	items   []string
	store   func([]string) // takes over changed items
	mended  bool
}

func (s *slot) size() int {
	if s.text != nil {
		return len(*s.text)
	}
	n := 0
	for _, it := range s.items {
		n += len(it) + 3
	}
	return n
}

// pointer is what stands in the place of a text that went to a file.
func (s *slot) pointer(file string) string {
	if s.section == mdstore.SecDocs || s.section == mdstore.SecReferences {
		return file
	}
	return "What stood here did not fit and is in " + file
}

func (s *slot) form() mdoc.SectionText {
	if s.text != nil {
		return mdoc.SectionText{Name: s.section, Text: *s.text}
	}
	return mdoc.SectionText{Name: s.section, Items: append([]string{}, s.items...)}
}

// fit sees to it that every file of the new workspace can be written: one text that no Markdown section can hold, or that is too long,
// would keep the whole workspace out. Such a text goes to a file of its own.
func (w *workspace) fit() {
	for i := range w.imp.Nodes {
		w.fitNode(&w.imp.Nodes[i])
	}
	imp := &w.imp
	slots := []*slot{
		{section: mdstore.SecRules, items: imp.Rules, store: func(items []string) { imp.Rules = items }},
		refSlot(mdstore.SecDocs, &imp.Docs),
		logSlot(&imp.Log),
		{section: mdstore.SecProblem, text: &imp.Problem.Text},
		{section: mdstore.NextStep, text: &imp.Problem.NextStep},
	}
	w.settle(mdstore.WorkspaceForm, "", w.dir.path, slots)
}

func (w *workspace) fitNode(n *engine.ImportNode) {
	slots := []*slot{
		{section: mdstore.SecRequirement, text: &n.Requirement},
		{section: mdstore.SecConclusion, text: &n.Conclusion},
		{section: mdstore.SecNote, text: &n.Note},
		refSlot(mdstore.SecDocs, &n.Docs),
		refSlot(mdstore.SecReferences, &n.References),
		logSlot(&n.Log),
		{section: mdstore.SecProblem, text: &n.Problem.Text},
		{section: mdstore.NextStep, text: &n.Problem.NextStep},
	}
	w.settle(mdstore.NodeForm, path.Join(nodesDir, string(n.ID)), w.dir.at("node "+string(n.ID)), slots)
}

func refSlot(section string, refs *[]mdstore.Ref) *slot {
	s := &slot{section: section}
	for _, r := range *refs {
		item, _ := r.Format()
		s.items = append(s.items, item)
	}
	s.store = func(items []string) {
		*refs = nil
		for _, it := range items {
			*refs = append(*refs, mdstore.ParseRef(it))
		}
	}
	return s
}

func logSlot(log *[]mdstore.LogEntry) *slot {
	s := &slot{section: mdstore.SecLog}
	for _, e := range *log {
		if e.Time == "" {
			s.items = append(s.items, e.Event)
		} else {
			s.items = append(s.items, mdstore.FormatLog(e.Time, e.Operator, e.Event))
		}
	}
	s.store = func(items []string) {
		*log = nil
		for _, it := range items {
			*log = append(*log, mdstore.ParseLog(it))
		}
	}
	return s
}

// settle changes the slots until a file can hold them all. rel is where files go, who is what warnings speak of.
func (w *workspace) settle(form *mdoc.Form, rel, who string, slots []*slot) {
	for range 2 * len(slots) {
		total, biggest := 0, slots[0]
		for _, s := range slots {
			total += s.size()
			if s.size() > biggest.size() {
				biggest = s
			}
		}
		if total > maxText {
			w.move(biggest, rel, who, "is too long")
			continue
		}
		if holds(form, slots...) {
			return
		}
		found := false
		for _, s := range slots {
			switch {
			case s.size() == 0 || holds(form, s):
				continue
			case s.text == nil && !s.mended:
				w.mend(s, form, rel, who)
			default:
				w.move(s, rel, who, "cannot be held by a Markdown section")
			}
			found = true
		}
		if !found {
			w.move(biggest, rel, who, "cannot be held beside the others")
		}
	}
}

// holds reports whether a file can hold the slots as they are.
func holds(form *mdoc.Form, slots ...*slot) bool {
	var sections []mdoc.SectionText
	for _, s := range slots {
		if s.size() > 0 {
			sections = append(sections, s.form())
		}
	}
	_, _, err := mdoc.Compose(infoMD, form, []mdoc.FieldValue{{Key: mdstore.KeyID, Value: mdoc.Text("x")}}, sections)
	return err == nil
}

// mend puts those items of a list that a list cannot hold on one line each, or into a file.
func (w *workspace) mend(s *slot, form *mdoc.Form, rel, who string) {
	s.mended = true
	fits := func(item string) bool { return holds(form, &slot{section: s.section, items: []string{item}}) }
	for i, item := range s.items {
		if item == "" || fits(item) {
			continue
		}
		if flat := strings.Join(strings.Fields(item), " "); fits(flat) {
			s.items[i] = flat
			w.rep.warn(who, "an item of %s cannot stand in a list as it is: put on one line, %s", s.section, quote(flat))
			continue
		}
		file := w.put(rel, s.section, item)
		s.items[i] = s.pointer(w.projectPath(file))
		w.rep.warn(who, "an item of %s cannot stand in a list: kept in %s", s.section, file)
	}
	s.store(s.items)
}

// move moves the text of a slot into a file and leaves its path. Of a log the newest entries stay.
func (w *workspace) move(s *slot, rel, who, why string) {
	if s.text != nil {
		file := w.put(rel, s.section, *s.text)
		*s.text = s.pointer(w.projectPath(file))
		w.rep.warn(who, "%s %s: moved to %s", s.section, why, file)
		return
	}
	tail := len(s.items)
	if s.section == mdstore.SecLog && !s.mended {
		for room := maxTail; tail > 0 && room >= len(s.items[tail-1]); tail-- {
			room -= len(s.items[tail-1]) + 3
		}
	}
	s.mended = true
	var b strings.Builder
	for _, it := range s.items[:tail] {
		b.WriteString("- " + strings.ReplaceAll(it, "\n", "\n  ") + "\n")
	}
	file := w.put(rel, s.section, b.String())
	s.items = append([]string{s.pointer(w.projectPath(file))}, s.items[tail:]...)
	s.store(s.items)
	w.rep.warn(who, "%s %s: moved to %s", s.section, why, file)
}

func (w *workspace) put(rel, section, text string) string {
	return w.keep.put(path.Join(keptDir, rel, section+".md"), []byte(strings.TrimRight(text, "\n")+"\n"))
}
