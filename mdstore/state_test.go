package mdstore

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore/mdoc"
)

// Whatever an active file's path is, it reads back from the list of a document.
func TestActiveFilesReadBack(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "docs/計画 (v2).md", " ", "(", ")", "[x]", ": ", "：", "\"", "`", "```", "<!--", "~~~", "- ", "# ", "---", "***",
		"> ", "1. ", "\\", "\t", "\n", "\x00", "\xff", "<<<<<<< ", " (missing)", " (0123456789ab, 12)", "    ", "\u2028", "é"})
	path := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(words, 1, 5), func(s []string) string { return strings.Join(s, "") }))
	rapid.Check(t, func(t *rapid.T) {
		f := ActiveFile{Path: path.Draw(t, "path")}
		if rapid.Bool().Draw(t, "known") {
			f = ActiveFileOf(f.Path, []byte(rapid.String().Draw(t, "data")))
		}
		if got := parseActiveFile(f.Format()); got != f {
			t.Fatalf("%+v is written %q and reads back as %+v", f, f.Format(), got)
		}
		s := State{ActiveFiles: []ActiveFile{f, {Path: "next"}}}
		doc, adapted, err := mdoc.Compose("states/a.md", StateForm, []mdoc.FieldValue{{Key: KeyID, Value: mdoc.Text("a")}}, s.Sections())
		if err != nil || adapted != nil {
			t.Fatalf("%q: adapted %q, error %v", f.Format(), adapted, err)
		}
		got := StateOf(ParsePage(StateKind, File{Path: "ws/states/a.md", Data: doc.Bytes()}))
		if !slices.Equal(got.ActiveFiles, s.ActiveFiles) {
			t.Fatalf("%+v stands in\n%s\nand reads back as %+v", f, doc.Bytes(), got.ActiveFiles)
		}
	})
}

// A path that Markdown and the form leave alone stands as it is, and what a person wrote in no form is a path.
func TestActiveFilesAreWrittenPlainly(t *testing.T) {
	for path, want := range map[string]string{
		"src/計画 (v2) [draft]: b.md": "src/計画 (v2) [draft]: b.md (ba7816bf8f01, 3)",
		`"a"`:                       `"\"a\"" (ba7816bf8f01, 3)`,
		"a\nb":                      `"a\nb" (ba7816bf8f01, 3)`,
	} {
		if got := ActiveFileOf(path, []byte("abc")).Format(); got != want {
			t.Errorf("Format of %q\n got %s\nwant %s", path, got, want)
		}
	}
	for item, want := range map[string]ActiveFile{
		"by hand.md":           {Path: "by hand.md"},
		"a.md (short, 3)":      {Path: "a.md (short, 3)"},
		`"a.md" said somebody`: {Path: `"a.md" said somebody`},
	} {
		if got := parseActiveFile(item); got != want {
			t.Errorf("ParseActiveFile(%q) = %+v, want %+v", item, got, want)
		}
	}
}

// The briefing of a workspace is kept below headings of its own, whatever headings it has.
func TestBriefingText(t *testing.T) {
	w := ParseWorkspace(File{Path: "w/Workspace.md", Data: []byte(
		"---\nid: w\n---\n\n## 目的\n\nFind work\n\n## Workflows\n\n### Apply\n\nWhen: daily\n\n#### Steps\n\nx\n\n## Rules\n\n- r\n\n## Preferences\n")})
	got, err := BriefingText(w)
	if want := "### Purpose\n\nFind work\n\n### Workflows\n\n#### Apply\n\nWhen: daily\n\n##### Steps\n\nx"; got != want || err != nil {
		t.Errorf("got\n%s\nerror %v, want\n%s", got, err, want)
	}
}
