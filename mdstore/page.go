package mdstore

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

// A Page is a file of any kind but a workspace's own and a node: an agent, a session, a transcript, a state. It never
// changes. As a node that a scan found, it has the values of its front matter and no document: see Node.
type Page struct {
	Kind     *Kind
	ID       ID // from the front matter; else the file's name, or its folder's name for kinds whose files share one name
	Path     Path
	Stamp    Stamp             // of the file when it was read; zero if the store has none
	Problems []mdoc.Diagnostic // problems of this file by itself

	damaged bool
	doc     *mdoc.Doc // nil if it is not loaded
	version Version
	front   []pageField
	facts   Facts
	want    func(*Page)
}

// A pageField is a key of a page's front matter with its value, which has several items if it is a list.
type pageField struct {
	key   string
	items []string
}

// ParsePage reads a page from its file. It always returns a page: what cannot be read has no value and is a problem.
func ParsePage(k *Kind, f File) *Page {
	doc, problems := f.parsed(k.Form)
	p := PageOf(k, f.Path, f.Version, doc, problems)
	p.Stamp = f.Stamp
	return p
}

// PageOf returns the page that a document at that path states; problems are those of its parsing.
func PageOf(k *Kind, path Path, version Version, doc *mdoc.Doc, problems []mdoc.Diagnostic) *Page {
	p := &Page{Kind: k, Path: path, version: version, doc: doc, damaged: doc.Editable() != nil}
	for _, f := range doc.Fields() {
		if items := doc.List(f.Key); len(items) > 0 {
			p.front = append(p.front, pageField{f.Key, items})
		}
	}
	r := reader{doc: doc, problems: problems}
	if p.ID = ID(p.placeName()); k.Named {
		p.ID = r.id(p.placeName())
	}
	r.keys(k)
	p.Problems = r.problems
	return p
}

// placeName returns what the page's place calls it.
func (p *Page) placeName() string {
	name, folder := strings.TrimSuffix(strings.TrimSuffix(p.Path.Base(), Zipped), ".md"), p.Path.Dir().Base()
	switch {
	case !p.Kind.Place.Many():
		return folder
	case !p.Kind.Named:
		return folder + "/" + name // as every session has a Transcript.md
	}
	return name
}

// Field returns the text of a front matter key, "" if there is none. Of a list it is the first item.
func (p *Page) Field(key string) string {
	if items := p.List(key); len(items) > 0 {
		return items[0]
	}
	return ""
}

// List returns the texts of a front matter key that holds a list.
func (p *Page) List(key string) []string {
	for _, f := range p.front {
		if f.key == key {
			return f.items
		}
	}
	return nil
}

// Time returns a front matter key that is a time in Unix milliseconds, 0 if it holds none.
func (p *Page) Time(key string) int64 {
	ms, _ := Milliseconds(p.Field(key))
	return ms
}

// Made returns when the page was made, in Unix milliseconds: its createdAt, or else its startedAt; 0 if it says
// neither.
func (p *Page) Made() int64 { return cmp.Or(p.Time(KeyCreated), p.Time(KeyStarted)) }

// Name returns the page's name, and its id where it has none.
func (p *Page) Name() string {
	if name := p.Field(KeyName); name != "" {
		return name
	}
	return string(p.ID)
}

// Doc returns the document. It is never nil.
func (p *Page) Doc() *mdoc.Doc {
	if p.doc != nil {
		return p.doc
	}
	if p.want == nil {
		panic("mdstore: the document of " + string(p.Path) + " is used and was not loaded")
	}
	p.want(p)
	return emptyDoc(p.Path)
}

// Log returns the entries of the page's log in the order of the file, oldest first.
func (p *Page) Log() []LogEntry { return logEntries(p.Doc()) }

// File returns the document and the version of the file.
func (p *Page) File() (*mdoc.Doc, Version) { return p.Doc(), p.version }

// Version returns the version of the file.
func (p *Page) Version() Version { return p.version }

// Editable returns nil, or the *mdoc.UnreadableError that closes the document to edits. It does not look at the
// document.
func (p *Page) Editable() error {
	if !p.damaged {
		return nil
	}
	return &mdoc.UnreadableError{Problem: p.Problems[0]}
}

// Loaded reports whether the page holds its document.
func (p *Page) Loaded() bool { return p.doc != nil }

// Holding returns the page with its document, Lean without it, and Recording with want called for each use of it: see
// Node.
func (p *Page) Holding(doc *mdoc.Doc) *Page {
	q := *p
	q.doc, q.want = doc, nil
	return &q
}

func (p *Page) Lean() *Page {
	if p.doc == nil || p.damaged {
		return p
	}
	q := *p
	q.facts, q.doc = p.Facts(), nil
	return &q
}

func (p *Page) Recording(want func(*Page)) *Page {
	q := *p
	q.want = want
	return &q
}

// Facts returns what is known of the document without its body.
func (p *Page) Facts() Facts {
	if p.facts == "" && p.doc != nil && !p.damaged {
		return pageFacts(p.Kind, p.Path, p.doc)
	}
	return p.facts
}

func pageFacts(k *Kind, path Path, d *mdoc.Doc) Facts {
	p := PageOf(k, path, Version{}, d, nil)
	properties := factClean
	if len(p.Problems) > 0 || len(p.Check()) > 0 {
		properties = 0
	}
	var front [][]string
	for _, f := range p.front {
		front = append(front, append([]string{f.key}, f.items...))
	}
	text, whole := packRows(front)
	problems := problemsText(p.Problems)
	if !whole || len(problems) > problemKept || p.ID != p.statedID() {
		text, problems, properties = "", "", properties|factFront // the values cannot be kept here
	}
	return makeFacts(properties, nil, nil, Problem{Text: problems}, digestsOf(d), text, "", "")
}

// problemsText returns problems as facts keep them; setProblems undoes it.
func problemsText(all []mdoc.Diagnostic) string {
	if len(all) == 0 {
		return ""
	}
	kept := slices.Clone(all)
	for i := range kept {
		kept[i].File, kept[i].Fix = "", "" // these depend on the file's place
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return strings.Repeat(" ", problemKept+1)
	}
	return string(text)
}

func (p *Page) setProblems(text string) {
	if text == "" || json.Unmarshal([]byte(text), &p.Problems) != nil {
		return
	}
	for i := range p.Problems {
		p.Problems[i].File = string(p.Path)
		if p.Problems[i].Code == CodeIDMissing {
			p.Problems[i].Fix = idFix(p.placeName())
		}
	}
}

// Page returns the page that the scanned file states, without its document.
func (r *Scanned) Page(k *Kind) *Page {
	p := &Page{Kind: k, Path: r.Path, Stamp: r.Stamp, version: r.Version, facts: r.Facts}
	for _, row := range unpackRows(r.Facts.part(partFront)) {
		p.front = append(p.front, pageField{row[0], row[1:]})
	}
	p.ID = p.statedID()
	p.setProblems(r.Facts.part(partProblem))
	return p
}

// statedID returns the id that the front matter has, or else the place.
func (p *Page) statedID() ID {
	if id := ID(p.Field(KeyID)); p.Kind.Named && id.Valid() {
		return id
	} else if p.Kind.Named {
		return placeID(p.placeName())
	}
	return ID(p.placeName())
}

// Check returns what is wrong with the page's document by itself, besides its Problems.
func (p *Page) Check() []mdoc.Diagnostic {
	if p.Kind.Check == nil {
		return nil
	}
	return p.Kind.Check(p.Path, p.Doc())
}
