package merge

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
)

// TestTicksOfTwoBranchesMeet lets two branches tick boxes, and add criteria, and compares the merge with what each of
// them did: no mark is lost, no text comes twice, and nothing is in conflict.
func TestTicksOfTwoBranchesMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "boxes")
		var lines []string
		for i := range n {
			indent := ""
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "below") == 0 {
				indent = "  "
			}
			lines = append(
				lines,
				fmt.Sprintf("%s- [%s] box %d", indent, rapid.SampledFrom([]string{" ", "x"}).Draw(t, "mark"), i),
			)
		}
		section := rapid.SampledFrom([]string{"Acceptance Criteria", "Definition of Done", "Requirement"}).Draw(t, "section")
		prose := rapid.SampledFrom([]string{"", "Words.\n\n"}).Draw(t, "prose")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		second := rapid.SampledFrom([]string{"", "完成标准", "Acceptance Criteria"}).Draw(t, "second section")
		cut := rapid.IntRange(0, n).Draw(t, "cut") // the boxes behind it are in the second section
		file := func(lines []string, updated int) []byte {
			last := ""
			if second != "" {
				last = "## " + second + "\n\n" + strings.Join(lines[cut:], "\n") + "\n\n"
				lines = lines[:cut]
			}
			src := fmt.Sprintf("---\nid: node-x\nstatus: pending\nupdatedAt: %d\n---\n\n## %s\n\n%s%s\n\n%s## Log\n",
				updated, section, prose, strings.Join(lines, "\n"), last)
			return []byte(strings.ReplaceAll(src, "\n", eol))
		}
		want := map[string]bool{}
		for _, l := range lines {
			want[l[strings.Index(l, "box"):]] = strings.Contains(l, "[x]")
		}
		base := file(lines, 1)
		branch := func(name string, updated int) []byte {
			own := append([]string{}, lines...)
			for i, l := range own {
				if rapid.IntRange(0, 2).Draw(t, name+" ticks") == 0 {
					done := strings.Contains(l, "[ ]")
					own[i] = strings.NewReplacer("[ ]", "[x]", "[x]", "[ ]").Replace(l)
					want[l[strings.Index(l, "box"):]] = done
				}
			}
			if (second != "" || section != "Requirement" && prose == "") && rapid.Bool().Draw(t, name+" adds") {
				own = append(own, "- [ ] box of "+name)
				want["box of "+name] = false
			}
			return file(own, updated)
		}
		one, other := branch("one", 2), branch("other", rapid.IntRange(2, 3).Draw(t, "updated"))
		var said [2]string
		for i, sides := range [][2][]byte{{one, other}, {other, one}} {
			r, err := Merge("ws-1/nodes/node-x/Node.md", base, sides[0], sides[1], Options{})
			if err != nil || len(r.Conflicts) > 0 {
				t.Fatalf("%v, conflicts %v in\n%s\nof\n%s\nand\n%s", err, r.Conflicts, r.Bytes, one, other)
			}
			node := mdstore.ParseNode(mdstore.File{Path: "ws-1/nodes/node-x/Node.md", Data: r.Bytes})
			got := map[string]bool{}
			for _, c := range node.Criteria() {
				if _, twice := got[c.Text]; twice {
					t.Fatalf("%s stands twice in\n%s", c.Text, r.Bytes)
				}
				got[c.Text] = c.Done
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("got %v\nwant %v in\n%s\nof\n%s\nand\n%s", got, want, r.Bytes, one, other)
			}
			said[i] = fmt.Sprint(got)
		}
		if said[0] != said[1] {
			t.Fatalf("the sides matter: %s, %s", said[0], said[1])
		}
	})
}
