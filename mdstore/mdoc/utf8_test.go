package mdoc

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestValidUTF8 compares with the standard library: every sequence of up to three bytes that begin where ASCII ends, in the middle of others,
// and texts drawn from pieces of all lengths.
func TestValidUTF8(t *testing.T) {
	b := []byte("登录 plain 登录接口，")
	n := 0
	check := func() {
		if got, want := validUTF8(b), utf8.Valid(b); got != want {
			t.Fatalf("validUTF8(%q) = %t", b, got)
		} else if want {
			n++
		}
	}
	for _, at := range []int{0, 3, 7, len(b) - 3} {
		was := [3]byte(b[at:])
		for first := 0x70; first < 0x100; first++ {
			for second := 0x70; second < 0x100; second++ {
				for _, third := range []byte{0, 'a', 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xff} {
					b[at], b[at+1], b[at+2] = byte(first), byte(second), third
					check()
				}
			}
		}
		copy(b[at:], was[:])
	}
	rapid.Check(t, func(r *rapid.T) {
		b = nil
		for range rapid.IntRange(0, 12).Draw(r, "pieces") {
			b = append(b, rapid.SampledFrom([]string{"a", "abcdefgh", "é", "登", "，", "\u0800", "\ud7ff", "\ue000", "\U0001f600", "\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\x80", "\xe7\x99", "plain words and more of them, so that there are many"}).Draw(r, "piece")...)
		}
		check()
	})
	if n == 0 {
		t.Error("nothing was valid")
	}
}
