package mdstore_test

import (
	"strings"
	"testing"

	"arbor/mdstore"
)

// What a field cannot be is a problem of the file, at the value, in the words in which a call is refused; the node does
// not have it.
func TestAFieldThatCannotBeIsAProblem(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"role: nobody", `role is "nobody"; one of info_collection, validation, summary is expected`},
		{"role: [summary]", "role is a list or a mapping; one plain value is expected"},
		{"isolated: yes", `isolated is "yes"; true or false is expected`},
		{`isolated: "true"`, `isolated is "true"; true or false is expected`},
		{"isolated: 1", `isolated is "1"; true or false is expected`},
		{"order: first", `order is "first"; a number is expected`},
		{"order: .nan", `order is ".nan"; a number is expected`},
	} {
		text := "---\nid: n\ntitle: T\ntype: execution\nstatus: pending\n" + tt.line + "\n---\n"
		n := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte(text)})
		if len(n.Problems) != 1 || n.Problems[0].Text != tt.want || n.Problems[0].Line != 6 || n.Problems[0].Col != strings.Index(tt.line, ":")+3 {
			t.Errorf("%s: %v\nwant %s at its value", tt.line, n.Problems, tt.want)
		}
		if !n.Empty() {
			t.Errorf("%s: the node has %v", tt.line, n.Front())
		}
	}
}

// What takes a field away is written as none, and read as none.
func TestAFieldWithoutAValueIsNone(t *testing.T) {
	for _, line := range []string{"role:", "role: null", `role: ""`, "isolated: false", "isolated: ~", "order: null"} {
		n := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte("---\nid: n\ntype: execution\nstatus: pending\n" + line + "\n---\n")})
		if !n.Empty() || len(n.Problems) > 0 || len(n.AllMarks()) > 0 {
			t.Errorf("%s: %v %v %v", line, n.Front(), n.Problems, n.AllMarks())
		}
	}
	none := mdstore.Fields{Role: new(""), Isolated: new(false)}
	for f, text := range none.Given() {
		if got := f.Scalar(text).String(); text != "" || got != "null" && got != "false" {
			t.Errorf("%s without a value is written as %s", f.Key, got)
		}
	}
}
