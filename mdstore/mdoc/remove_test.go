package mdoc_test

import (
	"slices"
	"strings"
	"testing"

	"arbor/mdstore/mdoc"
)

// Keys in forms that people write, each with its lines. What stands behind a # that is no text is a comment.
var keyLines = []string{
	"a: 1 # why\n", "b: [x, y]\n", "c:\n  - x\n  # within\n  - \"y\"\n", "d: |\n  text\n\n  more\n", "e:\n",
	"f: \"q: #\"\n", "g:\n  h: 1\n",
	"i: >-\n  folded\n  text\n", "j: 2026-12-01\n", "k: null\n",
	"l: | # why\n  text\n  # text\n", "m: [a, # one\n  'b # c', \"#\"] # two\n",
	"n: a#b # c # d\n", "o: # of it\n  - p # q\n",
}

// comments are the comments in keyLines, as they stand without the key.
var comments = map[string]string{
	"a": "# why\n", "c": "# within\n", "l": "# why\n", "m": "# one\n# two\n",
	"n": "# c # d\n", "o": "# of it\n# q\n",
}

// Removing a key takes its lines out and no other byte, and leaves the comments in them as lines of their own; giving
// it another name changes the name and no other byte.
func TestOneKeyGoesOrIsRenamedAndAllElseStays(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n"} {
		for i, gone := range keyLines {
			lines := slices.Concat(keyLines[i+1:], []string{"# a line of its own\n"}, keyLines[:i])
			for at := range len(lines) + 1 {
				with := strings.Join(slices.Insert(slices.Clone(lines), at, gone), "")
				src := strings.ReplaceAll("---\n"+with+"---\n\nBody\n", "\n", eol)
				doc, problems := mdoc.Parse("x.md", []byte(src), &mdoc.Form{})
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				patch, err := doc.SetField(gone[:1], mdoc.Removed())
				if err != nil {
					t.Fatal(err)
				}
				after, err := doc.Apply(patch)
				if err != nil {
					t.Fatalf("%q: %v", src, err)
				}
				left := strings.Join(slices.Insert(slices.Clone(lines), at, comments[gone[:1]]), "")
				want := strings.ReplaceAll("---\n"+left+"---\n\nBody\n", "\n", eol)
				if got := string(after.Bytes()); got != want {
					t.Fatalf("without %q\n%q, want\n%q", gone, got, want)
				}
				if patch, err = doc.RenameField(gone[:1], "other"); err != nil {
					t.Fatal(err)
				}
				if after, err = doc.Apply(patch); err != nil {
					t.Fatalf("%q: %v", src, err)
				}
				want = strings.Replace(src, eol+gone[:1]+":", eol+"other:", 1)
				if got := string(after.Bytes()); got != want {
					t.Fatalf("renamed\n%q, want\n%q", got, want)
				}
			}
		}
	}
}

// What cannot be taken out safely is refused.
func TestKeysInBracesAreNotTakenOut(t *testing.T) {
	doc, _ := mdoc.Parse("x.md", []byte("---\n{a: 1, b: 2}\n---\n"), &mdoc.Form{})
	patch, err := doc.SetField("a", mdoc.Removed())
	if err == nil {
		_, err = doc.Apply(patch)
	}
	if err == nil {
		t.Error("a is taken out of braces")
	}
	if _, err := doc.RenameField("a", "b"); err == nil {
		t.Error("two keys have one name")
	}
}
