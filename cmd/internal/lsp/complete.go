package lsp

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/statemachine"
)

// mostItems bounds a reply of completion. The client asks again with each letter.
const mostItems = 100

// An asked is a place at which completion was requested.
type asked struct {
	d      *document
	w      *view.View
	at     int    // the place
	before string // the line before it
	after  string // the line behind it
	out    completionList
}

// completion returns what may stand at a place: nodes, values, names of sections and keys.
func completion(s *server, p textParams) (any, error) {
	var out completionList
	ok, err := s.at(p, func(ctx context.Context, d *document, w *view.View, at int) error {
		a := &asked{d: d, w: w, at: at, out: completionList{Items: []completionItem{}}}
		_, a.before, a.after = d.text.line(at)
		keys, body := front(d.text.s)
		switch {
		case a.links():
		case at < body:
			a.front(s, keys)
		default:
			a.body()
		}
		out = a.out
		return nil
	})
	if !ok || err != nil {
		return nil, err
	}
	return out, nil
}

// add offers a text in place of the typed one.
func (a *asked) add(typed string, it completionItem, with string) {
	it.TextEdit = &textEdit{Range: a.d.text.span(a.at-len(typed), a.at), NewText: with}
	it.Filter = typed // this server has looked which ones match, in whatever part
	it.Sort = fmt.Sprintf("%04d", len(a.out.Items))
	a.out.Items = append(a.out.Items, it)
}

// links offers nodes behind [[.
func (a *asked) links() bool {
	open := strings.LastIndex(a.before, "[[")
	if open < 0 || strings.Contains(a.before[open:], "]]") {
		return false
	}
	typed := a.before[open+2:]
	closing := "]]"
	if strings.HasPrefix(a.after, "]]") || strings.HasPrefix(a.after, "|") {
		closing = ""
	}
	_, body := front(a.d.text.s)
	a.nodes(typed, func(n *mdstore.Node) string {
		if a.at < body || closing == "" {
			return string(n.ID) + closing
		}
		return string(n.ID) + "|" + strings.NewReplacer("]", "", "|", "", "[", "").Replace(n.Title) + closing
	})
	return true
}

// nodes offers the nodes whose title, id or path has the typed text in it: first those that begin with it.
func (a *asked) nodes(typed string, with func(*mdstore.Node) string) {
	low := fold.Name(strings.TrimSpace(typed))
	var first, rest []*mdstore.Node
	for _, n := range a.w.Candidates() {
		title := fold.Name(n.Title)
		switch {
		case n.Path == a.d.path:
		case strings.HasPrefix(title, low) || strings.HasPrefix(string(n.ID), typed):
			first = append(first, n)
		case strings.Contains(title, low) || strings.Contains(string(n.ID), typed),
			strings.Contains(n.Path.Dir().Base(), typed):
			rest = append(rest, n)
		}
	}
	all := append(first, rest...)
	a.out.Incomplete = true
	for _, n := range all[:min(len(all), mostItems)] {
		it := completionItem{Label: n.Title, Kind: itemReference, Detail: string(n.Status) + " · " + string(n.ID)}
		a.add(typed, it, with(n))
	}
}

// files offers the files and folders of the project in the folder that the typed path names. Hidden ones are left out.
func (a *asked) files(typed string) {
	folder, base := path.Split(typed)
	if !fs.ValidPath(path.Clean(folder)) {
		return
	}
	there, err := os.ReadDir(filepath.Join(a.d.vault.engine.Project(), filepath.FromSlash(folder)))
	if err != nil {
		return
	}
	for _, f := range there {
		name := f.Name()
		if strings.HasPrefix(name, ".") || !strings.HasPrefix(name, base) || len(a.out.Items) == mostItems {
			continue
		}
		it := completionItem{Label: folder + name, Kind: itemFile}
		if f.IsDir() {
			name, it.Kind = name+"/", itemFolder
		}
		a.add(typed, it, folder+name)
	}
}

// front offers keys, and values of the key in whose value the place is.
func (a *asked) front(s *server, keys []frontKey) {
	i := slices.IndexFunc(keys, func(k frontKey) bool { return k.start <= a.at && a.at < k.end })
	if i < 0 || !strings.ContainsAny(a.before, ": -") {
		a.keys(keys)
		return
	}
	key, typed := keys[i].name, a.before[strings.LastIndexAny(a.before, " [,\"'#@:")+1:]
	gap := ""
	if strings.HasSuffix(a.before, ":") {
		gap = " "
	}
	a.out.Incomplete = true
	offer := func(word, detail string) {
		if word != "" && word != typed && strings.Contains(fold.Name(word), fold.Name(typed)) {
			a.add(typed, completionItem{Label: word, Kind: itemEnum, Detail: detail}, gap+word)
		}
	}
	n, _ := a.w.File(a.d.path)
	var field *mdstore.Field
	if i := slices.IndexFunc(mdstore.AllFields(), func(f *mdstore.Field) bool { return f.Key == key }); i >= 0 {
		field = mdstore.AllFields()[i]
	}
	switch {
	case namesNodes(key):
		a.nodes(typed, func(n *mdstore.Node) string { return gap + string(n.ID) })
	case key == mdstore.KeyStatus && n != nil:
		for _, st := range statemachine.Statuses(n.Type) {
			offer(string(st), "")
		}
	case key == mdstore.KeyType:
		for _, t := range statemachine.Types() {
			offer(string(t), "")
		}
	case field == nil:
	case field.Rule.Layout == mdstore.DayLayout:
		for _, word := range append([]string{typed}, days...) {
			if day, err := mdstore.Day(word, s.now(a.d.vault)); err == nil && word != "" && strings.HasPrefix(word, typed) {
				a.add(typed, completionItem{Label: word, Kind: itemEnum, Detail: day}, gap+day)
			}
		}
	case len(field.Rule.Enum) > 0:
		for _, word := range field.Rule.Enum {
			offer(word, "")
		}
	case !field.Node:
		for _, word := range inUse(a.w, field) {
			offer(word, "")
		}
	}
}

// days are the words for days that completion offers.
var days = []string{"today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "+1w", "+2w"}

// inUse returns the values of a field that nodes have, sorted.
func inUse(w *view.View, f *mdstore.Field) []string {
	all := map[string]bool{}
	for _, n := range w.Candidates() {
		for item := range strings.SplitSeq(n.Text(f), "\n") {
			all[item] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// keys offers the keys that the front matter lacks.
func (a *asked) keys(have []frontKey) {
	for _, k := range a.d.kind.Keys {
		is := func(h frontKey) bool { return h.name == k.Name }
		if strings.HasPrefix(k.Name, a.before) && !slices.ContainsFunc(have, is) {
			a.add(a.before, completionItem{Label: k.Name, Kind: itemField, Detail: k.Help}, k.Name+": ")
		}
	}
}

// body offers names of sections behind ##, task boxes, and nodes at the start of an item of the references.
func (a *asked) body() {
	doc := a.d.doc()
	if typed, ok := strings.CutPrefix(a.before, "#"); ok && a.d.kind.Form != nil {
		typed = strings.TrimLeft(typed, "# ")
		for _, f := range a.d.kind.Form.Sections {
			if _, have := doc.Section(f.Name); !have && strings.Contains(fold.Name(f.Name), fold.Name(typed)) {
				a.add(a.before, completionItem{Label: f.Name, Kind: itemModule}, "## "+f.Name)
			}
		}
		if sec, ok := doc.Section(mdstore.SecProblem); ok && sec.Body.Start <= a.at && a.at <= sec.Body.End {
			a.add(a.before, completionItem{Label: mdstore.NextStep, Kind: itemModule}, "### "+mdstore.NextStep)
		}
		return
	}
	item := strings.TrimLeft(a.before, " \t")
	if item == "" || !strings.Contains("-*+", item[:1]) {
		return
	}
	typed := strings.TrimLeft(item[1:], " ")
	for _, sec := range doc.Sections() {
		if a.at < sec.Body.Start || a.at > sec.Body.End {
			continue
		}
		switch sec.Name {
		case mdstore.SecReferences, mdstore.SecDocs:
			if !strings.Contains(typed, ": ") {
				a.files(typed)
				a.nodes(typed, func(n *mdstore.Node) string { return string(n.ID) })
			}
		case mdstore.SecRequirement, mdstore.SecCriteria, mdstore.SecNote:
			if strings.HasPrefix("[ ] ", typed) || strings.HasPrefix("[x] ", typed) {
				a.add(typed, completionItem{Label: "[ ]", Kind: itemText, Detail: "open"}, "[ ] ")
				a.add(typed, completionItem{Label: "[x]", Kind: itemText, Detail: "done"}, "[x] ")
			}
		}
	}
}
