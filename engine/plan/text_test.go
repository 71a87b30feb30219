package plan

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/errs"
)

// A title holds no character that does not show, but for the joiners that scripts and emoji need; the error names it.
func TestTitlesHoldNothingHidden(t *testing.T) {
	for _, s := range []string{"Sign in", "می\u200cخواهم", "क्\u200dष", "👩\u200d💻 pairs", "❤️\u200d🔥", "🏳️\u200d🌈", "🙂\u200d↔️", "中文", "e\u0301", "Ünïcode", "\u06001"} {
		if err := title(errs.InvalidTitle, "title", s); err != nil {
			t.Errorf("%q (%+q): %v", s, s, err)
		}
	}
	for _, r := range []rune{0x200b, 0xfeff, 0x2060, 0x202a, 0x202e, 0x2066, 0x2069, 0x200e, 0x200f, 0x061c, 0xad, 0xe0041} {
		for _, s := range []string{"a" + string(r) + "b", string(r) + "a", "a" + string(r)} {
			err := errs.As(title(errs.InvalidName, "name", s))
			if err == nil || err.Code != errs.InvalidName || !strings.Contains(err.Message, fmt.Sprintf("%U", r)) {
				t.Errorf("%+q: %v", s, err)
			}
		}
	}
	for _, s := range []string{"\u200da", "a\u200d", "a \u200cb", "a\u200c\u200db", "\u200c"} { // joiners that join nothing
		if title(errs.InvalidTitle, "title", s) == nil {
			t.Errorf("%+q is a title", s)
		}
	}
}
