package mdoc_test

import (
	"slices"
	"strings"
	"testing"

	"arbor/mdstore/mdoc"
)

// Keys in forms that people write, each with its lines.
var keyLines = []string{
	"a: 1 # why\n", "b: [x, y]\n", "c:\n  - x\n  # within\n  - \"y\"\n", "d: |\n  text\n\n  more\n", "e:\n",
	"f: \"q: #\"\n", "g:\n  h: 1\n",
	"i: >-\n  folded\n  text\n", "j: 2026-12-01\n", "k: null\n",
}

// Removing a key takes its lines out and no other byte; giving it another name changes the name and no other byte.
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
				want := strings.ReplaceAll("---\n"+strings.Join(lines, "")+"---\n\nBody\n", "\n", eol)
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
