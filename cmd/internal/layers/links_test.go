package layers

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksLeadToFilesAndHeadings reads the pages of the project: what they link to in the project exists, with the
// heading that is named, and every page below docs is linked from another one.
func TestLinksLeadToFilesAndHeadings(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	pages := projectPages(t, os.DirFS(root))
	linked := map[string]bool{}
	for name, text := range pages {
		for _, to := range linksOf(text) {
			file, heading, _ := strings.Cut(to, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
				linked[target] = linked[target] || target != name
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: the link %s leads to no file", name, to)
			} else if heading != "" && !headings(pages[target])[heading] {
				t.Errorf("%s: the link %s leads to no heading of %s", name, to, target)
			}
		}
	}
	for name := range pages {
		folder := path.Dir(name)
		if strings.HasPrefix(name, "docs/") && !linked[name] && !linked[folder] {
			t.Errorf("no page links to %s", name)
		}
	}
}

// projectPages returns the Markdown files of the top level and of docs by their paths.
func projectPages(t *testing.T, root fs.FS) map[string]string {
	t.Helper()
	names, err := fs.Glob(root, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(root, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir // the plan of the pictures; what benchmarks install
		}
		if strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	if len(pages) < 10 {
		t.Fatalf("found %d pages only", len(pages))
	}
	return pages
}

var (
	fencedBlock = regexp.MustCompile("(?ms)^(```+|~~~+)[^\n]*\n.*?^(```+|~~~+) *$")
	codeSpan    = regexp.MustCompile("`[^`\n]+`")
	markedLink  = regexp.MustCompile(`\]\(([^()\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	headingLine = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	notInSlugs  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// linksOf returns where a page links to in the project.
func linksOf(text string) (to []string) {
	text = codeSpan.ReplaceAllString(fencedBlock.ReplaceAllString(text, ""), "")
	for _, m := range markedLink.FindAllStringSubmatch(text, -1) {
		if link := m[1] + m[2]; !strings.Contains(link, "://") && !strings.HasPrefix(link, "mailto:") {
			to = append(to, link)
		}
	}
	return to
}

// headings returns the anchors of a page's headings, as hosts of git repositories make them.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range headingLine.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		plain := notInSlugs.ReplaceAllString(strings.ToLower(m[1]), "")
		anchors[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return anchors
}

func TestLinksAndHeadingsOfAPage(t *testing.T) {
	const page = "# The format: *files*\n[a](b.md#c) `[no](no.md)` ![p](p.svg)\n```\n# no\n[no](no.md)\n```\n<img src=\"q.svg\">\n[w](https://x.example)\n"
	if got := strings.Join(linksOf(page), " "); got != "b.md#c p.svg q.svg" {
		t.Errorf("links of\n%s\n got %q", page, got)
	}
	if got := headings(page); len(got) != 1 || !got["the-format-files"] {
		t.Errorf("headings of\n%s\n got %v", page, got)
	}
}
