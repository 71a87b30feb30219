package search

import (
	"bytes"
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
)

// A Head holds the properties of a part of a file besides its text.
type Head struct {
	In                     string // one of Places
	Type, Status, Group    string
	ID, Title, Description string
	Tags                   []string
	Time                   int64 // Unix milliseconds; 0 if unknown

	// Of nodes only; nil for anything else.
	Fields *mdstore.Fields
	Own    func() mdstore.Owns
	Is     func(state string) bool // whether it is in one of States
}

// A File is a file to search.
type File struct {
	Head
	Path  mdstore.Path
	Parts func(f *File, data []byte) []Part // nil: it is one part
}

// A Pass looks at each file once and keeps what matches. Look is safe for concurrent use.
type Pass struct {
	q    *Query
	keep func(*Head) bool

	scratch sync.Pool

	mu     sync.Mutex
	files  int       // guarded by mu, as the others
	bytes  int       // of the files, folded
	found  []int     // in how many files each term occurs
	hits   []hit     // the matching parts
	counts []float32 // for each hit, how often each term occurs in it
}

// A hit is a part that matches.
type hit struct {
	file, part, length, counts int32
	time                       int64
	score                      float64
	titled                     bool // its title has all words, and none only as the beginning of another one
}

// NewPass returns a pass for a query. It keeps the matching parts for which keep returns true.
func NewPass(q *Query, keep func(*Head) bool) *Pass {
	return &Pass{q: q, keep: keep, found: make([]int, len(q.Terms)),
		scratch: sync.Pool{New: func() any { return &scratch{has: make([]bool, len(q.Terms)), counts: make([]float32, len(q.Terms))} }}}
}

// scratch holds buffers that each look reuses.
type scratch struct {
	file, title, rest []byte // folded
	has               []bool
	counts            []float32
}

// Look looks at a file, which the caller calls number i.
func (p *Pass) Look(i int, f *File, data []byte) {
	c := p.scratch.Get().(*scratch)
	defer p.scratch.Put(c)
	front := frontEnd(data)
	c.file = Fold(c.file[:0], data[:front])
	body := len(c.file)
	c.file = Fold(c.file, data[front:])
	c.head(&f.Head)
	escaped := f.Parts != nil && bytes.Contains(data, []byte("verbatim escaped")) // the stored text is escaped
	for t, x := range p.q.Terms {
		c.has[t] = x.text() && (escaped || x.in(c.file) || x.in(c.title) || x.in(c.rest))
	}
	p.mu.Lock()
	p.files++
	p.bytes += len(c.file)
	for t, has := range c.has {
		if has {
			p.found[t]++
		}
	}
	p.mu.Unlock()
	switch {
	case !p.q.root.can(p.q, c.has):
	case f.Parts == nil:
		p.part(c, i, 0, &f.Head, c.file[body:])
	default:
		for n, part := range f.Parts(f, data) {
			c.head(&part.Head)
			c.file = Fold(c.file[:0], part.Text)
			p.part(c, i, n, &part.Head, c.file)
		}
	}
}

// head folds the texts of a head: the title, and the rest.
func (c *scratch) head(h *Head) {
	c.title, c.rest = Fold(c.title[:0], []byte(h.Title)), c.rest[:0]
	add := func(texts ...string) {
		for _, s := range texts {
			c.rest = append(Fold(c.rest, []byte(s)), apart)
		}
	}
	add(h.ID, h.Description, h.Group)
	add(h.Tags...)
	if h.Fields != nil {
		for f, text := range h.Fields.Given() {
			if f.Key != mdstore.KeyTags && f.Rule.Kind == reflect.String && f.Rule.Enum == nil && !f.Node {
				add(text)
			}
		}
	}
	if h.Own != nil {
		for _, o := range h.Own() {
			add(o.Items...)
		}
	}
}

// part keeps a part that matches, whose folded head c holds.
func (p *Pass) part(c *scratch, file, part int, h *Head, text []byte) {
	for i, t := range p.q.Terms {
		c.counts[i] = t.weight(c, h, text)
		c.has[i] = c.counts[i] > 0
	}
	if !p.q.root.matches(c.has) || !p.keep(h) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hits = append(p.hits, hit{file: int32(file), part: int32(part), length: int32(len(text)),
		counts: int32(len(p.counts)), time: h.Time, titled: p.q.titled(c.title)})
	p.counts = append(p.counts, c.counts...)
}

const titleWeight = 4 // the weight of a word in a title

// weight returns how often the term occurs in a part. A value counts once.
func (t *Term) weight(c *scratch, h *Head, text []byte) float32 {
	switch {
	case !t.text():
		if t.is(h) {
			return 1
		}
		return 0
	case t.Field == "title":
		return titleWeight * t.count(c.title)
	}
	return titleWeight*t.count(c.title) + t.count(c.rest) + t.count(text)
}

func (t *Term) in(text []byte) bool {
	start, _ := t.next(text, 0)
	return start >= 0
}

// can reports whether a part of a file may match. has says which texts occur anywhere in the file.
func (e *expr) can(q *Query, has []bool) bool {
	can := func(k *expr) bool { return k.can(q, has) }
	switch e.op {
	case and:
		return !slices.ContainsFunc(e.kids, func(k *expr) bool { return !can(k) })
	case or:
		return slices.ContainsFunc(e.kids, can)
	case term:
		return has[e.term] || !q.Terms[e.term].text()
	}
	return true
}

// matches reports whether a part with these terms matches.
func (e *expr) matches(has []bool) bool {
	switch e.op {
	case and:
		return !slices.ContainsFunc(e.kids, func(k *expr) bool { return !k.matches(has) })
	case or:
		return slices.ContainsFunc(e.kids, func(k *expr) bool { return k.matches(has) })
	case not:
		return !e.kids[0].matches(has)
	}
	return has[e.term]
}

// titled reports whether the query has words and a folded title has all of them in full.
func (q *Query) titled(title []byte) (all bool) {
	for _, t := range q.Terms {
		if t.absent || !t.text() {
			continue
		}
		if all = t.whole(title); !all {
			return false
		}
	}
	return all
}

// rarities returns the weight of each term: the fewer files have it, the higher.
func (p *Pass) rarities() []float64 {
	n, rare := float64(p.files), make([]float64, len(p.q.Terms))
	for i, t := range p.q.Terms {
		if df := float64(p.found[i]); !t.absent && t.text() {
			rare[i] = math.Log(1 + (n-df+0.5)/(df+0.5))
		}
	}
	return rare
}

// A Hit is a part of a file that matches.
type Hit struct {
	File, Part int
	Score      float64
}

// Best returns the best hits, at most most, those with a match in the title first, and the number of all hits. path
// orders hits that are equal in everything else.
func (p *Pass) Best(most int, path func(file int) mdstore.Path) (best []Hit, total int) {
	mean, rare := float64(max(1, p.bytes))/float64(max(1, p.files)), p.rarities()
	for i := range p.hits {
		h := &p.hits[i]
		for t, weight := range rare {
			count := float64(p.counts[int(h.counts)+t])
			h.score += weight * count * 2.2 / (count + 1.2*(0.25+0.75*float64(h.length)/mean))
		}
	}
	slices.SortFunc(p.hits, func(a, b hit) int {
		if a.titled != b.titled {
			return map[bool]int{true: -1, false: 1}[a.titled]
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.time, a.time),
			strings.Compare(string(path(int(a.file))), string(path(int(b.file)))), cmp.Compare(a.part, b.part))
	})
	for _, h := range p.hits[:min(most, len(p.hits))] {
		best = append(best, Hit{int(h.file), int(h.part), h.score})
	}
	return best, len(p.hits)
}
