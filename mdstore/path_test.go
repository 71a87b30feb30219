package mdstore

import "testing"

func TestPathIsValidAsDocumented(t *testing.T) {
	for p, want := range map[Path]bool{
		"a": true, "a/b": true, "é/节点": true, "a b/..c": true, ".local/x": true,
		".gitignore": true, ".github/x": true, "a.git/x": true, "git/x": true, "ws/.local/x": true, ".git.md": true, "a~b": true,
		"": false, ".": false, "..": false, "/a": false, "a/": false, "a//b": false, "a/./b": false, "../a": false,
		"a\\b": false, "a\n": false, "\x00": false, "\x7f": false, "\xff": false, "é\xe2\x80": false,
		".git": false, ".git/config": false, "ws/.git/hooks/x": false, ".GIT/config": false, ".git./config": false, ".git /x": false,
		".git::$INDEX_ALLOCATION/config": false, "GIT~1/config": false, ".g\u200cit/config": false,
		".LOCAL/people.json": false, ".Local": false, ".local./token": false, ".lo\u200dcal/x": false,
	} {
		if p.Valid() != want {
			t.Errorf("Path(%q).Valid() is %v, want %v", p, !want, want)
		}
	}
}
