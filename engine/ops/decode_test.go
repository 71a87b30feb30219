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

// A whole number may be written as a float; other numbers are refused.
func TestWholeNumbersMayBeWrittenAsFloats(t *testing.T) {
	for raw, want := range map[string]string{
		"500": "500", "500.0": "500", "5e2": "500", "-1.0": "-1", "5E+2": "500", "0.5": "", "1e400": "", "1e20": "", `"5.0"`: "", "true": "",
	} {
		if got, ok := wholeNumber([]byte(raw)); string(got) != want || ok != (want != "") {
			t.Errorf("%s is %s, %v; want %q", raw, got, ok, want)
		}
	}
}
