package mcpserv

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// deep returns the files of a workspace with a chain of nodes, with texts of the given size in bytes. The last node is
// "work".
func deep(levels, text, logs int) vaultFiles {
	v := vaultFiles{}
	words := func(what string) string {
		var b strings.Builder
		for i := 0; b.Len() < text; i++ {
			fmt.Fprintf(&b, "%s %d says \"it\" in some words of <prose>, as people write.\n", what, i)
		}
		return b.String()
	}
	var log strings.Builder
	for i := range logs {
		fmt.Fprintf(&log, "- [2026-01-01 10:%02d:%02d] [AI] looked at part %d and found it sound\n", i/60%60, i%60, i)
	}
	v.workspace("ws-deep", "the goal that counts", "## Rules\n\n- rule of "+strings.ReplaceAll(words("rules"), "\n", "\n- and ")+"last\n\n## Docs\n\n- docs/a.md: a document\n")
	parent := "null"
	for i := range levels {
		id := "root"
		if i > 0 {
			id = fmt.Sprintf("node-%02d", i)
		}
		v.node("ws-deep", id, "The level "+id, "planning", "monitoring", parent, "## Requirement\n\n"+words("requirement of "+id)+"\n## Note\n\n"+words("note of "+id)+"\n## Log\n\n"+log.String())
		parent = id
	}
	for i := range 5 {
		v.node("ws-deep", fmt.Sprintf("child-%d", i), fmt.Sprintf("Child %d", i), "execution", "completed", "work", "## Conclusion\n\n"+words("conclusion"))
	}
	v.node("ws-deep", "work", "The work", "planning", "monitoring", parent, "## Requirement\n\n"+words("requirement of the work")+"\n## Note\n\n"+words("note of the work")+"\n## References\n\n- root: above\n\n## Log\n\n"+log.String())
	return v
}

// TestContextCarriesWhatCounts asks for contexts that are larger than a reply. Rules, goal and requirement are whole if
// they fit; if one of them is too large, the others are whole.
func TestContextCarriesWhatCounts(t *testing.T) {
	t.Parallel()
	for _, text := range []int{100, 2000, 20000} {
		e, err := engine.Open(t.Context(), memstore.New(deep(12, text, 25)), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := e.View(t.Context(), "ws-deep")
		if err != nil {
			t.Fatal(err)
		}
		rules := snap.Workspace().Rules()
		requirement := ""
		if err := e.Read(t.Context(), func(ctx context.Context) error {
			v, err := e.View(ctx, "ws-deep")
			if err == nil {
				work, _ := v.Node("work")
				requirement = work.Requirement()
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		must := len(strings.Join(rules, "\n")) + len(requirement)
		for _, most := range bounds {
			l := openLine(t, e, Options{MaxTokens: most})
			fits := must*3/2+2500 < room(most) // in both formats, escaped
			for _, format := range []string{"json", "markdown"} {
				s := l.call("context_get", jsonOf(t, args{"nodeId": "work", "format": format}))
				data := s.members(t)
				what := fmt.Sprintf("%d bytes of rules and requirement in %d tokens as %s", must, most, format)
				if s.wrong || s.size > room(most) || data["cut"] != nil {
					t.Errorf("%s: %d bytes, cut %v: %.300s", what, s.size, data["cut"], s.text)
					continue
				}
				shown := func(line string) bool {
					if format == "json" {
						line = strings.Trim(jsonRaw(line), `"`)
					}
					return strings.Contains(s.text, line)
				}
				missing := 0
				for _, line := range append(strings.Split(requirement, "\n"), rules...) {
					if !shown(line) {
						missing++
					}
				}
				if fits && missing > 0 {
					t.Errorf("%s: %d lines of them are missing", what, missing)
				}
				if missing > 0 && !strings.Contains(s.text, "budget") {
					t.Errorf("%s: %d lines are missing, and nothing says so", what, missing)
				}
				if !shown("the goal that counts") || !shown("The work") {
					t.Errorf("%s: there is no goal, or no node: %.2000s", what, s.text)
				}
				if text >= 1000 && s.size < room(most)/2 {
					t.Errorf("%s: the reply has %d bytes, so there was room for more", what, s.size)
				}
			}
		}
	}
}

func jsonRaw(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // as replies are written
	if err := enc.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A page of a context may have pageShare times the bytes of its texts, for line marks, labels and parentheses.
// pageFixed is for the sentences of every page, which explain how to read it and what is left out.
const (
	pageShare = 1.2
	pageFixed = 700 // bytes: 250 for how to read the page, 150 for headings and its size, 300 for what is left out
)

// TestPagesAreLean compares the size of a page with the sizes of the strings and line numbers of the same context as
// JSON.
func TestPagesAreLean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ levels, text, logs int }{{1, 40, 0}, {3, 200, 3}, {5, 400, 10}, {10, 100, 5}, {30, 60, 2}, {8, 1000, 20}, {4, 5000, 0}} {
		e, err := engine.Open(t.Context(), memstore.New(deep(tt.levels, tt.text, tt.logs)), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{100000, DefaultMaxTokens} {
			l := openLine(t, e, Options{MaxTokens: most})
			s := l.call("context_get", `{"nodeId":"work","format":"markdown"}`)
			carried := carriedBy(s.text)
			if most == 100000 { // the page and the JSON have everything
				carried = 0
				bundle := l.do("context_get", args{"nodeId": "work"})
				for _, part := range []string{"workspace", "chain", "childConclusions", "references"} {
					carried += stringBytes(bundle[part])
				}
				if n := len(items(bundle["omitted"])); tt.logs <= 20 && n > 0 {
					t.Errorf("%+v: %v is left out", tt, bundle["omitted"])
				}
			}
			limit := int(pageShare*float64(carried)) + pageFixed
			t.Logf("%+v in %d tokens: %d bytes carry %d: %+.1f %% and %d", tt, most, len(s.text), carried, 100*(float64(len(s.text)-pageFixed)/float64(carried)-1), pageFixed)
			if len(s.text) > limit {
				t.Errorf("%+v in %d tokens: the page has %d bytes and carries %d, so %d are the limit", tt, most, len(s.text), carried, limit)
			}
		}
	}
}

// stringBytes returns the number of bytes of all strings and line numbers in a value.
func stringBytes(v any) (n int) {
	switch v := v.(type) {
	case string:
		n = len(v)
	case []any:
		for _, e := range v {
			n += stringBytes(e)
		}
	case float64:
		n = len(fmt.Sprint(v)) + 1
	case map[string]any:
		for _, e := range v {
			n += stringBytes(e)
		}
	}
	return n
}

var pageLabel = regexp.MustCompile(`^[A-Z][a-z ]+ ([0-9-]+)`)

// carriedBy returns the number of bytes of a page that come from files: quoted texts, names in headings and in the
// facts below them, and line numbers.
func carriedBy(page string) (n int) {
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "> "):
			n += len(strings.TrimPrefix(strings.TrimPrefix(line, "> "), "- "))
		case strings.HasPrefix(line, "### "), strings.HasPrefix(line, "("):
			n += len(line) - 6
		default:
			if m := pageLabel.FindStringSubmatch(line); m != nil {
				n += len(m[1])
			}
		}
	}
	return n
}

// TestDamagedAndLarge checks that the reply for a large damaged node has its problems, and is cut.
func TestDamagedAndLarge(t *testing.T) {
	t.Parallel()
	v := deep(1, 100, 0)
	v[mdstore.NodePath("ws-deep", "node-bad")] = []byte("---\nid: node-bad\ntitle: T\ntype: execution\nstatus: dreaming\nparentId: root\n---\n\n## Requirement\n\n" + strings.Repeat("text ", 20000))
	e, err := engine.Open(t.Context(), memstore.New(v), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := openLine(t, e, Options{MaxTokens: LeastMaxTokens})
	node := l.do("node_get", args{"nodeId": "node-bad"})
	if !strings.Contains(jsonOf(t, node), "STATUS_INVALID") || node["cut"] == nil {
		t.Errorf("what is wrong with it, or that it is cut, is not told: %v", node)
	}
}

// TestACutContextSaysWhereTheRestIs asks for more than a reply holds. The hint says how much that is, and where to get
// the rest. A context within the budget of the call has no such hint.
func TestACutContextSaysWhereTheRestIs(t *testing.T) {
	t.Parallel()
	e, err := engine.Open(t.Context(), memstore.New(deep(12, 2000, 25)), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := openLine(t, e, Options{})
	for _, format := range []string{"json", "markdown"} {
		for _, budget := range []int{0, 20000, 2500} {
			in := args{"nodeId": "work", "format": format}
			if budget > 0 {
				in["budget"] = budget
			}
			hint, _ := l.do("context_get", in)["hint"].(string)
			if told := strings.Contains(hint, "a reply holds about ") && strings.Contains(hint, "omitted") && strings.Contains(hint, "arbor://ws-deep/nodes/NODE"); told != (budget != 2500) {
				t.Errorf("%s, budget %d: %q", format, budget, hint)
			}
		}
		if hint, _ := l.do("context_get", args{"nodeId": "root", "format": format, "includeLog": false, "budget": 20000})["hint"].(string); strings.Contains(hint, "a reply holds") {
			t.Errorf("%s: all of it is there, and the hint is %q", format, hint)
		}
	}
}
