package mdstore

import (
	"io/fs"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPathIsValidAsDocumented(t *testing.T) {
	documented := func(p string) bool {
		return fs.ValidPath(p) && p != "." && !strings.ContainsFunc(p, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' })
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"/", ".", "..", "a", "é", "\xff", "\x00", "\x7f", "\\", "\n", "Node.md", "\xe2\x80"}), 0, 6).Draw(t, "parts")
		if p := strings.Join(parts, ""); Path(p).Valid() != documented(p) {
			t.Errorf("Path(%q).Valid() is %v, want %v", p, Path(p).Valid(), documented(p))
		}
	})
}
