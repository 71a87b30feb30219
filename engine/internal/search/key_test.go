package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/mdstore"
)

// people is a language that knows own keys and words for dates.
var people = Language{
	Own: func(key string) bool { return strings.HasPrefix(key, "own") },
	Day: func(word string) (string, error) {
		return mdstore.Day(word, time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC))
	},
}

func headWith(owns ...mdstore.Own) Head {
	return Head{
		In:     InPlan,
		Fields: &mdstore.Fields{},
		Own:    func() mdstore.Owns { return owns },
		Is:     func(s string) bool { return s == IsReady },
	}
}

// A head tells what a look at the file tells, wherever a query asks for no text.
func TestHeadsTellWhatAPassFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := anyWish(t, 3).text(t, "")
		q, err := Parse(query, Language{})
		if err != nil {
			t.Fatalf("Parse(%q): %v", query, err)
		}
		if q.Texts() {
			return
		}
		f := File{Head: anyHead.Draw(t, "head")}
		p := NewPass(q, func(*Head) bool { return true })
		p.Look(0, &f, []byte("---\nid: x\n---\n"+anyText.Draw(t, "text")))
		_, total := p.Best(1, func(int) mdstore.Path { return "" })
		if got := q.Heads()(&f.Head); got != (total > 0) {
			t.Fatalf("%q of %+v: %v by its head, %v by a pass", query, f.Head, got, !got)
		}
	})
}

// Numbers are compared as numbers and dates as dates, whatever stands beside them.
func TestComparisons(t *testing.T) {
	day := func(n int) string { return time.Date(2026, 11, 1+n, 0, 0, 0, 0, time.UTC).Format(mdstore.DayLayout) }
	holds := map[string]func(int) bool{"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 }}
	rapid.Check(t, func(t *rapid.T) {
		text := func(n int) string { return fmt.Sprint(float64(n) / 2) }
		other := day(3)
		if rapid.Bool().Draw(t, "dates") {
			text, other = day, "3"
		}
		op := rapid.SampledFrom([]string{"<", "<=", ">", ">="}).Draw(t, "op")
		bound := rapid.IntRange(-30, 30).Draw(t, "bound")
		have := rapid.SliceOfN(rapid.IntRange(-30, 30), 0, 3).Draw(t, "values")
		items := []string{"soon", "", other}
		for _, n := range have {
			items = append(items, text(n))
		}
		q, err := Parse("own"+op+text(bound), people)
		if err != nil {
			t.Fatal(err)
		}
		h := headWith(
			mdstore.Own{Key: "own", Items: items},
			mdstore.Own{Key: "own2", Items: []string{text(bound - 1), text(bound + 1)}},
		)
		want := slices.ContainsFunc(have, func(n int) bool { return holds[op](cmp.Compare(n, bound)) })
		if got := q.Heads()(&h); got != want {
			t.Fatalf("own%s%s of %q: %v, want %v", op, text(bound), items, got, want)
		}
	})
}

func TestFieldsOfQueries(t *testing.T) {
	h := headWith(
		mdstore.Own{Key: "own", Items: []string{"Nia B", "7"}},
		mdstore.Own{Key: "own-at", Items: []string{"2026-11-28T10:00"}},
	)
	h.Group, h.Title = "projects/shop", "Cards"
	h.Fields.Role, h.Fields.Priority, h.Fields.Due = new("validation"), new("high"), new("2026-12-01")
	h.Fields.Tags, h.Fields.Assignee = []string{"#Pay/Card", "web"}, []string{"@Nia", "tom"}
	for query, want := range map[string]bool{
		"tag:pay": true, "tags:#pay": true, "tag:PAY/card": true, "tag:pa": false, "tag:card": false, "-tag:web": false,
		"tag:null":       false,
		"group:projects": true, "own:7": true, `own:"nia b"`: true, "own:nia": false, "own:null": false, "own2:null": true,
		"own-at<sun": true, "own-at<=tomorrow": true, "own-at<tomorrow": false, "own-at>2026-11-27": true,
		`own>"6.5"`: true, "own>7": false,
		"is:ready": true, "is:READY": true, "NOT is:blocked": true, "is:running OR is:ready title:card": true,
		"assignee:nia": true, "assignee:@TOM": true, "assignee:ni": false, "priority:high": true, "priority:P1": true,
		"priority:null": false,
		"due<=+4d":      true, "due:2026-12-01": true, "due<tue": false, "due>fri": false, "verify:null": true,
		"role:validation": true, "role:null": false, "isolated:false": true, "order<1": false,
	} {
		q, err := Parse(query, people)
		if err != nil {
			t.Errorf("Parse(%q): %v", query, err)
			continue
		}
		if got := q.Heads()(&h); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"is:done":      "character 1: is:done names no state; there are ready, blocked, overdue, running, terminal",
		"tag<3":        "character 1: tag has no order; tag:x finds",
		"role>=x":      "character 1: role has no order",
		"a priority<x": "character 3: priority has no order",
		"due<soon":     `character 1: due: "soon" is not a date; write it as 2026-12-01, today,`,
		"a own<x":      `character 3: own: "x" is neither a number nor a date`,
		"order<monday": `character 1: order: "monday" is no number`,
		"own<":         "character 5: own< is a field; its value is expected here, as in own<x",
	} {
		if _, err := Parse(query, people); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want %q", query, err, want)
		}
	}
	// Names that no file has are words, and so is what only looks like a comparison.
	for _, query := range []string{"http://x", "sprint:7", "a<b", "x->y", "<b>", ":x"} {
		if q, err := Parse(query, people); err != nil || !q.Texts() {
			t.Errorf("Parse(%q): error %v; want a word", query, err)
		}
	}
}

// What people write into fields and keys of their own is found by its words.
func TestValuesAreTexts(t *testing.T) {
	h := headWith(
		mdstore.Own{Key: "reviewer", Items: []string{"@nia"}},
		mdstore.Own{Key: "note", Items: []string{"token bucket"}},
	)
	for query, want := range map[string]bool{"nia": true, `"token bucket"`: true, "reviewer": false, "tom": false} {
		q, err := Parse(query, people)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := q.Show(&File{Head: h}, 0, []byte("---\nreviewer: x\n---\n")); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}
