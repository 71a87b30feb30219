package mdoc

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// check proves that the document after the edits differs in what the plan asks for and
// in nothing else. The splice keeps every byte outside the edits, but the meaning of a
// byte may depend on those before it, so check compares both documents as they are read.
func (p *plan) check(after *Doc) error {
	if p.front != nil {
		if err := p.checkFront(after); err != nil {
			return err
		}
	}
	if p.lines != nil {
		return p.checkLines(after)
	}
	if len(p.sections) == 0 {
		if len(p.doc.src)-p.doc.parts.body != len(after.src)-after.parts.body {
			return p.doc.refuse(0, "the edit would move the end of the front matter")
		}
		return nil // the body has the same bytes, so it reads the same
	}
	err := p.checkOthers(after)
	for _, s := range p.sections {
		if err == nil {
			err = p.checkSection(s, after)
		}
	}
	if err == nil {
		return nil
	}
	if open, ok := openBlock(p.doc.src, p.doc.parts.body); ok {
		return p.doc.refuse(p.doc.lineOf(open.span.Start),
			"%s that begins here is never closed and hides what follows; close it first", open.name())
	}
	return err
}

func (k *block) name() string {
	switch k.kind {
	case fenceBlock:
		return "a code fence"
	case htmlBlock:
		return "an HTML block or comment"
	}
	return "a block"
}

// checkFront compares the front matter: the keys are the same and in the same order,
// apart from new ones; fields that were set read as they were set; every other value is
// unchanged. The YAML parser and scanPlain must read the same fields.
func (p *plan) checkFront(after *Doc) error {
	now, problem := parseFront(after.text, after.parts.front)
	if problem != nil {
		return p.doc.refuse(problem.Line, "the edit would break the front matter: %s", problem.Text)
	}
	was := slices.DeleteFunc(slices.Clone(p.front.entries), func(e entry) bool {
		want := p.field(e.Key)
		return want != nil && want.Value.gone && e.listed()
	})
	for i := range now.entries {
		e := &now.entries[i]
		want := p.field(e.Key)
		set := want != nil && e.listed()
		if set && !now.holds(e, want.Value) {
			return p.doc.refuse(e.Line, "%s would read back as %q", e.Key, e.Value)
		}
		switch {
		case len(was) > 0 && p.sameKey(&was[0], e):
			if !set && !p.front.sameValue(&was[0], now, e) {
				return p.doc.refuse(was[0].Line, "the edit would change the value of %s too", was[0].Key)
			}
			was = was[1:]
		case set && p.front.find(e.Key) == nil:
		default:
			return p.doc.refuse(e.Line, "the edit would change the keys of the front matter here")
		}
	}
	if len(was) > 0 {
		return p.doc.refuse(was[0].Line, "the edit would lose the key %s", was[0].Key)
	}
	for _, want := range p.fields {
		if want.Value.gone && now.find(want.Key) == nil {
			continue
		}
		if e := now.find(want.Key); e == nil || !now.holds(e, want.Value) {
			return p.doc.refuse(0, "%s would not read back", want.Key)
		}
	}
	if !slices.Equal(now.fields(), after.fields) {
		return p.doc.refuse(0, "the front matter would read differently by two readers")
	}
	return nil
}

func (p *plan) sameKey(a, b *entry) bool {
	if a.listed() && b.listed() {
		return a.Key == b.Key || p.renames[b.Key] == a.Key
	}
	return a.key != nil && b.key != nil && sameNode(a.key, b.key)
}

// sameValue compares a value before and after: as nodes if both are YAML, else kind and text, or the bytes of a list or
// mapping. An edit of the one line that was not YAML may turn the front matter into YAML.
func (f *front) sameValue(a *entry, g *front, b *entry) bool {
	if !f.lenient && !g.lenient {
		return sameNode(a.val, b.val)
	}
	if a.Kind == Nested && b.Kind == Nested {
		return string(f.text[a.Span.Start:a.Span.End]) == string(g.text[b.Span.Start:b.Span.End])
	}
	return a.Kind == b.Kind && a.Value == b.Value
}

// sameNode compares kind, tag, value, style, anchor and content. For an alias it also compares the kind, tag and value
// of the node that the alias refers to.
func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Style != b.Style || a.Anchor != b.Anchor {
		return false
	}
	if a.Kind == yaml.AliasNode &&
		(a.Alias.Kind != b.Alias.Kind || a.Alias.Value != b.Alias.Value || a.Alias.Tag != b.Alias.Tag) {
		return false
	}
	if len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
