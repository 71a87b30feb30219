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

// Whatever is appended is read back, byte for byte and in order, between all that people have added; no other byte
// changes.
func TestTranscriptLaw(t *testing.T) {
	appended, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := []byte("---\nprovider: null\nmine: yes # kept\n---\n")
		if rapid.Bool().Draw(t, "crlf") {
			src = bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
		}
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "who") == 0 {
				src = append(src, rapid.SampledFrom([]string{"\na person's remark\n", "\n## Mine\n\ntext", "\n# Part two\n", "\n## User\n\nby hand", "\n\n\n", "\n- a\n- b", "\n```verbatim\nby hand\n"}).Draw(t, "added")...)
			}
			d, wrong := mdoc.Parse("t", src, nil)
			if len(wrong) > 0 {
				return
			}
			before := mdstore.Messages(d)
			m := mdstore.Message{Role: rapid.SampledFrom(mdstore.MessageRoles()).Draw(t, "role"), Text: markdown().Draw(t, "text")}
			after, err := mdstore.AppendMessages(d, m)
			if err != nil {
				refused++
				if _, wrong := mdoc.Parse("t", []byte("---\n---\n\n"+mdstore.Fenced(m.Text)+"\n"), nil); len(wrong) == 0 && !strings.Contains(string(src), "by hand\n") {
					t.Fatalf("%q is refused at the end of %q: %v", m.Text, src, err)
				}
				continue
			}
			appended++
			now, _ := mdoc.Parse("t", after, nil)
			if !bytes.HasPrefix(after, src) || !slices.Equal(mdstore.Messages(now), append(before, m)) {
				t.Fatalf("after %q in %q: %q", m, src, mdstore.Messages(now))
			}
			src = after
		}
	})
	if appended == 0 {
		t.Error("nothing was appended")
	}
	t.Logf("appended %d, refused %d", appended, refused)
}
