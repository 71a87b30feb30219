package exchange

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

func isMarkdown(s Source) bool {
	ext := strings.ToLower(path.Ext(s.Name))
	return s.Files == nil && (s.Name == "" || slices.Contains([]string{".md", ".markdown", ".mdown", ".txt"}, ext))
}

// nbspBox is a box before a no-break space, as a Mac writes it by Option+Space.
var nbspBox = pattern.Of(`^\[(.)\]\x{A0}\s*((?s).*)$`)

// marks are the statuses of task boxes. A box with another mark stays part of its text.
var marks = map[string]statemachine.Status{"": "", " ": "", "x": statemachine.Completed, "X": statemachine.Completed,
	"/": statemachine.Implementing, "-": dropped}

// ended are the conclusions of items whose box says that they have ended.
var ended = map[statemachine.Status]string{
	statemachine.Completed: "was ticked in the source", dropped: "was dropped in the source",
}

// An entry is a heading or list item with what stands below it.
type entry struct {
	heading int // its level; 0 for an item
	title   string
	mark    string
	text    []string
	line    int
	below   []*entry
}

// readMarkdown reads a Markdown file. Headings with items below them and items become nodes; paragraphs, code, quotes
// and tables are the requirement of what they stand under. Plain indented lines from stdin are an outline as well.
func readMarkdown(r *reader) error {
	data, err := r.Read("")
	if err != nil {
		return err
	}
	body, line := r.body("", data)
	if r.Name != "" {
		r.out.Scope = r.Name + "#"
	}
	top, err := r.outline("", body, line)
	if err != nil {
		return err
	}
	if r.Name == "" && strings.TrimSpace(body) == "" {
		return refused("the outline has no line; each line is a title, indented below its parent")
	}
	if len(top.below) == 0 && r.Name == "" && plainLines(body) {
		if top, err = indented(body); err != nil {
			return err
		}
		r.counts, r.order = map[string]int{}, nil
	}
	r.untitled(top)
	r.entries(top, "", r.out.Scope, "")
	return nil
}

// body returns a file's text without front matter, with the number of its first line.
func (r *reader) body(file string, data []byte) (text string, line int) {
	text = r.utf8Text(data)
	d, problems := mdoc.Parse(file, []byte(text), nil)
	if len(d.Front()) == 0 || len(d.Fields()) == 0 && len(problems) > 0 || !strings.HasPrefix(text, string(d.Front())) {
		return text, 1
	}
	lines := strings.Count(string(d.Front()), "\n")
	r.count("line(s) of front matter", lines)
	return text[len(d.Front()):], lines + 1
}

// outline returns what stands in a Markdown text, below an entry of its own.
func (r *reader) outline(file, text string, line int) (*entry, error) {
	pieces, ok := mdoc.Pieces(text)
	if !ok {
		return nil, refused("%s is beyond the limits of a Markdown document (%d bytes, %d levels)",
			r.at(file, 0), mdoc.MaxBytes, mdoc.MaxContainers)
	}
	top := &entry{}
	way, items := []*entry{top}, []*entry(nil) // from the top to the present heading, and to the present item below it
	for _, p := range pieces {
		e := &entry{title: p.Text, mark: p.Mark, line: line + p.Line - 1}
		switch p.Kind {
		case mdoc.CommentPiece:
			r.count("comment(s)", 1)
		case mdoc.HeadingPiece:
			for e.heading = p.Level; way[len(way)-1].heading >= e.heading; {
				way = way[:len(way)-1]
			}
			above := way[len(way)-1]
			above.below, way, items = append(above.below, e), append(way, e), nil
		case mdoc.ItemPiece:
			if box := nbspBox().FindStringSubmatch(e.title); e.mark == "" && box != nil {
				e.mark, e.title = box[1], box[2] // GFM reads a box only before a common space
			}
			items = items[:min(len(items), p.Level-1)]
			above := slices.Concat(way, items)[len(way)+len(items)-1]
			above.below, items = append(above.below, e), append(items, e)
		case mdoc.TextPiece:
			if strings.Trim(p.Text, "-*_ \t\n") == "" {
				continue // a rule
			}
			in := slices.Concat(way, items)[len(way)-1+min(p.Level, len(items))]
			in.text = append(in.text, p.Text)
		}
	}
	top.fold()
	return top, nil
}

// only returns the heading of level 1 that all else stands below, or nil.
func (e *entry) only() *entry {
	if len(e.below) == 1 && e.below[0].heading == 1 && len(e.below[0].below) > 0 {
		return e.below[0]
	}
	return nil
}

// untitled leaves out the title of a document that all else stands below, and the text above all else.
func (r *reader) untitled(top *entry) {
	if only := top.only(); only != nil && len(only.text) == 0 {
		r.count("title of the document, which all else stands below", 1)
		top.below = only.below
	}
	for _, t := range top.text {
		r.count("paragraph(s) above the first heading or item", 1+strings.Count(t, "\n\n"))
	}
}

// boxes makes headings and plain items without task boxes below them text, and so boxes that are no tasks.
func (e *entry) boxes(task func(*entry) bool) (has bool) {
	var left []*entry
	for _, k := range e.below {
		below := k.boxes(task)
		if below || k.heading == 0 && k.mark != "" && task(k) {
			left, has = append(left, k), true
			continue
		}
		head := "- " + k.title
		if k.heading > 0 {
			head = strings.Repeat("#", k.heading) + " " + k.title
		} else if k.mark != "" {
			head = "- [" + k.mark + "] " + k.title
		}
		e.text = append(e.text, head)
		for _, t := range k.text {
			if k.heading == 0 {
				t = "  " + strings.ReplaceAll(t, "\n", "\n  ")
			}
			e.text = append(e.text, t)
		}
	}
	e.below = left
	return has
}

// fold makes headings without items below them text of what they stand under.
func (e *entry) fold() (hasItems bool) {
	var left []*entry
	for _, k := range e.below {
		if has := k.fold(); has || k.heading == 0 {
			left, hasItems = append(left, k), true
			continue
		}
		e.text = append(e.text, strings.Repeat("#", k.heading)+" "+k.title)
		e.text = append(e.text, k.text...)
	}
	e.below = left
	return hasItems
}

var comment = pattern.Of(`<!--[\s\S]*?-->`)

// entries adds the items of what stands below an entry. path is the key of the entry, to which titles are added.
func (r *reader) entries(e *entry, file, path, up string) {
	for _, k := range e.below {
		it := r.entry(k, file)
		it.Key, it.Up = r.unique(path+it.Title), up
		r.add(it)
		r.entries(k, file, it.Key+"/", it.Key)
	}
}

// entry returns the item of an entry: its first line is the title, all else the requirement.
func (r *reader) entry(e *entry, file string) (it plan.ImportItem) {
	title := comment().ReplaceAllStringFunc(e.title, func(string) string {
		r.count("comment(s)", 1)
		return ""
	})
	title, rest, _ := strings.Cut(strings.TrimSpace(title), "\n")
	status, known := marks[e.mark]
	if !known {
		title = "[" + e.mark + "] " + title
		r.count("box(es) with another mark, which is kept in the title", 1)
	}
	it.Title, it.Status, it.At = strings.TrimRight(title, " \\"), status, r.at(file, e.line)
	it.Conclusion = ended[status]
	it.Requirement = joined(slices.Insert(slices.Clone(e.text), 0, rest)...)
	return it
}

// plainLines reports whether a text has nothing but lines of words.
func plainLines(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && strings.ContainsAny(line[:1], "`~<>|#") {
			return false
		}
	}
	return true
}

// indented reads lines that are indented below each other.
func indented(text string) (*entry, error) {
	type open struct {
		indent int
		e      *entry
	}
	way, at := []open{{-1, &entry{}}}, 0
	for line := range strings.Lines(text) {
		at++
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r\n")
		title := strings.TrimLeft(line, " ")
		if title == "" {
			continue
		}
		indent := len(line) - len(title)
		beside := indent
		for way[len(way)-1].indent >= indent {
			beside = way[len(way)-1].indent
			way = way[:len(way)-1]
		}
		if beside != indent {
			return nil, refused("line %d of the outline, %s, is indented by %d columns, and the line that it could stand "+
				"beside by %d; give both the same indentation", at, strconv.Quote(title), indent, beside)
		}
		e := &entry{title: title, line: at}
		above := way[len(way)-1].e
		above.below = append(above.below, e)
		way = append(way, open{indent, e})
	}
	return way[0].e, nil
}
