package mdstore_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
)

func nodeWith(front string) mdstore.File {
	text := "---\nid: n\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n" + front + "---\n\n## Note\n\nx\n"
	return mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte(text), Version: mdstore.VersionOf([]byte(text))}
}

// What people write as their own keys is read as it means, in the order of the file.
func TestOwnKeysAreRead(t *testing.T) {
	front := "sprint: 7\nreviewer: \"@nia\"\nratio: 0.5\nhex: 0x10\nbig: 1_000\npublished: true\nyes: yes\n" +
		"empty:\nnone: []\naliases: [Pay, 'Pay: all']\ncssclasses:\n  - wide\n  -\n\"my key\": 付款\nwhen: 2026-12-01\n" +
		"text: |\n  two\n  lines\nlink: [[Other note]]\nmeta:\n  a: 1\n  b: [x]\nflow: {a: b}\norder: 3\nimportedFrom: backlog:task-1\n"
	const want = `{"sprint":7,"reviewer":"@nia","ratio":0.5,"hex":"0x10","big":"1_000","published":true,"yes":"yes",` +
		`"empty":null,"none":[],"aliases":["Pay","Pay: all"],"cssclasses":["wide"],"my key":"付款","when":"2026-12-01",` +
		`"text":"two\nlines\n","link":"[[Other note]]","meta":"a: 1\nb: [x]","flow":"{a: b}","importedFrom":"backlog:task-1"}`
	n := mdstore.ParseNode(nodeWith(front))
	if len(n.Problems) > 0 {
		t.Fatal(n.Problems)
	}
	if got, err := json.Marshal(n.Own()); err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// A scan knows the own keys of a node as its file does.
func TestARecordKnowsOwnKeys(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) string {
		key := rapid.SampledFrom([]string{"a", "b", "\"c d\"", "键", "''", "e"}).Draw(t, "key")
		return key + ":" + rapid.SampledFrom([]string{"", " x", " 7", " 7.5", " true", " ~", " []", " [a, b]", " ['']",
			"\n  - a\n  - b: c",
			"\n  x: |\n    y\n\n    z", " {a: [b]}", " |\n  two\n\n  lines\n", " \"\\x1f\"", " [\"\\x1e\", b]", " &x y", " *x"}).
			Draw(t, "value") +
			"\n"
	})
	said := func(all mdstore.Owns) string {
		data, _ := json.Marshal([]mdstore.Own(all))
		return strings.ReplaceAll(string(data), "null", "[]")
	}
	rapid.Check(t, func(t *rapid.T) {
		front := ""
		for _, l := range rapid.SliceOfN(line, 0, 4).Draw(t, "lines") {
			front += l
		}
		f := nodeWith(front)
		n := mdstore.ParseNode(f)
		known := []*mdstore.Node{n.Lean()}
		if r, ok := mdstore.ScannedOf(mdstore.NodeKind, f); ok {
			known = append(known, r.Node())
		}
		for _, k := range known {
			asked := false
			got := k.Recording(func(*mdstore.Node) { asked = true }).Own()
			if !asked && said(got) != said(n.Own()) {
				t.Errorf("%s\n got %s\nwant %s", f.Data, said(got), said(n.Own()))
			}
			if asked && !strings.Contains(front, `\x1`) {
				t.Errorf("%s\nthe document was read for own keys that facts can keep", f.Data)
			}
		}
	})
}
