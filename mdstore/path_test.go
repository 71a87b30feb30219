package mdstore

import "testing"

func TestPathIsValidAsDocumented(t *testing.T) {
	for p, want := range map[Path]bool{
		"a": true, "a/b": true, "é/节点": true, "a b/..c": true, ".local/x": true,
		"": false, ".": false, "..": false, "/a": false, "a/": false, "a//b": false, "a/./b": false, "../a": false,
		"a\\b": false, "a\n": false, "\x00": false, "\x7f": false, "\xff": false, "é\xe2\x80": false,
	} {
		if p.Valid() != want {
			t.Errorf("Path(%q).Valid() is %v, want %v", p, !want, want)
		}
	}
}
