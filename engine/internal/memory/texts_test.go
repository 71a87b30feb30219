package memory_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// texts generates texts that look like parts of slots, exports and compressed contents, and any other text.
func texts() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"## entry-lr3k2a00-x81bq0 · manual_save · 2024-01-01T12:00:00Z", "### Entry 1 - Manual Save", "# Memory Slot: x", "---",
			"id: x", "```", "````verbatim", "<!-- summary: 5000 → 750 characters -->", "<!--", "-->", "\r", "\u202e", "\u2066", "\ufeff",
			"{\"slot_name\":\"x\",\"entries\":[]}", "H4sI", "H4sIAAAAAAAAA0tMSk4BAMJBJDUGAAAA", "</script>", "&amp;", "\\u0000", "数据库", "한국어",
			"🏳️‍🌈", "e\u0301", "\u2028", "\v", "- item", "1. one", "Sentence one. Sentence two!", "",
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for _, p := range rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces") {
			s += p + rapid.SampledFrom([]string{"\n", "\n\n", "", " ", "\r\n"}).Draw(t, "between")
		}
		return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
	})
}

// commonMark returns the examples of the CommonMark specification, which the Markdown parser's module has.
func commonMark(t *testing.T) (all []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Skipf("skipped the examples of CommonMark: %v", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Skipf("skipped the examples of CommonMark: %v", err)
	}
	var examples []struct{ Markdown string }
	if err := json.Unmarshal(b, &examples); err != nil || len(examples) != 652 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	for _, e := range examples {
		all = append(all, e.Markdown)
	}
	return all
}
