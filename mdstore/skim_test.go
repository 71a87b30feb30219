package mdstore_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

var (
	skimKeys = []string{"id", "title", "type", "status", "role", "parentId", "isolated", "order", "createdAt", "updatedAt", "other"}
	// skimValues are the values that the keys are given besides plausible ones.
	skimValues = []string{"", "null", "~", "true", "false", "True", "0", "7", "1767225600000", "99999999999999999999", "1.5", "-3", ".nan", ".inf", "nan", "inf", "'12'", `"true"`,
		"node-a", "root", "planning", "execution", "pending", "implementing", "monitoring", "summary", "validation", "info_collection", "a title: no", "ein Titel mit ä", "[a, b]", "{a: b}",
		"'quoted''s'", `"esc\taped"`, "# comment", "x # comment", "-", "a/b", strings.Repeat("i", 129), "|\n  block\n  text", "&a x", "*a", "!!str x"}
	plausible = map[string][]string{
		"id": {"node-a", "root", "n.1"}, "title": {"A title", "'x: y'"}, "type": {"planning", "execution"}, "status": {"pending", "planning", "monitoring", "implementing", "completed"},
		"role": {"null", "summary"}, "parentId": {"root", "null", "node-b"}, "isolated": {"true", "false", "null"}, "order": {"3", "1.5", "null"}, "createdAt": {"1767225600000", "null"}, "updatedAt": {"5"}, "other": {"x"},
	}
)

func drawNodeFile(t *rapid.T) mdstore.File {
	var b strings.Builder
	if rapid.Bool().Draw(t, "as written") { // else hardly one of twenty is sound
		for _, k := range skimKeys {
			fmt.Fprintf(&b, "%s: %s\n", k, rapid.SampledFrom(plausible[k]).Draw(t, k))
		}
		return fileOf(t, "---\n"+b.String()+"---\n\n## Log\n")
	}
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n"}).Draw(t, "line end")
	b.WriteString(rapid.SampledFrom([]string{"---" + end, "---" + end, "---" + end, "\ufeff---" + end, "", "--- "}).Draw(t, "begin"))
	keys := skimKeys
	if rapid.Bool().Draw(t, "mixed") {
		keys = rapid.SliceOfN(rapid.SampledFrom(skimKeys), 0, 12).Draw(t, "keys")
	}
	for _, k := range keys {
		from := plausible[k]
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			from = skimValues
		}
		fmt.Fprintf(&b, "%s: %s%s", k, rapid.SampledFrom(from).Draw(t, k), end)
	}
	b.WriteString(rapid.SampledFrom([]string{"---" + end, "---" + end, "---" + end, "", "..." + end}).Draw(t, "end"))
	b.WriteString(rapid.SampledFrom([]string{"", "\n## Log\n", "text\x00", "\xff", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"}).Draw(t, "body"))
	return fileOf(t, b.String())
}

func fileOf(t *rapid.T, text string) mdstore.File {
	f := mdstore.File{Path: mdstore.Path(rapid.SampledFrom([]string{"ws/nodes/node-a/Node.md", "ws/nodes/a b/Node.md", "ws/nodes/Node.md"}).Draw(t, "path")), Data: []byte(text)}
	f.Stamp = mdstore.Stamp{Size: int64(len(f.Data)), Mtime: 5, Firm: true}
	if rapid.Bool().Draw(t, "version") {
		f.Version = mdstore.VersionOf(f.Data)
	}
	return f
}

// What is skimmed is what is parsed, in all but the document.
func TestSkimEqualsParse(t *testing.T) {
	var s mdstore.Skimmer
	sound, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawNodeFile(t)
		want, data := *mdstore.ParseNode(f), string(f.Data)
		got := s.Skim(f)
		clear(f.Data) // nothing of it may be kept
		all++
		if len(got.Problems) == 0 {
			sound++
		}
		if got.Filed() {
			t.Errorf("a document is kept of %q", data)
		}
		if a, b := got.Editable(), want.Editable(); (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() || got.Lost() != want.Lost() {
			t.Errorf("of %q\nskimmed: editable %v, lost %v\n parsed: editable %v, lost %v", data, a, got.Lost(), b, want.Lost())
		}
		if f.Version.IsZero() != got.Version().IsZero() {
			t.Errorf("version %s", got.Version())
		}
		if a, b := stated(got), stated(want); !reflect.DeepEqual(a, b) {
			t.Errorf("of %q\nskimmed %+v\n parsed %+v", data, a, b)
		}
	})
	if sound == 0 || sound == all {
		t.Errorf("%d of %d files were sound", sound, all)
	}
}

// stated are the exported fields of a node, with an Order that can be compared.
func stated(n mdstore.Node) map[string]any {
	out := map[string]any{}
	v := reflect.ValueOf(n)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			out[f.Name] = v.Field(i).Interface()
		}
	}
	if math.IsNaN(n.Order) {
		out["Order"] = "none"
	}
	if len(n.Problems) == 0 {
		out["Problems"] = []mdoc.Diagnostic(nil)
	}
	return out
}

// A sound file costs the few allocations of mdoc.ReadFields.
func TestSkimmingAllocatesLittle(t *testing.T) {
	data := []byte("---\nid: node-a\ntitle: A title of some length\ntype: execution\nstatus: implementing\nrole: null\nparentId: node-b\nisolated: false\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## Requirement\n\ntext\n")
	var s mdstore.Skimmer
	f := mdstore.File{Path: "ws/nodes/node-a/Node.md", Data: data}
	const files = 1000
	per := testing.AllocsPerRun(10, func() {
		for range files {
			if n := s.Skim(f); n.Title != "A title of some length" {
				t.Fatalf("%+v", n)
			}
		}
	}) / files
	if per > 4 {
		t.Errorf("%.3f allocations a file", per)
	}
}
