package mdstore

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Rejoin does to theirs, which a person made of base and saved at p, what turned base into ours. Bytes that this does
// not concern stay, and what both changed differently is as theirs has it. Each line of missing names what of ours is
// not in joined, with the command that brings it back where one does; nil: all is there. joined is nil where nothing
// can be done.
func Rejoin(p Path, base, ours, theirs []byte) (joined []byte, missing []string) {
	kind := cmp.Or(AllKinds().Of(p), &Kind{})
	parse := func(data []byte) *mdoc.Doc {
		d, _ := ParseFile(p, data, kind.Form)
		return d
	}
	b, o, t := parse(base), parse(ours), parse(theirs)
	switch {
	case kind.Join == nil:
	case bytes.Equal(base, ours):
		return theirs, nil
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return ours, nil
	}
	if open := cmp.Or(b.Editable(), o.Editable(), t.Editable()) == nil; kind.Join != nil && open {
		if joined, missing = kind.Join(b, o, t); joined != nil {
			joined = Stored(p, joined)
		}
		return joined, missing
	} else if p.IsZipped() {
		return nil, []string{"the whole change"}
	}
	if lines, ok := diff3.Add(base, ours, theirs); bytes.Equal(base, ours) || bytes.Equal(base, theirs) ||
		kind.Form == nil || b.Editable() != nil || o.Editable() != nil || t.Editable() != nil {
		if !ok {
			return nil, []string{"the whole change"}
		}
		return lines, nil
	}
	join := func(d *mdoc.Doc) *rejoining {
		r := &rejoining{base: b, ours: o, now: d}
		r.join()
		return r
	}
	// What has a name is joined by it, wherever it stands in theirs. Lines carry the rest of the change.
	alone, r := join(b).now.Bytes(), join(t)
	if !slices.Equal(written(alone), written(ours)) {
		lines, ok := diff3.Add(alone, ours, r.now.Bytes())
		if d := parse(lines); ok && r.missing == nil && d.Editable() == nil {
			return join(d).now.Bytes(), join(d).missing
		}
		r.missing = append(r.missing, "text outside of the sections")
	}
	return r.now.Bytes(), r.missing
}

// written returns the lines of a text without blank ones, and without headings, which say nothing by themselves.
func written(text []byte) (out []string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "## ") {
			out = append(out, line)
		}
	}
	return out
}

// rejoining is how far the change from base to ours has been made in another document.
type rejoining struct {
	base, ours, now *mdoc.Doc
	missing         []string
}

// join makes what is not made yet. Each step is an edit of its own: one that is refused keeps no other from being made.
func (r *rejoining) join() {
	value := func(d *mdoc.Doc, key string) mdoc.Scalar {
		f, _ := d.Field(key)
		if f.Kind == mdoc.Nested {
			return mdoc.List(d.List(key)...)
		}
		return f.Scalar()
	}
	updated := func(d *mdoc.Doc) int64 { return (&reader{doc: d}).integer(KeyUpdated) }
	for _, f := range r.ours.Fields() {
		was, is, now := value(r.base, f.Key), value(r.ours, f.Key), value(r.now, f.Key)
		if was == is || now == is || f.Key == KeyRulesHash {
			continue
		} else if n, _ := r.now.Field(f.Key); f.Key == KeyUpdated && n.Kind == mdoc.String {
			continue // a person wrote something else there
		} else if f.Key == KeyUpdated { // the later one
			was, is = now, mdoc.Integer(max(updated(r.now), updated(r.ours)))
		}
		p, err := r.now.SetField(f.Key, is)
		r.edit(was == now, f.Key, p, err)
	}
	for _, s := range r.ours.Sections() {
		was, is, now := r.base.Text(s.Name), r.ours.Text(s.Name), r.now.Text(s.Name)
		switch both, ok := diff3.Add([]byte(was), []byte(is), []byte(now)); {
		case was == is || now == is:
		case slices.Contains([]string{SecLog, SecReferences, SecDocs, SecRules}, s.Name):
			r.items(s.Name)
		default:
			p, err := r.now.SetSection(s.Name, string(both))
			r.edit(ok, s.Name, p, err)
		}
	}
	if value(r.base, KeyRulesHash) != value(r.ours, KeyRulesHash) {
		p, err := r.now.SetField(KeyRulesHash, mdoc.Text(RulesHash((&Workspace{Doc: r.now}).Rules())))
		r.edit(true, KeyRulesHash, p, err)
	}
}

// items joins the change of a list. A new item that has the place of an old one, as a reference that expires, gets it.
func (r *rejoining) items(name string) {
	texts := func(d *mdoc.Doc) (out []string) {
		for _, it := range d.Items(name) {
			if !it.Listed {
				it.Text = "" // it is kept, and counts as a place
			}
			out = append(out, it.Text)
		}
		return out
	}
	was, is := texts(r.base), texts(r.ours)
	for i, x := range is {
		now := texts(r.now)
		if x == "" || slices.Contains(was, x) || slices.Contains(now, x) {
			continue
		}
		p, err := r.now.AppendItem(name, x)
		if i < len(was) && was[i] != "" && !slices.Contains(is, was[i]) && slices.Contains(now, was[i]) {
			p, err = r.now.ReplaceItem(name, slices.Index(now, was[i]), x)
		}
		r.edit(true, name, p, err)
	}
	for i, x := range slices.Backward(texts(r.now)) {
		if x != "" && slices.Contains(was, x) && !slices.Contains(is, x) {
			p, err := r.now.RemoveItem(name, i)
			r.edit(true, name, p, err)
		}
	}
}

// edit makes an edit. One that may not be made is missing, as is one that is refused.
func (r *rejoining) edit(may bool, what string, p mdoc.Patch, err error) {
	if may && err == nil {
		if d, err := r.now.Apply(p); err == nil {
			r.now = d
			return
		}
	}
	if line := r.lost(what); !slices.Contains(r.missing, line) {
		r.missing = append(r.missing, line)
	}
}

// commands bring back a key or a section. VALUE stands for the value; FILE for a file that the text is to be copied to,
// so that none takes the text away that is there. A workspace needs no NODE.
var commands = map[string]string{
	KeyTitle: "title: arbor node update NODE --title VALUE", KeyParent: "parentId: arbor node move NODE VALUE",
	KeyFocus: "focusedNodeId: arbor focus VALUE", KeyOrder: "order",
	KeyIsolated + " true": "isolated: arbor isolate NODE", KeyIsolated + " false": "isolated: arbor isolate NODE --off",
	KeyName: "name: arbor ws update --name VALUE", KeyGoal: "goal: arbor ws update --goal VALUE",
	SecRequirement: "requirement: arbor node update NODE --section requirement -F FILE",
	SecConclusion:  "conclusion: arbor node update NODE --section conclusion -F FILE",
	SecNote:        "note: arbor node update NODE --section note -F FILE",
	SecProblem:     "problem: arbor problem NODE -F FILE", SecProblem + " ": "problem: arbor problem NODE --clear",
	SecLog: "log: arbor log NODE -F FILE", SecReferences: "references: arbor ref add NODE FILE",
	SecRules: "rules: arbor rules replace -F FILE", WorkspaceFile + SecDocs: "docs: arbor docs add FILE",
}

// lost names a key or section that is not joined, with the command that brings it back where there is one.
func (r *rejoining) lost(what string) string {
	n := NodeOf(Path(r.now.Name()), Version{}, r.now, nil)
	f, _ := r.ours.Field(what)
	file, value := n.Path.Base(), cmp.Or(f.Value, r.ours.Text(what))
	line := cmp.Or(commands[file+what], commands[what+" "+value], commands[what], what)
	if to := statemachine.Status(value); what == KeyStatus && statemachine.Valid(n.Type, to) {
		line += " " + value
		for i, do := range actions(n.Type, n.Status, to) {
			line += []string{": ", " && "}[min(i, 1)] + "arbor node transition NODE " + string(do)
		}
	}
	line = strings.Replace(line, "VALUE", "'"+strings.ReplaceAll(value, "'", `'\''`)+"'", 1)
	switch {
	case file == WorkspaceFile:
		return strings.ReplaceAll(line, "NODE ", "")
	case !n.ID.Valid(): // a folder's name, which may be anything
		return strings.ReplaceAll(line, "NODE", "…")
	}
	return strings.ReplaceAll(line, "NODE", string(n.ID))
}

// actions returns the shortest way from one status to another; nil where there is none.
func actions(t statemachine.Type, from, to statemachine.Status) []statemachine.Action {
	ways := map[statemachine.Status][]statemachine.Action{from: {}}
	for range statemachine.Rules() {
		for _, r := range statemachine.Rules() {
			way, reached := ways[r.From]
			if _, known := ways[r.To]; reached && !known && r.Type == t && !r.Automatic {
				ways[r.To] = append(slices.Clone(way), r.Do)
			}
		}
	}
	return ways[to]
}
