package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
)

// idle are words such as "what" and "is" that tell nothing about the subject of a question.
var idle = strings.Fields(`a about after an and any are as at be been but by can could did do does don't for from get gets had has have how i if in into is it
	its kind kinds long many me much must my not of often on or our should so than that the their them there they this to us use was we were what
	when where which who whom whose why will with would you your`)

var idleHan = strings.NewReplacer("为什么", " ", "什么", " ", "怎么", " ", "怎样", " ", "如何", " ", "哪些", " ", "哪个", " ", "哪里", " ", "多少", " ",
	"我们", " ", "你们", " ", "吗", " ", "呢", " ", "的", " ", "了", " ", "是", " ", "谁", " ")

// endings are the endings in which words of one stem differ, the longest first.
var endings = strings.Fields("ations ation ings ing ions ion ers ies ed er es ly al s e y")

// Question returns the query for a question in plain words: any word may match, with any ending. If no word tells what
// the question is about, the error is a *SyntaxError.
func Question(text string) (*Query, error) {
	q := &Query{root: &expr{op: or}}
	add := func(w word, prefix bool) {
		if !slices.ContainsFunc(q.Terms, func(t *Term) bool { return bytes.Equal(t.words[0].text, w.text) }) && len(q.Terms) < MaxQuery/10 {
			q.root.kids = append(q.root.kids, &expr{op: term, term: len(q.Terms)})
			q.Terms = append(q.Terms, &Term{Text: string(w.text), words: []word{w}, prefix: prefix})
		}
	}
	for _, w := range wordsOf(idleHan.Replace(text)) {
		if !slices.Contains(idle, string(w.text)) && w.first {
			w.text = stem(w.text)
			add(w, len(w.text) > 2)
		} else if runes := []rune(string(w.text)); !w.first {
			for i := range max(1, len(runes)-1) { // in a text without blanks, each pair of characters counts as a word
				add(word{text: []byte(string(runes[i:min(i+2, len(runes))]))}, false)
			}
		}
	}
	if len(q.Terms) == 0 {
		return nil, &SyntaxError{1, "no word of the question says what is asked for; name the thing"}
	}
	return q, nil
}

// stem returns a word without its ending. The rest is the beginning of the other forms as well.
func stem(w []byte) []byte {
	for _, e := range endings {
		least := 4
		if len(e) == 1 {
			least = 3
		}
		if s, ok := bytes.CutSuffix(w, []byte(e)); ok && len(s) >= least {
			if n := len(s); s[n-1] == s[n-2] {
				s = s[:n-1]
			}
			return s
		}
	}
	return w
}

// Paragraphs makes each paragraph of a file a part of its own, described by the heading above it.
func Paragraphs(f *File) {
	whole := *f
	f.Parts = func(_ *File, data []byte) (all []Part) {
		for _, p := range whole.parts(data) {
			at, about := p.At, p.Description
			if whole.planned() {
				p.Text = []byte(withoutOwnLog(string(p.Text)))
			}
			for _, text := range bytes.SplitAfter(p.Text, []byte("\n\n")) {
				switch line := bytes.TrimSpace(text); {
				case len(line) == 0:
				case line[0] == '#' && !bytes.ContainsRune(line, '\n'):
					p.Description = about + "\n" + string(line)
				default:
					p.Text, p.At = line, at+bytes.Index(text, line)
					all = append(all, p)
				}
				at += len(text)
			}
		}
		return all
	}
}

// A Passage answers a question.
type Passage struct {
	Shown
	File     int
	Score    float64
	Sentence string // the sentence that has the most words of the question
}

const reread = 50 // paragraphs that are looked at again, sentence by sentence

// Passages returns the parts that answer a question best, one of each entry, node or section. read returns a file as it
// is now.
func (p *Pass) Passages(most int, path func(int) mdstore.Path, read func(int) (*File, []byte, error)) []Passage {
	var all []Passage
	best, _ := p.Best(reread, path)
	rare := p.rarities()
	for _, h := range best {
		f, data, err := read(h.File)
		if err != nil {
			continue
		}
		s, ok := p.q.Show(f, h.Part, data)
		if !ok {
			continue
		}
		a := Passage{Shown: s, File: h.File}
		near := -1.0
		head := Fold(nil, []byte(s.Title+"\n"+s.Description))
		for _, sentence := range sentences(string(s.Text)) {
			text, sum := Fold(nil, []byte(sentence)), 0.0
			for i, t := range p.q.Terms {
				if t.in(text) {
					sum += rare[i]
				} else if t.in(head) {
					sum += rare[i] / 2
				}
			}
			if sum > near {
				near, a.Sentence = sum, sentence
			}
		}
		a.Score = h.Score + near
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	type unit struct {
		file      int
		id, title string
	}
	seen := map[unit]bool{}
	all = slices.DeleteFunc(all, func(a Passage) bool {
		u := unit{a.File, a.ID, a.Title}
		was := seen[u]
		seen[u] = true
		return was
	})
	return all[:min(most, len(all))]
}

// sentences returns the sentences of a text, each in one line.
func sentences(text string) (all []string) {
	begin := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && (end == len(text) || strings.ContainsRune(" \n", rune(text[end]))) || end == len(text) {
			all = append(all, strings.Join(strings.Fields(text[begin:end]), " "))
			begin = end
		}
	}
	return all
}
