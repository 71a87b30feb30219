package check

import "testing"

func TestDocPath(t *testing.T) {
	for target, want := range map[string]string{ // "": no document of the project
		"docs/a.md": "docs/a.md", "plan.md": "plan.md", "docs/plan": "docs/plan", "./a": "./a", "docs/a.md#goals": "docs/a.md",
		"docs/a.md:12": "docs/a.md", "docs/a.md:12:5": "docs/a.md", "src/a.go:3-9": "src/a.go", "`docs/a.md`": "docs/a.md",
		"`docs/a.md:12`": "docs/a.md", "文档/计划.md": "文档/计划.md", "docs/my plan.md": "docs/my plan.md", "notes.org": "notes.org",
		"": "", "#goals": "", "ISSUE-12": "", "node-gyp": "", "node-v20": "", "v1.2": "", "read the manual": "", "~/x.md": "",
		"mailto:a@b.c": "", "https://example.org/a.md": "", "file:///a.md": "", `C:\a.md`: "", "www.example.org": "",
		"www.example.org/a.md": "", "github.com/a/b": "", "example.org/a": "",
	} {
		if got, ok := docPath(target); ok != (want != "") || ok && got != want {
			t.Errorf("docPath(%q) = %q, %v, want %q", target, got, ok, want)
		}
	}
}
