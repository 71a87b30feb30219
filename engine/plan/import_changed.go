package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// The parts of a node that a later import compares with the source. The file of a node keeps a digest of each, in this
// order, as the source had it: see mdstore.KeyImported.
const (
	partTitle = iota
	partStatus
	partRequirement
	partCriteria
	partConclusion
	partNote
	partDocs
	partComments
	partFields
	partDepends
	allParts
)

// textNames name the parts that are texts, where the source has another one.
var textNames = [allParts]string{partRequirement: "another requirement", partCriteria: "other criteria",
	partConclusion: "another conclusion", partNote: "another note"}

const (
	digest = 4      // letters of a digest
	apart  = "\x00" // between the items of a part that is a list
)

// parts are the texts of these parts.
type parts [allParts]string

func (p *parts) sum(at int) string {
	sum := sha256.Sum256([]byte(p[at]))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:digest]
}

// sums returns the digests of all parts.
func (p *parts) sums() (all string) {
	for at := range p {
		all += p.sum(at)
	}
	return all
}

func (p *parts) add(at int, items ...string) {
	for _, s := range items {
		p[at] = strings.TrimPrefix(p[at]+apart+s, apart)
	}
}

// texts sets the parts that are a text.
func (p *parts) texts(status statemachine.Status, requirement, conclusion, note string) {
	p[partStatus] = string(status)
	if conclusion == wasEnded(status) {
		conclusion = ""
	}
	for at, text := range map[int]string{partRequirement: requirement, partConclusion: conclusion, partNote: note} {
		p[at], _, _ = mdoc.Nest(text, 2) // no file has a text that cannot be nested
	}
}

// refs sets the documents and references.
func (p *parts) refs(all []mdstore.Ref) {
	for _, r := range all {
		p.add(partDocs, r.Target)
	}
}

func (p *parts) field(key, text string) {
	if key != "dependencies" && key != "order" {
		p.add(partFields, key+": "+strings.NewReplacer("\n", ", ", "[", "", "]", "", `"`, "").Replace(text))
	}
}

// wasEnded is the conclusion of an item that has ended and has none in the source.
func wasEnded(s statemachine.Status) string { return "was " + string(s) + " in the source" }

// source returns the parts of an item that is settled.
func (m *importing) source(i int) (p parts) {
	it := &m.Items[i]
	if it.File != nil {
		p = m.here(it.File)
		p[partDocs], p[partDepends] = "", m.after(it) // references may name others here
		return p
	}
	n, said := it.ImportNode, len(m.out.Left)
	m.fields(&n, it.At)
	m.out.Left = m.out.Left[:said]
	title, cut := fitTitle(n.Title)
	if cut {
		n.Requirement = n.Title + "\n\n" + n.Requirement
	}
	p[partTitle] = title
	p.texts(n.Status, n.Requirement, n.Conclusion, n.Note)
	for _, item := range n.Criteria {
		item, _, _ = mdoc.ItemText(item)
		p.add(partCriteria, item)
	}
	p.refs(m.copied(it))
	for _, r := range n.References {
		if k, ok := m.at[r.Target]; ok {
			r.Target = string(m.ids[k])
		}
		p.add(partDocs, r.Target)
	}
	p.add(partComments, formatLog(n.Log)...)
	for f, text := range n.Fields.Given() {
		p.field(f.Key, text)
	}
	for _, o := range n.Own {
		p.field(o.Key, o.Value.String())
	}
	p[partDepends] = m.after(it)
	return p
}

// after returns the part of what an item waits for, with those that would close a cycle.
func (m *importing) after(it *ImportItem) string {
	var p parts
	for _, key := range it.After {
		if k, ok := m.at[key]; ok {
			p.add(partDepends, string(m.ids[k]))
		}
	}
	return p[partDepends]
}

// here returns the parts of a node.
func (m *importing) here(n *mdstore.Node) (p parts) {
	p[partTitle] = n.Title
	p.texts(n.Status, n.Requirement(), n.Conclusion(), n.Note())
	for _, item := range n.Doc().Items(mdstore.SecCriteria) {
		p.add(partCriteria, item.Text)
	}
	p.refs(n.Docs())
	p.refs(n.References())
	p.add(partComments, formatLog(n.Log())...)
	for f, text := range n.Fields.Given() {
		p.field(f.Key, text)
	}
	for _, o := range n.Own() {
		p.field(o.Key, o.Text())
	}
	for _, x := range m.d.View.Dependencies(n) {
		p.add(partDepends, x.ID())
	}
	return p
}

// compareAll compares the nodes that were imported before with their items.
func (m *importing) compareAll() {
	for i, it := range m.Items {
		if n := m.there[it.Key]; n != nil && m.at[it.Key] == i {
			m.compare(n, i)
		}
	}
}

// compare says what the source of a node has changed since it was imported, as far as the node differs. Of a node
// without digests it says what the source has and the node lacks.
func (m *importing) compare(n *mdstore.Node, i int) {
	n, _ = m.d.View.File(n.Path) // with its text
	file := m.Items[i].File
	if file != nil && bytes.Equal(file.Doc().Bytes(), n.Doc().Bytes()) {
		return
	}
	there, here := m.source(i), m.here(n)
	f, _ := n.Doc().Field(mdstore.KeyImported)
	known, has := len(f.Value) == allParts*digest, "the source has "
	if known {
		has = "the source now has "
	}
	var all []string
	for at := range there {
		was := ""
		if known {
			was = f.Value[at*digest : (at+1)*digest]
		}
		if there[at] == here[at] || there.sum(at) == was || !known && !lacks(at, there, here) {
			continue
		}
		text := m.differs(n, at, there, here)
		if text != "" && known && textNames[at] != "" && here.sum(at) != was {
			text += ", which was edited here, too"
		}
		if text != "" {
			all = append(all, text)
		}
	}
	if len(all) > 0 {
		m.out.Differ = append(m.out.Differ, view.Named(n)+": "+has+strings.Join(all, "; "))
	}
}

// lacks reports whether a part of the source says what the node does not, whose source was not noted.
func lacks(at int, there, here parts) bool {
	ended := func(p parts) bool { return statemachine.Terminal(statemachine.Status(p[partStatus])) }
	return there[at] != "" && at != partComments && (at != partStatus || ended(there) != ended(here))
}

// differs says what the source has in a part that differs from that of the node; "" if the node has more only.
func (m *importing) differs(n *mdstore.Node, at int, there, here parts) string {
	more := missing(there[at], here[at])
	switch at {
	case partTitle:
		return fmt.Sprintf("the title %q", there[at])
	case partStatus:
		to := statemachine.Status(there[at])
		if n.Type == statemachine.Planning && !statemachine.Terminal(n.Status) && !statemachine.Terminal(to) {
			return "" // it follows its children
		}
		return fmt.Sprintf("the status %s (here %s)", to, n.Status)
	case partConclusion:
		if here[at] == "" && there[partStatus] != here[partStatus] {
			return "" // it comes with the status
		}
	case partDocs, partComments:
		if len(more) == 0 {
			return ""
		}
		if at == partComments {
			return fmt.Sprintf("%d new comment(s)", len(more))
		}
		return "the docs " + strings.Join(more, ", ")
	case partFields:
		for _, line := range missing(here[at], there[at]) {
			key, _, _ := strings.Cut(line, ": ")
			same := func(s string) bool { return strings.HasPrefix(s, key+": ") }
			if mdstore.FieldOf(key) != nil && !slices.ContainsFunc(more, same) {
				more = append(more, "no "+key)
			}
		}
		return strings.Join(more, ", ")
	case partDepends:
		if len(more)+len(missing(here[at], there[at])) == 0 {
			return ""
		}
		return "dependencies on " + cmp.Or(m.titles(there[at]), "nothing")
	}
	return textNames[at]
}

func missing(of, in string) []string {
	has := strings.Split(in, apart)
	return slices.DeleteFunc(strings.Split(of, apart), func(s string) bool { return s == "" || slices.Contains(has, s) })
}

// titles returns the titles of the nodes with these ids, old or new.
func (m *importing) titles(ids string) string {
	var all []string
	for _, id := range missing(ids, "") {
		if k := slices.Index(m.ids, mdstore.ID(id)); k >= 0 {
			id = short(m.Items[k].Title)
		}
		all = append(all, id)
	}
	return strings.Join(all, ", ")
}
