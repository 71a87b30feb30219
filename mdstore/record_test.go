package mdstore_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
)

// A node that is made of a scan's record states what the node of the whole file does, whatever its front matter holds.
func TestARecordStatesWhatItsFileStates(t *testing.T) {
	values := rapid.SampledFrom([]string{"", " x", " root", " [a]", " {a: b}", "\n  - a", " null", " ~", ` ""`, ` "quoted # text"`, " 'it''s'", " # a comment", " x # a comment", " true", " True",
		" yes", " 7", " 7.5", " -1e3", " 0x10", " .nan", " .inf", " |\n  two\n  lines", " &a x", " planning", " execution", " task", " pending", " monitoring", " completed", " info_collection", " 节点"})
	fields := [][2]string{{"id", " n"}, {"title", " T"}, {"type", " execution"}, {"status", " pending"}, {"role", " null"}, {"parentId", " root"}, {"isolated", " false"},
		{"createdAt", " 1"}, {"updatedAt", " 2"}, {"order", " 3"}, {"own", " x"}}
	states := func(n *mdstore.Node) string {
		return fmt.Sprint(n.ID, "|", n.Title, "|", n.Type, n.Status, n.Role, n.Parent, n.Isolated, n.CreatedAt, n.UpdatedAt, n.Order, n.Problems, n.Version(), n.Facts())
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "---\n"
		for _, f := range fields {
			switch rapid.IntRange(0, 9).Draw(t, f[0]+" is missing, odd, or as usual") {
			case 0:
			case 1, 2:
				text += f[0] + ":" + values.Draw(t, f[0]) + "\n"
			default:
				text += f[0] + ":" + f[1] + "\n"
			}
		}
		text += "---\n\n## Note\n\nx\n"
		f := mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte(text), Version: mdstore.VersionOf([]byte(text))}
		r, ok := mdstore.RecordOf(mdstore.NodeKind, f)
		if !ok {
			return
		}
		if got, want := states(r.Node()), states(mdstore.ParseNode(f).Lean()); got != want {
			t.Errorf("of\n%s\nthe record states\n\t%s\nthe file\n\t%s", text, got, want)
		}
	})
}
