package mdstore

import (
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Facts are what the cache keeps of a document: digests of its fields and sections, and of a node the values of its
// front matter, whether it has a problem, whether checks of the one file find anything, and which nodes it refers to.
// They depend on the document alone. "" means that nothing is known.
//
// The form, which only this package knows, is a list of parts with a NUL between them: the form with the properties as
// a number, the targets of active references and those of active documents, each in a line, the problem (of a page:
// what is wrong with its front matter, as JSON), its next step, the digests, the front matter, the own keys of a node,
// and its open questions, each in a line.
type Facts string

const (
	factsLetter  = "l" // increment it with every change of the form, or of the checks of a single file
	problemKept  = 512 // bytes of a problem; a longer one is read from the document
	digestsMost  = 48  // fields and sections; a document with more has no digests
	factsBetween = "\x00"
	partProblem  = 3
	partFront    = 6
	partOwn      = 7

	partQuestions = 8
)

// factsForm is the beginning of all facts: the letter, and a digest of the tables of fields and keys, on which the
// facts depend. It always has the same length, because digits follow.
var factsForm = sync.OnceValue(func() string {
	digest := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(fieldsForm()+keysForm()))), 36)
	return factsLetter + strings.Repeat("0", 7-len(digest)) + digest
})

// The properties, as bits.
const (
	factClean   = 1 << iota // the file by itself gives no reason for a finding
	factProblem             // there is a problem
	factLong                // the problem is too long to be kept here
	factFront               // the front matter of the node is not kept here
	factOwn                 // nor are its own keys
	factLinks               // the node's text has links to files of nodes
)

func makeFacts(properties int, refs, docs []string, p Problem, digests Digests, front, own, asked string) Facts {
	if len(p.Text)+len(p.NextStep) > problemKept {
		p, properties = Problem{}, properties|factLong
	}
	parts := []string{factsForm() + strconv.Itoa(properties), strings.Join(refs, "\n"), strings.Join(docs, "\n"),
		p.Text, p.NextStep, string(digests), front, own, asked}
	return Facts(strings.Join(parts, factsBetween))
}

// part returns one of the parts, "" if the facts are not of this form.
func (f Facts) part(i int) string {
	rest, ok := strings.CutPrefix(string(f), factsForm())
	for ; ok && i > 0; i-- {
		_, rest, ok = strings.Cut(rest, factsBetween)
	}
	if !ok {
		return ""
	}
	part, _, _ := strings.Cut(rest, factsBetween)
	return part
}

// Known reports whether the facts are of the form that this program writes.
func (f Facts) Known() bool { return f.part(0) != "" }

func (f Facts) has(property int) bool {
	properties, err := strconv.Atoi(f.part(0))
	return err == nil && properties&property != 0
}

// Clean reports whether the checks of the file by itself find nothing. It is false if nothing is known.
func (f Facts) Clean() bool { return f.has(factClean) }

// HasLinks reports whether the node's text has links to files of nodes: see FileLinks.
func (f Facts) HasLinks() bool { return f.has(factLinks) }

// HasProblem reports whether the node has a problem.
func (f Facts) HasProblem() bool { return f.has(factProblem) }

// Problem returns the node's problem; ok is false if it is too long to be kept in the facts, or nothing is known.
func (f Facts) Problem() (p Problem, ok bool) {
	return Problem{Text: f.part(3), NextStep: f.part(4)}, f.Known() && !f.has(factLong)
}

// References yields the targets of the node's active references, in the order of the file.
func (f Facts) References() iter.Seq[string] { return f.lines(1) }

// Docs yields the targets of the node's active documents, in the order of the file.
func (f Facts) Docs() iter.Seq[string] { return f.lines(2) }

func (f Facts) lines(part int) iter.Seq[string] {
	if text := f.part(part); text != "" {
		return strings.SplitSeq(text, "\n")
	}
	return func(func(string) bool) {}
}

// Digests returns the digests of the document's fields and sections.
func (f Facts) Digests() Digests { return Digests(f.part(5)) }

// DigestsOf returns facts that hold the digests of a document and nothing else.
func DigestsOf(d *mdoc.Doc) Facts {
	return makeFacts(factClean, nil, nil, Problem{}, digestsOf(d), "", "", "")
}

func nodeFacts(_ *Kind, p Path, d *mdoc.Doc) Facts {
	n := NodeOf(p, Version{}, d, nil)
	properties := 0
	front, whole := n.front()
	if len(n.Problems) > 0 || !whole {
		front, properties = "", factFront
	} else if len(checkOf(n)) == 0 {
		properties = factClean
	}
	own, whole := n.Own().packed()
	if !whole {
		own, properties = "", properties|factOwn
	}
	if len(FileLinks(d)) > 0 {
		properties |= factLinks
	}
	problem := n.Problem()
	if !problem.IsZero() {
		properties |= factProblem
	}
	return makeFacts(properties, active(n.References()), active(n.Docs()), problem, digestsOf(d), front, own,
		packed(n.OpenQuestions()))
}

func active(refs []Ref) (targets []string) {
	for _, r := range refs {
		if !r.Expired {
			targets = append(targets, r.Target)
		}
	}
	return targets
}

// checkNode returns what is wrong with a node's document by itself: a status that its log or its missing conclusion
// contradicts, and sections that stand twice.
func checkNode(p Path, d *mdoc.Doc) []mdoc.Diagnostic { return checkOf(NodeOf(p, Version{}, d, nil)) }

func checkOf(n *Node) []mdoc.Diagnostic {
	d := n.Doc()
	out := slices.Concat(sectionsTwice(d), nearMisses(d))
	if len(n.Problems) > 0 {
		return out
	}
	for key, f := range Lookalikes(d) {
		line, col := d.FieldPosition(key)
		text := key + " is not read; the key is " + f.Key
		if _, both := d.Field(f.Key); both {
			text += ", which the file has too, and which counts: put all of it there, and take " + key + " out"
		}
		out = append(out, mdoc.Diagnostic{File: d.Name(), Line: line, Col: col, Code: CodeLooksLike, Text: text})
	}
	out = append(out, markedText(d, KeyTitle)...)
	at := func(code, format string, args ...any) {
		line, col := d.FieldPosition(KeyStatus)
		out = append(out, mdoc.Diagnostic{File: d.Name(), Line: line, Col: col, Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if was, why, ok := UnloggedStatus(n); ok {
		led := "the log's last transition led to " + string(was.To)
		if was.By == ByCreation {
			led = "the log knows of no transition since the node was created"
		}
		at(string(statemachine.CodeStatusUnreachable), "status is %s, but %s, and %s", n.Status, led, why)
	}
	alone := statemachine.Facts{Conclusion: n.Conclusion() != ""}
	for _, r := range statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, "", alone) {
		at(string(r.Code), "%s; %s", r.Text, Remedy(r.Code))
	}
	return append(out, criteriaOpen(n)...)
}

// Remedy returns what a person can do about a problem that the life cycle has with a status.
func Remedy(c statemachine.Code) string {
	switch c {
	case statemachine.CodeConclusionMissing:
		return "write one"
	case statemachine.CodeChildrenOpen:
		return "finish what is open, or reopen this node"
	case statemachine.CodeInvalidNodeType:
		return "write another type"
	}
	return "write another status"
}

// CodeSectionTwice is the code of a section that holds one text and stands twice.
const CodeSectionTwice = "SECTION_TWICE"

func checkWorkspace(_ Path, d *mdoc.Doc) []mdoc.Diagnostic {
	return append(sectionsTwice(d), markedText(d, KeyName)...)
}

// MarkedText returns a text as it is written, if it begins with what YAML reads as a tag or an anchor and leaves out:
// "!important call Ann", "&Co".
func MarkedText(d *mdoc.Doc, key string) (written string, ok bool) {
	f, ok := d.Field(key)
	if !ok || f.Kind == mdoc.Nested {
		return "", false
	}
	written = d.Slice(f.Span)
	return written, strings.HasPrefix(written, "!") && !strings.HasPrefix(written, "!!") && written != f.Value ||
		strings.HasPrefix(written, "&") && written != f.Value
}

func markedText(d *mdoc.Doc, key string) []mdoc.Diagnostic {
	written, ok := MarkedText(d, key)
	if !ok {
		return nil
	}
	line, col := d.FieldPosition(key)
	word, _, _ := strings.Cut(written, " ")
	return []mdoc.Diagnostic{{File: d.Name(), Line: line, Col: col, Code: CodeLooksLike, Text: fmt.Sprintf(
		"YAML leaves %s out of the %s; it needs quotes: %s: %q", word, key, key, written)}}
}

// OneText reports whether a section holds one text, and may stand once only.
func OneText(section string) bool {
	return slices.Contains([]string{SecRequirement, SecConclusion, SecNote, SecProblem,
		SecPurpose, SecCurrentGoal, SecWorkflows, SecPreferences}, section)
}

// sectionsTwice reports sections of one text that stand twice: commands cannot tell which one to write to.
func sectionsTwice(d *mdoc.Doc) []mdoc.Diagnostic {
	var out []mdoc.Diagnostic
	first := map[string]mdoc.Section{}
	for _, s := range d.Sections() {
		if !OneText(s.Name) {
			continue
		}
		f, again := first[s.Name]
		if !again {
			first[s.Name] = s
			continue
		}
		line, col := d.ItemPosition(s.Heading)
		out = append(out, mdoc.Diagnostic{File: d.Name(), Line: line, Col: col, Code: CodeSectionTwice, Text: fmt.Sprintf(
			"the section %s stands in line %d already; join the two, as commands cannot tell which one to write to", s.Title, f.Line)})
	}
	return out
}

// Meant returns the section that the heading of s means without being read as it: it resembles a section that the file
// has too, or it is "Criteria", above task boxes. It is "" for any other heading.
func Meant(d *mdoc.Doc, s mdoc.Section) string {
	if strings.EqualFold(strings.TrimRight(s.Name, ":"), "criteria") && len(d.Boxes(s.Name)) > 0 {
		return SecCriteria
	}
	return d.NearMiss(s)
}

// nearMisses reports sections whose headings mean a known section and are not read as it.
func nearMisses(d *mdoc.Doc) (out []mdoc.Diagnostic) {
	for _, s := range d.Sections() {
		name := Meant(d, s)
		if name == "" {
			continue
		}
		text := fmt.Sprintf("the section %s is not read as %s, which the file has too; put all of it there", s.Title, name)
		if name == SecCriteria {
			text = fmt.Sprintf("the section %s is not read as %s: its boxes do not count; put them there", s.Title, name)
		}
		line, col := d.ItemPosition(s.Heading)
		out = append(out, mdoc.Diagnostic{File: d.Name(), Line: line, Col: col, Code: CodeLooksLike, Text: text})
	}
	return out
}

// Digests are short digests of a document's fields and sections by name: "f" or "s", the name, "=", eight hex digits, a
// line feed for each. "" means that they are not known.
type Digests string

func digestsOf(d *mdoc.Doc) Digests {
	fields, sections := d.Fields(), d.Sections()
	if len(fields)+len(sections) > digestsMost {
		return ""
	}
	var b strings.Builder
	add := func(kind byte, name string, texts ...string) bool {
		sum := crc32.NewIEEE()
		for _, t := range texts {
			sum.Write([]byte(t))
		}
		fmt.Fprintf(&b, "%c%s=%08x\n", kind, name, sum.Sum32())
		return !strings.ContainsAny(name, "\n\x00")
	}
	for _, f := range fields {
		if !add('f', f.Key, f.Value, "\x00", d.Slice(f.Span)) {
			return ""
		}
	}
	for _, s := range sections {
		if !add('s', s.Name, d.Slice(s.Body)) {
			return ""
		}
	}
	return Digests(b.String())
}

// byName returns the digests by kind and name; those of one name are concatenated.
func (d Digests) byName() map[string]string {
	out := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(d), "\n"), "\n") {
		if i := strings.LastIndexByte(line, '='); i > 0 {
			out[line[:i]] += line[i+1:]
		}
	}
	return out
}

// DiffDigests returns the names of the fields and sections that differ, in their order; none if a or b is unknown.
func DiffDigests(a, b Digests) (fields, sections []string) {
	if a == "" || b == "" {
		return nil, nil
	}
	was, is := a.byName(), b.byName()
	var names []string
	for name, sum := range is {
		if was[name] != sum {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, has := is[name]; !has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if name[0] == 'f' {
			fields = append(fields, name[1:])
		} else {
			sections = append(sections, name[1:])
		}
	}
	return fields, sections
}

// TakeDigests updates d, the digests of a file as a reader last saw it, after the reader changed the file from was to
// is. The reader's own changes then count as seen; changes by others before that do not.
func (d Digests) TakeDigests(was, is Digests) Digests {
	if d == "" || was == "" || is == "" {
		return ""
	}
	seen, old, now := d.byName(), was.byName(), is.byName()
	for name, sum := range now {
		if old[name] != sum && seen[name] == old[name] {
			seen[name] = sum
		}
	}
	for name, sum := range old {
		if _, has := now[name]; !has && seen[name] == sum {
			delete(seen, name)
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		b.WriteString(name + "=" + seen[name] + "\n")
	}
	return Digests(b.String())
}
