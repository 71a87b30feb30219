package diff3

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawText draws a text of few different lines, so that texts have much in common.
func drawText(t *rapid.T, label string) []byte {
	ls := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n", "\n", "x\r\n"}), 0, 12).Draw(t, label)
	text := strings.Join(ls, "")
	if rapid.Bool().Draw(t, label+" ends without a line end") {
		text = strings.TrimSuffix(text, "\n")
	}
	return []byte(text)
}

// drawEdit draws a text that differs from base in a few lines.
func drawEdit(t *rapid.T, label string, base []byte) []byte {
	ls := lines(base)
	var out []byte
	for _, l := range ls {
		switch rapid.IntRange(0, 9).Draw(t, label) {
		case 0:
		case 1:
			out = append(out, "new\n"...)
		case 2:
			out = append(append(out, l...), "added\n"...)
		default:
			out = append(out, l...)
		}
	}
	return out
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const end = "neither adds to the end\n"
		base := slices.Concat(drawText(t, "base"), []byte("\n"+end))
		edit := func(who string) []byte { return append(drawEdit(t, who, bytes.TrimSuffix(base, []byte(end))), end...) }
		ours, theirs := edit("ours"), edit("theirs")
		check := func(law string, o, a, b, want []byte) {
			if got, ok := Add(o, a, b); !ok || !bytes.Equal(got, want) {
				t.Errorf("%s\nbase   %q\nours   %q\ntheirs %q\n got %q, %v\nwant %q", law, o, a, b, got, ok, want)
			}
		}
		check("one side alone", base, ours, base, ours)
		check("the other side alone", base, base, theirs, theirs)
		check("both the same", base, ours, ours, ours)
		m, ok := Add(base, ours, theirs)
		n, ok2 := Add(base, theirs, ours)
		if ok && ok2 && !bytes.Equal(m, n) {
			t.Errorf("not symmetric: %q %v, %q %v", m, ok, n, ok2)
		}
		if ok && !bytes.Contains(m, []byte("new\n")) && bytes.Contains(ours, []byte("new\n")) {
			t.Errorf("a new line of ours is lost\nbase   %q\nours   %q\ntheirs %q\n got %q", base, ours, theirs, m)
		}
	})
}

// Of 1,000 random texts, each that both merge without a conflict is merged to the same.
func TestMergeAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git to compare with")
	}
	dir := t.TempDir()
	clean, all := 0, 0
	for all < 1000 {
		rapid.Check(t, func(t *rapid.T) {
			if all++; all > 1000 {
				return // a process each is slow
			}
			// As a rule they edit different parts, so that there is something to compare.
			head, middle, tail := drawText(t, "head"), drawText(t, "middle"), drawText(t, "tail")
			base := slices.Concat(head, middle, tail)
			ours, theirs := slices.Concat(drawEdit(t, "ours", head), middle, tail), slices.Concat(head, middle, drawEdit(t, "theirs", tail))
			var names []string
			for i, data := range [][]byte{ours, base, theirs} {
				names = append(names, filepath.Join(dir, []string{"ours", "base", "theirs"}[i]))
				if err := os.WriteFile(names[i], data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.Command(git, append([]string{"merge-file", "-p", "--no-diff3"}, names...)...).Output()
			chunks := Merge(base, ours, theirs)
			m := Marks{"ours", "theirs", 7}.Text(chunks)
			conflict := slices.ContainsFunc(chunks, func(c Chunk) bool { return c.Conflict })
			if joined, ok := Add(base, ours, theirs); !conflict && (!ok || string(joined) != m) {
				t.Errorf("Add and Merge differ: base   %q\nours   %q\ntheirs %q\n got %q, %q", base, ours, theirs, joined, m)
			}
			if !conflict && err == nil && m != string(out) {
				t.Errorf("base   %q\nours   %q\ntheirs %q\n got %q\n git %q", base, ours, theirs, m, out)
			}
			if !conflict && err == nil {
				clean++
			}
		})
		if t.Failed() {
			break
		}
	}
	t.Logf("%d clean merges of %d", clean, 1000)
	if clean == 0 {
		t.Error("nothing was compared")
	}
}

func TestMergeExamples(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"apart", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "one\n2\n3\n4\nfive\n"},
		{"the same line", "1\n2\n3\n", "1\ntwo\n3\n", "1\nTWO\n3\n", ""},
		{"neighbouring lines", "1\n2\n3\n", "one\n2\n3\n", "1\ntwo\n3\n", ""},
		{"to nothing", "1\n2\n3\n", "", "1\n2\n3\n", ""},
		{"from nothing", "", "1\n", "", "1\n"},
		{"no line end", "1\n2\n3", "1\n2\n3", "one\n2\n3", "one\n2\n3"},
	} {
		got, ok := Add([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		conflict := c.want == "" && c.name != "to nothing"
		if ok == conflict || ok && string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"both append", "1\n", "1\n2\n", "1\nzwei\n", "1\nzwei\n2\n"},
		{"both append, and both change what is above", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n- ours\n", "1\n2\nthree\n4\n5\n- theirs\n\n- more\n", "one\n2\nthree\n4\n5\n- theirs\n\n- more\n- ours\n"},
		{"both append to nothing", "", "2\n", "zwei\n", "zwei\n2\n"},
		{"both append the same", "1\n", "1\n2\n", "1\n2\n", "1\n2\n"},
		{"ours is a section", "1\n", "1\n\n## Conclusion\n\nDone\n", "1\n- theirs\n", "1\n- theirs\n\n## Conclusion\n\nDone\n"},
		{"theirs is a section", "1\n", "1\n2\n", "1\n\n## Notes\n\nzwei\n", ""},
		{"theirs is code", "1\n", "1\n2\n", "1\n  ```\nzwei\n", ""},
		{"theirs has no line end", "1\n", "1\n2\n", "1\nzwei", ""},
		{"no line end before", "1", "1\n2\n", "1\nzwei\n", ""},
		{"both change the last line", "1\n", "2\n", "zwei\n", ""},
		{"they append, ours changes the last line", "1\n", "2\n", "1\nzwei\n", ""},
	} {
		if got, ok := Add([]byte(c.base), []byte(c.ours), []byte(c.theirs)); ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("joined, %s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
	large := bytes.Repeat([]byte("x\n"), 5000)
	if _, ok := Add(large, bytes.Repeat([]byte("y\n"), 5000), append(large, 'z')); ok {
		t.Error("texts that differ everywhere were compared; they are too large for that")
	}
	if got, ok := Add(large, bytes.Repeat([]byte("y\n"), 5000), large); !ok || got[0] != 'y' {
		t.Error("one side alone was refused because it is large")
	}
}

// What becomes of items: each line of a case is base, ours, theirs and the result, with the value of an item behind a
// colon.
func TestKeyedItems(t *testing.T) {
	items := func(text string) (all []Item) {
		for f := range strings.FieldsSeq(text) {
			key, value, _ := strings.Cut(f, ":")
			all = append(all, Item{Key: key, Value: value})
		}
		return all
	}
	for _, c := range [][4]string{
		{"a b c", "b c", "a b c", "b c"},                     // the first one is removed
		{"a b c", "a b", "a b c", "a b"},                     // the last one
		{"a b c", "b c", "a:2 b c", "a b c"},                 // removed here, changed there: it stays
		{"a b c", "a b c", "b:2 c", "b c"},                   // removed there, and another one changed
		{"a b c", "a x b c", "a b c y", "a x b c y"},         // both add
		{"a b c", "c a b", "a b c", "c a b"},                 // one side moves
		{"a b c", "a b c", "b a c", "b a c"},                 // the other side moves
		{"a b c", "a b c x", "c a b", "c x a b"},             // what was added stays behind what it stood behind
		{"", "a b", "b c", "a b c"},                          // both made the file
		{"a", "a a", "a", "a a"},                             // two of one key
		{"a b", "a b", "a b", "a b"}, {"a b", "", "a b", ""}, // nothing, and everything
	} {
		base, ours, theirs := items(c[0]), items(c[1]), items(c[2])
		for _, swapped := range []bool{false, true} {
			o, th := ours, theirs
			if swapped {
				o, th = theirs, ours
			}
			var got []string
			for _, p := range Keyed(base, o, th) {
				switch {
				case p.Ours >= 0:
					got = append(got, o[p.Ours].Key)
				default:
					got = append(got, th[p.Theirs].Key)
				}
			}
			if text := strings.Join(got, " "); text != c[3] {
				t.Errorf("base %q, ours %q, theirs %q, swapped %v: %q, want %q", c[0], c[1], c[2], swapped, text, c[3])
			}
		}
	}
}
