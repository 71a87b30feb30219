package search

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"arbor/mdstore"
)

// A wish is a query as a tree, with the text that says it. plain holds it against a text in the slow and obvious way.
type wish struct {
	op    string // "and", "or", "not", "word", "phrase", "title", "tag", "group", "type", "status", "in"
	kids  []*wish
	words []string
	last  bool // the last word of a query, which is a prefix
}

var vocabulary = []string{"alpha", "Alphabet", "beta", "CAFÉ", "cafe\u0301", "naïve", "straße", "e-mail", "C++", "3.5", "don't", "under_score", "x1", "京", "東京",
	"タワー", "登录接口", "录", "录接", "안녕", "и́й", "Ёлка", "ﬁn", "ΣΊΣΥΦΟΣ", "ｆｕｌｌ", "👍"}

var (
	anyWord = rapid.SampledFrom(vocabulary)
	anyText = rapid.Custom(func(t *rapid.T) string {
		text := ""
		for range rapid.IntRange(0, 8).Draw(t, "words") {
			text += rapid.SampledFrom([]string{" ", "\n", ", ", " - ", "。", "", "s "}).Draw(t, "between") + anyWord.Draw(t, "word")
		}
		return text
	})
	anyHead = rapid.Custom(func(t *rapid.T) Head {
		return Head{In: rapid.SampledFrom(Places()).Draw(t, "in"), Type: anyWord.Draw(t, "type"), Status: anyWord.Draw(t, "status"),
			Group: rapid.SampledFrom([]string{"", "alpha", "alpha/beta", "Alphabet"}).Draw(t, "group"), Title: anyText.Draw(t, "title"),
			Description: anyText.Draw(t, "description"), Tags: rapid.SliceOfN(anyWord, 0, 2).Draw(t, "tags")}
	})
)

func anyWish(t *rapid.T, depth int) *wish {
	ops := []string{"word", "word", "word", "phrase", "title", "tag", "group", "type", "status", "in", "and", "or", "not"}
	if depth == 0 {
		ops = ops[:10]
	}
	w := &wish{op: rapid.SampledFrom(ops).Draw(t, "op")}
	switch w.op {
	case "and", "or":
		w.kids = []*wish{anyWish(t, depth-1), anyWish(t, depth-1)}
	case "not":
		w.kids = []*wish{anyWish(t, depth-1)}
	case "phrase":
		w.words = rapid.SliceOfN(anyWord, 1, 3).Draw(t, "words")
	case "in":
		w.words = []string{rapid.SampledFrom(Places()).Draw(t, "place")}
	case "group":
		w.words = []string{rapid.SampledFrom([]string{"alpha", "ALPHA/beta", "alphabet"}).Draw(t, "group")}
	default:
		w.words = []string{anyWord.Draw(t, "word")}
	}
	return w
}

// text says the wish as a query. Parentheses stand where the order of binding asks for them, or may stand.
func (w *wish) text(t *rapid.T, above string) string {
	s := strings.Join(w.words, " ")
	rank := map[string]int{"": 0, "or": 1, "and": 2, "not": 3}
	switch w.op {
	case "and":
		s = w.kids[0].text(t, "and") + rapid.SampledFrom([]string{" ", " AND "}).Draw(t, "and") + w.kids[1].text(t, "and")
	case "or":
		s = w.kids[0].text(t, "or") + " OR " + w.kids[1].text(t, "or")
	case "not":
		s = rapid.SampledFrom([]string{"NOT ", "NOT  "}).Draw(t, "not") + w.kids[0].text(t, "not")
		if op := w.kids[0].op; op == "word" && w.kids[0].words[0] != "👍" && rapid.Bool().Draw(t, "minus") {
			s = "-" + w.kids[0].words[0]
		}
	case "phrase":
		return `"` + s + `"`
	case "word":
		return s
	default:
		return w.op + ":" + s
	}
	if r := rank[w.op]; r < rank[above] || r > 0 && rapid.Bool().Draw(t, "parentheses") {
		return "(" + s + ")"
	}
	return s
}

// leaves returns the wishes without others in them, and whether each stands below an odd number of NOTs.
func (w *wish) leaves(absent bool, visit func(*wish, bool)) {
	if len(w.kids) == 0 {
		visit(w, absent)
	}
	for _, k := range w.kids {
		k.leaves(absent != (w.op == "not"), visit)
	}
}

var plainLetters = strings.NewReplacer("é", "e", "e\u0301", "e", "ï", "i", "ß", "ss", "и́", "и", "й", "и", "ё", "е", "ί", "ι", "ς", "σ",
	"ｆ", "f", "ｕ", "u", "ｌ", "l")

func plainFold(s string) string {
	return plainLetters.Replace(strings.ToLower(s))
}

var (
	latin  = regexp.MustCompile(`[\p{Latin}\p{Greek}\p{Cyrillic}0-9_]+`)
	before = regexp.MustCompile(`^[\p{Latin}\p{Greek}\p{Cyrillic}0-9_]`)
)

const between = `[^\p{Latin}\p{Greek}\p{Cyrillic}0-9_\p{Han}\p{Katakana}\p{Hangul}ー]*`

// plainFind looks for words that follow one another in a text: behind each run of letters stands a mark of its end, in
// the text and in the words.
func plainFind(text string, words []string, prefix bool) bool {
	pattern := ""
	for i, w := range words {
		if w = plainFold(w); i > 0 {
			pattern += between
		} else if before.MatchString(w) {
			pattern += `(?:^|[^\p{Latin}\p{Greek}\p{Cyrillic}0-9_])`
		}
		if w = latin.ReplaceAllString(w, "${0}\x00"); prefix {
			w = strings.TrimSuffix(w, "\x00")
		}
		pattern += regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(pattern).MatchString(latin.ReplaceAllString(plainFold(text), "${0}\x00"))
}

func (w *wish) holds(h Head, text string) bool {
	switch fold := plainFold(strings.Join(w.words, " ")); w.op {
	case "and":
		return w.kids[0].holds(h, text) && w.kids[1].holds(h, text)
	case "or":
		return w.kids[0].holds(h, text) || w.kids[1].holds(h, text)
	case "not":
		return !w.kids[0].holds(h, text)
	case "title":
		return plainFind(h.Title, w.words, w.last)
	case "tag":
		return slices.ContainsFunc(h.Tags, func(tag string) bool { return plainFold(tag) == fold })
	case "group":
		return plainFold(h.Group) == fold || strings.HasPrefix(plainFold(h.Group), fold+"/")
	case "type":
		return plainFold(h.Type) == fold
	case "status":
		return plainFold(h.Status) == fold
	case "in":
		return h.In == fold
	}
	for _, s := range append([]string{h.Title, h.Description, h.Group, text}, h.Tags...) {
		if plainFind(s, w.words, w.last && w.op == "word") {
			return true
		}
	}
	return false
}

func TestSearchFindsWhatAReaderFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWish(t, 3)
		query := w.text(t, "")
		q, err := Parse(query, Language{})
		if err != nil {
			t.Fatalf("Parse(%q): %v", query, err)
		}
		var last *wish
		absent := false
		w.leaves(false, func(leaf *wish, below bool) { last, absent = leaf, below })
		last.last = (last.op == "word" || last.op == "title") && !absent
		var want, got []int
		p := NewPass(q, func(*Head) bool { return true })
		for i := range rapid.IntRange(1, 6).Draw(t, "files") {
			f := File{Head: anyHead.Draw(t, "head")}
			text := anyText.Draw(t, "text")
			p.Look(i, &f, []byte("---\nid: x\n---\n"+text))
			if w.holds(f.Head, text) {
				want = append(want, i)
			}
		}
		hits, total := p.Best(100, func(int) mdstore.Path { return "" })
		for _, h := range hits {
			got = append(got, h.File)
		}
		if slices.Sort(got); !slices.Equal(got, want) || total != len(want) {
			t.Fatalf("%q\n got %v of %d\nwant %v", query, got, total, want)
		}
	})
}

// What is highlighted is what was looked for, and no character that people see is cut.
func TestHighlightsAreWholeCharactersOfTheTerm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word, text := anyWord.Draw(t, "word"), ""
		for range rapid.IntRange(0, 80).Draw(t, "words") {
			text += rapid.SampledFrom([]string{" ", "\n", "", "🇩🇪", "👩‍💻", "e\u0301\u0302 "}).Draw(t, "between") + anyWord.Draw(t, "word")
		}
		q, err := Parse(`"`+word+`"`, Language{})
		if err != nil {
			t.Fatal(err)
		}
		f := File{Head: Head{Title: word}}
		s, ok := q.Show(&f, 0, []byte(text))
		if !ok {
			t.Fatalf("%q is its own title", word)
		}
		whole := map[string]bool{"…": true}
		for g := uniseg.NewGraphemes(text); g.Next(); {
			whole[g.Str()] = true
		}
		for g := uniseg.NewGraphemes(s.Snippet); g.Next(); {
			if !whole[g.Str()] && g.Str() != " " && !strings.HasPrefix(g.Str(), "…") {
				t.Fatalf("%q is cut in the snippet %q of %q", g.Str(), s.Snippet, text)
			}
		}
		if plainFind(text, []string{word}, false) && len(s.Highlights) == 0 {
			t.Fatalf("%q is not highlighted in %q of %q", word, s.Snippet, text)
		}
		runes := []rune(s.Snippet)
		for _, h := range s.Highlights {
			if got := string(runes[h.Start:h.End]); !strings.Contains(plainFold(got), plainFold(word)) || utf8.RuneCountInString(got) > 12 {
				t.Fatalf("%q highlights %q in %q", word, got, s.Snippet)
			}
		}
	})
}

func TestRandomQueriesParseOrSayWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "query"))
		if rapid.Bool().Draw(t, "signs") {
			query = strings.Join(
				rapid.SliceOfN(rapid.SampledFrom([]string{"(", ")", `"`, " ", "AND", "OR", "NOT", "-", "tag:", "in:", "is:ready",
					"order<", "title:", "a", "京", "“", ":", "*"}), 0, 12).
					Draw(t, "signs"),
				"",
			)
		}
		runs(t, query)
	})
}

func runs(t interface {
	Fatalf(string, ...any)
}, query string) {
	q, err := Parse(query, Language{})
	if e, ok := err.(*SyntaxError); err != nil && (!ok || e.At < 1 || e.At > utf8.RuneCountInString(query)+1 || e.Text == "") {
		t.Fatalf("%q: %v", query, err)
	}
	if err != nil {
		return
	}
	p, f := NewPass(q, func(*Head) bool { return true }), File{Head: Head{Title: query}}
	text := []byte("---\ntitle: x\n---\n" + query)
	p.Look(0, &f, text)
	hits, _ := p.Best(1, func(int) mdstore.Path { return "" })
	for range hits {
		q.Show(&f, 0, text)
	}
}

func FuzzQuery(f *testing.F) {
	f.Add(`a (b OR "c d") -tag:e NOT title:"f" 京*`)
	f.Fuzz(func(t *testing.T, query string) { runs(t, query) })
}

func TestQueriesThatDoNotParseSayWhere(t *testing.T) {
	for query, want := range map[string]string{
		"":                              "character 1: there is nothing to look for",
		" ... ":                         "character 1: there is nothing to look for",
		"a (b":                          "character 3: the parenthesis is not closed",
		"a )":                           "character 3: nothing is open",
		"a OR":                          "character 5: the query ends, where",
		"AND a":                         "character 1: AND, where",
		"a OR OR b":                     "character 6: OR, where",
		"()":                            "character 2: ), where",
		`登录 "接口`:                        "character 4: the quote is not closed",
		`a ""`:                          "character 3: there is no word between",
		"tag:":                          "character 5: tag: is a field",
		"tag: x":                        "character 5: tag: is a field",
		"title:...":                     "character 1: title: has no word",
		"in:attic":                      "character 1: in:attic names no place; there are plan, memory",
		"NOT":                           "character 4: the query ends",
		strings.Repeat("a", MaxQuery+1): fmt.Sprintf("character %d: a query has at most", MaxQuery+1),
	} {
		if _, err := Parse(query, Language{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want %q", query, err, want)
		}
	}
}

func TestWords(t *testing.T) {
	const text = "Don’t e-mail C++ 3.5 under_score; main(argv) foo:bar Ⱥ #42 完成率 5% 𝒳 alphabet"
	for query, want := range map[string]bool{
		"don't": true, "DON'T": true, "e-mail": true, "mail": true, "c++": true, "C+": true, `"3.5"`: true, `"3"`: true, "under_score": true, `"score"`: false,
		"main()": true, "main(argv)": true, "main": true, "foo:bar": true, "foo:": true, "bar:": true, "#42": true, "完": true, "成率": true, "率成": false,
		"alpha": true, `"alpha"`: false, "alpha* 5": true, "alpha 5": false, "main - 5": true, "NOT zebra": true, "-zebra": true, "-alphabet": false,
		`"e-mail, (c++)"`: true, "NOT (zebra OR don't)": false, "zebra OR don't AND e-mail": true, "NOT zebra zebra OR 5": true,
	} {
		q, err := Parse(query, Language{})
		if err != nil {
			t.Errorf("Parse(%q): %v", query, err)
			continue
		}
		if _, got := q.Show(&File{}, 0, []byte(text)); got != want {
			t.Errorf("%q is found: %v, want %v", query, got, want)
		}
	}
}
