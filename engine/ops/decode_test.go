package ops

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// flawOf finds what encoding/json would hide: it decodes bytes that are no text as U+FFFD.
func TestFlawsAreWhatDecodingWouldHide(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", `\\`, `\"`, `\n`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\uD83D\uDE00`, `\ud83d\u0041`, `\\ud83d`, `\u0000`, `\\u0000`, "节", "\xff", "😀", "\xf0\x9f", `\/`, `\ufffe`})
	rapid.Check(t, func(t *rapid.T) {
		raw := `"`
		for _, p := range rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces") {
			raw += p
		}
		raw += `"`
		var text string
		if err := json.Unmarshal([]byte(raw), &text); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		want := false
		for i := 0; i < len(text); {
			r, w := utf8.DecodeRuneInString(text[i:])
			want = want || r == utf8.RuneError || r == 0
			i += w
		}
		if got := flawOf([]byte(raw)); (got != "") != want {
			t.Errorf("%s decodes as %q, and its flaw is %q", raw, text, got)
		}
	})
}
