package ops_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"

	"pgregory.net/rapid"
)

// texts draws texts whose size as JSON is not their length.
var texts = rapid.Custom(func(t *rapid.T) string {
	pieces := []string{"a", "节点", `"\`, "<b>&", "\n", "\u2028", "word and word ", "😀"}
	return strings.Repeat(rapid.SampledFrom(pieces).Draw(t, "piece"), rapid.IntRange(0, 400).Draw(t, "times"))
})

var logs = rapid.SliceOf(rapid.Custom(func(t *rapid.T) mdstore.LogEntry {
	return mdstore.LogEntry{Time: fmt.Sprintf("2026-01-01 10:00:%02d", rapid.IntRange(0, 59).Draw(t, "second")), Event: texts.Draw(t, "event")}
}))

// genResult draws a result of any size.
func genResult(t *rapid.T) *ops.NodeGetOut {
	n := ops.NodeInfo{ID: "node-1", Head: mdstore.Head{Title: texts.Draw(t, "title")}, Requirement: texts.Draw(t, "requirement"), CreatedAt: 1767225600000,
		Children: rapid.SliceOf(texts).Draw(t, "children"), Log: logs.Draw(t, "log"), Docs: []mdstore.Ref{}, References: []ops.Reference{}, Allowed: []string{}}
	for _, text := range rapid.SliceOfN(texts, 0, 3).Draw(t, "diagnostics") {
		n.Diagnostics = append(n.Diagnostics, mdoc.Diagnostic{File: "Node.md", Line: 3, Code: "X", Text: text})
	}
	if rapid.Bool().Draw(t, "has a problem") {
		n.Problem = &mdstore.Problem{Text: texts.Draw(t, "problem")}
	}
	return &ops.NodeGetOut{Node: n, Out: ops.Out{Hint: "go on"}}
}

// Results of any shape are cut to the bound: of a text or list the beginning stays, of a log the end. cut says how much
// that is, and the result itself is not changed.
func TestRepliesAreCutEvenly(t *testing.T) {
	const bound = 950
	rapid.Check(t, func(t *rapid.T) {
		out := genResult(t)
		whole, err := (&ops.Env{MaxBytes: 0}).ReplyOf(out)
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&ops.Env{MaxBytes: bound}).ReplyOf(out)
		if err != nil {
			t.Fatal(err)
		}
		if r.Size() > bound {
			t.Fatalf("%d bytes of %s", r.Size(), whole.Data)
		}
		if again, _ := (&ops.Env{MaxBytes: 0}).ReplyOf(out); !reflect.DeepEqual(again, whole) {
			t.Fatalf("the result was changed: %s", again.Data)
		}
		if whole.Size() <= bound {
			if !reflect.DeepEqual(r, whole) {
				t.Errorf("a result that fits is cut: %s", r.Data)
			}
			return
		}
		var got, want map[string]any
		if json.Unmarshal(r.Data, &got) != nil || json.Unmarshal(whole.Data, &want) != nil || r.Text != string(r.Data) {
			t.Fatalf("the text is not the data, or this is no JSON: %s", r.Data)
		}
		all, _ := got["cut"].([]any)
		if delete(got, "cut"); len(all) < 2 {
			t.Errorf("it is cut and says nothing: %s", r.Data)
		}
		said := map[string]string{}
		for _, c := range all {
			at, what, _ := strings.Cut(c.(string), ": ")
			said[at] = what
		}
		checkCut(t, "", got, want, said)
		if id := got["node"].(map[string]any)["id"]; id != "node-1" {
			t.Errorf("the id is %v", id)
		}
	})
}

// checkCut compares a cut value with the whole one. said is what the result says about its cuts, by place; it is
// complete where there are few.
func checkCut(t *rapid.T, at string, got, want any, said map[string]string) {
	complete := len(said) <= 8
	switch want := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k := range want {
			at := strings.TrimPrefix(at+"."+k, ".")
			if _, there := g[k]; there {
				checkCut(t, at, g[k], want[k], said)
			} else if complete && !strings.HasPrefix(said[at], "0 of ") { // lists that are left out where they are empty
				t.Errorf("%s is missing", at)
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) > len(want) {
			t.Fatalf("%s: %v", at, got)
		}
		if what := said[at]; len(g) < len(want) && complete && what != fmt.Sprintf("%d of %d are here", len(g), len(want)) {
			t.Errorf("%s has %d of %d, and cut says %q", at, len(g), len(want), what)
		}
		for i := range g {
			if strings.HasSuffix(at, ".log") {
				checkCut(t, fmt.Sprintf("%s[%d]", at, i-len(g)), g[i], want[i+len(want)-len(g)], said)
			} else {
				checkCut(t, fmt.Sprintf("%s[%d]", at, i), g[i], want[i], said)
			}
		}
	case string:
		g, _ := got.(string)
		if g == want {
			return
		}
		kept, cut := strings.CutSuffix(g, "… (cut)")
		if !cut || !strings.HasPrefix(want, kept) || !utf8.ValidString(kept) {
			t.Errorf("%s: %q is no beginning of %q", at, g, want)
		}
		if what := said[at]; complete && what != fmt.Sprintf("%d of %d bytes are here", len(kept), len(want)) {
			t.Errorf("%s has %d of %d bytes, and cut says %q", at, len(kept), len(want), what)
		}
	default:
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}
