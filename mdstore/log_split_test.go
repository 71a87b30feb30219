package mdstore_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Whatever people have written into and around a log, splitting it loses no byte, and both parts together read as it
// did.
func TestSplitLogLosesNothing(t *testing.T) {
	split := 0
	rapid.Check(t, func(t *rapid.T) {
		filler := strings.Repeat("word ", 500)
		entry := rapid.SampledFrom([]string{
			"- [2026-01-01 10:00:00] [AI] note: " + filler, "- [2026-01-01 10:00:00] [AI] tool_call: x\n  nodes: a\n\n  more " + filler,
			"a person's paragraph " + filler + "\n", "1. first " + filler + "\n2. second", "> a quote\n> " + filler + "\n", "* other mark\n  - below " + filler,
			"```\ncode " + filler + "\n```\n", "\n\n", "<!-- a comment -->\n", "- [ ] to do " + filler, "lazy " + filler, "    indented\n",
		})
		log := strings.Join(rapid.SliceOfN(entry, 30, 90).Draw(t, "log"), "\n")
		before := rapid.SampledFrom([]string{"", "## Goal\n\ng\n\n", "## Mine\n\n- a\n- b\n\n# top\n\ntext\n\n", "## Notes\n\n"}).Draw(t, "before")
		behind := rapid.SampledFrom([]string{"", "\n### below\n\n- x\n", "\n## Mine\n\ntext", "\n# top\n\n## Log\n\n- second log\n"}).Draw(t, "behind")
		text := "---\nid: session-1\nx: y # mine\n---\n\n" + before + "## " + rapid.SampledFrom([]string{"Log", "日志", "log"}).Draw(t, "title") + "\n\n" + log + "\n" + behind
		if rapid.Bool().Draw(t, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		d, wrong := mdoc.Parse("", []byte(text), mdstore.SessionForm)
		if len(wrong) > 0 {
			t.Skip(wrong)
		}
		older, rest, ok := mdstore.SplitLog(d, "session-1")
		if !ok {
			return
		}
		split++
		o, _ := mdoc.Parse("", older, mdstore.SessionForm)
		r, _ := mdoc.Parse("", rest, mdstore.SessionForm)
		first := o.Items(mdstore.SecLog)[0].Span.Start
		at := len(commonPrefix([]byte(text), rest))
		moved := older[first:]
		if back := slices.Concat(rest[:at-overlap(text, rest, moved, at)], moved, rest[at-overlap(text, rest, moved, at):]); string(back) != text {
			t.Fatalf("the parts are not the whole: %q and %q of\n%q", older, rest, text)
		}
		var texts []string
		for _, it := range slices.Concat(o.Items(mdstore.SecLog), r.Items(mdstore.SecLog)) {
			texts = append(texts, it.Text)
		}
		var want []string
		for _, it := range d.Items(mdstore.SecLog) {
			want = append(want, it.Text)
		}
		if !slices.Equal(texts, want) {
			t.Fatalf("read\n%q\nwant\n%q", texts, want)
		}
	})
	if split == 0 {
		t.Error("no log was split")
	}
}

// commonPrefix returns the bytes that both begin with.
func commonPrefix(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// overlap returns how many bytes before at the moved bytes were taken: what follows them may begin as they do.
func overlap(text string, rest, moved []byte, at int) int {
	for k := 0; k <= at; k++ {
		if bytes.HasPrefix([]byte(text[at-k:]), moved) && text[at-k+len(moved):] == string(rest[at-k:]) {
			return k
		}
	}
	return 0
}
