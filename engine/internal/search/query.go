// Package search is the language of queries and the matching. From the bytes of files it computes the matching parts,
// their order, and their snippets. It keeps no index, and uses no clock, disk or network.
package search

import (
	"arbor/mdstore"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// A Query is a parsed query. It never changes.
type Query struct {
	root  *expr
	Terms []*Term // in the order of the text
}

// A Term is a word, a phrase or a value of a field.
type Term struct {
	Text   string // the word as the caller wrote it
	Field  string // "" for any text, one of Fields, or an own key
	value  string // folded; for a field that has values
	bound  *bound // for a field that is compared; nil otherwise
	form   form   // of the field's values
	words  []word // of a text and a title; several are a phrase
	Quoted bool   // a text in quotes
	prefix bool   // words that begin so match as well
	absent bool   // it is below a NOT: it does not affect the order and is not shown
}

// text reports whether the term is looked for in texts.
func (t *Term) text() bool { return len(t.words) > 0 }

// Fields returns the names that are fields in every query: the fields of nodes are among them.
var Fields = sync.OnceValue(func() []string {
	all := []string{"tag", mdstore.KeyTags, "group", "type", "status", "in", "is", "title"}
	for _, f := range mdstore.AllFields() {
		all = append(all, f.Key)
	}
	return all
})

// The values of the field in, and of the parameter of that name.
const (
	InPlan     = "plan"
	InMemory   = "memory"
	InSessions = "sessions"
	InStates   = "states"
	InDocs     = "docs"
)

// Places returns the values of the field in.
func Places() []string { return []string{InPlan, InMemory, InSessions, InStates, InDocs} }

// The values of the field is. Only nodes have them.
const (
	IsReady    = "ready"
	IsBlocked  = "blocked"
	IsOverdue  = "overdue"
	IsRunning  = "running"
	IsTerminal = "terminal"
)

// States returns the values of the field is.
func States() []string { return []string{IsReady, IsBlocked, IsOverdue, IsRunning, IsTerminal} }

// A Language has what the meaning of a query depends on besides its text. The zero Language knows no own keys, and only
// dates in the form of files.
type Language struct {
	Own func(key string) bool             // whether any file has this own key; nil: none has
	Day func(word string) (string, error) // the date that a word means; nil: only dates in full
	// Mine returns the name of the person for whom assignee:mine asks; nil or "": it is not known.
	Mine func() string
}

// MaxQuery is the greatest number of characters of a query.
const MaxQuery = 1000

// A SyntaxError says which part of a query does not parse.
type SyntaxError struct {
	At   int // the character, from 1
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("query, character %d: %s", e.At, e.Text) }

// An expr is a term, or what joins others.
type expr struct {
	op   kind // and, or, not, or term
	kids []*expr
	term int // index in Terms
}

type kind uint8

const (
	end kind = iota
	and
	or
	not
	open
	closing
	term
)

// A token is a sign or a term at a place.
type token struct {
	kind kind
	at   int
	term *Term
}

type parser struct {
	Language
	src    []rune
	at     int // of the next character
	tok    token
	bare   *Term // the last word that is not in quotes
	q      *Query
	absent bool // below an odd number of NOTs
}

// Parse reads a query. The error is a *SyntaxError.
func Parse(query string, l Language) (*Query, error) {
	p := &parser{Language: l, src: []rune(query), q: &Query{}}
	if len(p.src) > MaxQuery {
		return nil, p.fail(MaxQuery, "a query has at most %d characters", MaxQuery)
	}
	err := p.next()
	if err != nil {
		return nil, err
	}
	if p.tok.kind == end {
		return nil, p.fail(0, "there is nothing to look for; give a word, a \"phrase\" or a field such as tag:x")
	}
	if p.q.root, err = p.alternatives(); err != nil {
		return nil, err
	}
	if p.tok.kind == closing {
		return nil, p.fail(p.tok.at, "nothing is open that ) closes; leave it out")
	}
	if n := len(p.q.Terms); p.bare != nil && p.bare == p.q.Terms[n-1] && !p.bare.absent {
		p.bare.prefix = true
	}
	return p.q, nil
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{at + 1, fmt.Sprintf(format, args...)}
}

// alternatives reads expressions separated by OR.
func (p *parser) alternatives() (*expr, error) {
	return p.joined(or, (*parser).together, func() bool { return p.tok.kind == or })
}

// together reads what must match together, with AND between or nothing.
func (p *parser) together() (*expr, error) {
	return p.joined(and, (*parser).single, func() bool { return p.tok.kind != end && p.tok.kind != closing && p.tok.kind != or })
}

func (p *parser) joined(op kind, part func(*parser) (*expr, error), more func() bool) (*expr, error) {
	all := &expr{op: op}
	for {
		e, err := part(p)
		if err != nil {
			return nil, err
		}
		all.kids = append(all.kids, e)
		if !more() {
			break
		}
		if p.tok.kind == op { // a word
			if err := p.next(); err != nil {
				return nil, err
			}
		}
	}
	if len(all.kids) == 1 {
		return all.kids[0], nil
	}
	return all, nil
}

// single reads a term, a query in parentheses, or either of these behind NOT.
func (p *parser) single() (*expr, error) {
	was := p.tok
	switch was.kind {
	case term:
		was.term.absent = p.absent
		p.q.Terms = append(p.q.Terms, was.term)
		return &expr{op: term, term: len(p.q.Terms) - 1}, p.next()
	case not:
		p.absent = !p.absent
		defer func() { p.absent = !p.absent }()
		if err := p.next(); err != nil {
			return nil, err
		}
		e, err := p.single()
		return &expr{op: not, kids: []*expr{e}}, err
	case open:
		if err := p.next(); err != nil {
			return nil, err
		}
		e, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		if p.tok.kind != closing {
			return nil, p.fail(was.at, "the parenthesis is not closed; add )")
		}
		return e, p.next()
	}
	what := map[kind]string{end: "the query ends", closing: ")", and: "AND", or: "OR"}[was.kind]
	return nil, p.fail(was.at, "%s, where a word, a \"phrase\", a field such as tag:x or ( is expected", what)
}

// next reads the next token. It skips punctuation between blanks.
func (p *parser) next() error {
	for p.tok = (token{}); p.tok.kind == end; {
		for p.at < len(p.src) && unicode.IsSpace(p.src[p.at]) {
			p.at++
		}
		if p.tok.at = p.at; p.at == len(p.src) {
			return nil
		}
		if err := p.read(); err != nil {
			return err
		}
	}
	return nil
}

const quotes = "\"“”"

func (p *parser) read() error {
	at := p.at
	switch r := p.src[at]; {
	case r == '(', r == ')':
		p.at++
		p.tok.kind = map[rune]kind{'(': open, ')': closing}[r]
		return nil
	case strings.ContainsRune(quotes, r):
		return p.phrase(key{})
	case r == '-' && at+1 < len(p.src) && (spells(p.src[at+1]) || strings.ContainsRune("("+quotes, p.src[at+1])):
		p.at++
		p.tok.kind = not
		return nil
	}
	text := p.run()
	if op, ok := map[string]kind{"AND": and, "OR": or, "NOT": not}[text]; ok {
		p.tok.kind = op
		return nil
	}
	k, value := p.key(text)
	if k.name == "" {
		p.term(&Term{Text: text, prefix: strings.HasSuffix(text, "*")}, text)
		return nil
	}
	if value == "" && p.at < len(p.src) && strings.ContainsRune(quotes, p.src[p.at]) {
		return p.phrase(k)
	}
	if value == "" || value[0] == '(' {
		return p.fail(p.at, "%[1]s is a field; its value is expected here, as in %[1]sx or %[1]s\"x y\""+
			" (in quotes, \"%[1]s\" is a word)", k)
	}
	return p.value(at, k, text, value)
}

// run reads up to a blank, a quote or a parenthesis that the run has not opened.
func (p *parser) run() string {
	begin, depth := p.at, 0
	for ; p.at < len(p.src); p.at++ {
		r := p.src[p.at]
		if r == '(' {
			depth++
		} else if r == ')' {
			depth--
		}
		if depth < 0 || unicode.IsSpace(r) || strings.ContainsRune(quotes, r) {
			break
		}
	}
	return string(p.src[begin:p.at])
}

// phrase reads a text in quotes, which may be the value of a field.
func (p *parser) phrase(k key) error {
	begin := p.at
	for p.at++; p.at < len(p.src) && !strings.ContainsRune(quotes, p.src[p.at]); p.at++ {
	}
	if p.at == len(p.src) {
		return p.fail(begin, "the quote is not closed; add \"")
	}
	text := string(p.src[begin+1 : p.at])
	p.at++
	if k.name != "" {
		err := p.value(begin, k, fmt.Sprintf("%s%q", k, text), text)
		p.bare = nil
		return err
	}
	if p.term(&Term{Text: text, Quoted: true}, text); p.tok.kind != term {
		return p.fail(begin, "there is no word between the quotes; add one, or leave them out")
	}
	p.bare = nil
	return nil
}

// term makes a term of words, if there are any.
func (p *parser) term(t *Term, text string) {
	if t.words = wordsOf(text); len(t.words) > 0 {
		p.tok.kind, p.tok.term, p.bare = term, t, t
	}
}
