package mdstore_test

import (
	"fmt"
	"strings"
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
		return fmt.Sprint(n.ID, "|", n.Title, "|", n.Type, n.Status, n.Parent, n.CreatedAt, n.UpdatedAt, n.Front(), n.Problems, n.Version(), n.Facts())
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
		r, ok := mdstore.ScannedOf(mdstore.NodeKind, f)
		if !ok {
			return
		}
		if got, want := states(r.Node()), states(mdstore.ParseNode(f).Lean()); got != want {
			t.Errorf("of\n%s\nthe record states\n\t%s\nthe file\n\t%s", text, got, want)
		}
	})
}

// So does a page, with what is wrong in its front matter: a slot that a person wrote without an id is not read anew by
// each command.
func TestARecordStatesWhatItsPageStates(t *testing.T) {
	states := func(p *mdstore.Page) string {
		return fmt.Sprint(p.ID, "|", p.Name(), "|", p.Made(), p.List(mdstore.KeyTags), p.Problems, p.Version(), p.Facts(), p.Editable())
	}
	front := rapid.SliceOf(rapid.SampledFrom([]string{"id: slot-1-a", "id: a b", "id: [a, b]", "id:", "name: N", "name: \"a\\x1fb\"", "createdAt: 1", "createdAt: soon", "startedAt: [1]",
		"tags: [a, b]", "tags: a", "own: {a: b}", "own: \"\\x00\"", "# a comment"}))
	paths := rapid.SampledFrom([]mdstore.Path{"ws/memory/s.md", "ws/memory/g/a b.md", "ws/memory/-.md", "ws/sessions/s/Session.md", "ws/states/x.md"})
	law := func(t *rapid.T, path mdstore.Path, lines []string) (kept bool) {
		text := "---\n" + strings.Join(lines, "\n") + "\n---\n\nx\n"
		f := mdstore.File{Path: path, Data: []byte(text), Version: mdstore.VersionOf([]byte(text))}
		k := mdstore.AllKinds().Of(path)
		r, ok := mdstore.ScannedOf(k, f)
		if ok {
			if got, want := states(r.Page(k)), states(mdstore.ParsePage(k, f).Lean()); got != want {
				t.Errorf("of %s with\n%s\nthe record states\n\t%s\nthe file\n\t%s", path, text, got, want)
			}
		}
		return ok
	}
	rapid.Check(t, func(t *rapid.T) {
		law(t, paths.Draw(t, "path"), front.Draw(t, "front"))
		if !law(t, "ws/memory/s.md", []string{"name: N"}) {
			t.Error("a slot without an id has no record")
		}
	})
}
