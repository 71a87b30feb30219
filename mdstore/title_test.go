package mdstore_test

import (
	"testing"

	"arbor/mdstore"
)

// A block of YAML ends with a line feed, and may have several lines; a title has one.
func TestATitleIsOneLine(t *testing.T) {
	for front, want := range map[string]string{
		"title: >\n  fold one\n  two": "fold one two", "title: |\n  one\n  two": "one two", "title: a  b": "a  b", "title: |\n\n": "n",
	} {
		text := "---\nid: n\ntype: execution\nstatus: pending\n" + front + "\n---\n"
		n := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte(text)})
		if n.Title != want || len(n.Problems) > 0 {
			t.Errorf("%q: %q, problems %v; want %q", front, n.Title, n.Problems, want)
		}
	}
}
