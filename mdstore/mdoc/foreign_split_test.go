package mdoc

import (
	"bytes"
	"testing"

	"github.com/adrg/frontmatter"
)

// TestForeignSplitEqualsAdrg compares the splitter for other programs' documents with adrg/frontmatter on every document of up to four lines out of
// those that decide something.
func TestForeignSplitEqualsAdrg(t *testing.T) {
	type split struct {
		front, rest string
		found       bool
	}
	library := func(src []byte) split {
		var got split
		capture := func(b []byte, v any) error {
			s := v.(*split)
			s.front, s.found = string(b), true
			return nil
		}
		var formats []*frontmatter.Format
		for _, f := range foreignFormats {
			formats = append(formats, &frontmatter.Format{Start: f.start, End: f.end, Unmarshal: capture, UnmarshalDelims: f.object, RequiresNewLine: f.object})
		}
		rest, err := frontmatter.Parse(bytes.NewReader(src), &got, formats...)
		if err != nil {
			t.Fatalf("adrg/frontmatter on %q: %v", src, err)
		}
		got.rest = string(rest)
		return got
	}
	lines := []string{"", " \t", "---yaml", "---toml\r", "---json", "---", " +++ ", ";;;", "{", "}", "} ", "}x", "a"}
	found := 0
	var check func(src []byte, more int)
	check = func(src []byte, more int) {
		var got split
		f, front, rest := splitForeign(src)
		got.front, got.rest, got.found = string(front), string(rest), f != nil
		if want := library(src); got != want {
			t.Fatalf("splitForeign(%q)\n got %+v\nwant %+v", src, got, want)
		}
		if got.found {
			found++
		}
		for _, line := range lines[:min(more, 1)*len(lines)] {
			check(append(bytes.Clone(src), line...), 0)
			check(append(append(bytes.Clone(src), line...), '\n'), more-1)
		}
	}
	check(nil, 4)
	if found < 1000 {
		t.Errorf("%d documents had front matter; this compares too little", found)
	}
}
