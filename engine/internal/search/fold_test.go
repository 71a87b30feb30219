package search

import "testing"

// A text compares equal in every form: composed, decomposed, and with letters of half width.
func TestOneFormOfEachText(t *testing.T) {
	for composed, decomposed := range map[string]string{
		"프로젝트 계획": "\u1111\u1173\u1105\u1169\u110c\u1166\u11a8\u1110\u1173 \u1100\u1168\u1112\u116c\u11a8",
		"값이 없다":   "\u1100\u1161\u11b9\u110b\u1175 \u110b\u1165\u11b9\u1103\u1161",
		"café":    "cafe\u0301",
		"がぎ パピ":   "\u304b\u3099\u304d\u3099 \u30cf\u309a\u30d2\u309a",
	} {
		if a, b := Fold(nil, []byte(composed)), Fold(nil, []byte(decomposed)); string(a) != string(b) {
			t.Errorf("%s: %q and %q", composed, a, b)
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
