package search

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A text compares equal in every form: composed, decomposed, and with letters of half width.
func TestOneFormOfEachText(t *testing.T) {
	for _, text := range []string{"프로젝트 계획", "값이 없다", "café", "がぎ パピ", "ｶﾞｷﾞ ﾊﾟﾋﾟ"} {
		nfc, nfd := Fold(nil, []byte(norm.NFC.String(text))), Fold(nil, []byte(norm.NFD.String(text)))
		if string(nfc) != string(nfd) {
			t.Errorf("%s: %q and %q", text, nfc, nfd)
		}
	}
	for half, full := range map[string]string{"ｶﾞｷﾞ": "ガギ", "ﾊﾟﾋﾟ": "パピ", "ｱｲｳｰ": "アイウー", "｢ｱ｣": "「ア」"} {
		if a, b := Fold(nil, []byte(half)), Fold(nil, []byte(full)); string(a) != string(b) {
			t.Errorf("%s: %q and %q", half, a, b)
		}
	}
	for _, text := range []string{"ᄀ a", "aᅡ", "각ᆨ"} {
		if folded, from := foldMap(text); len(folded) != len(from) {
			t.Errorf("%q: %d bytes, %d places", text, len(folded), len(from))
		}
	}
}
