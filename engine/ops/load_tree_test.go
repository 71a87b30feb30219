package ops

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
)

func entries(names ...string) (all []mdstore.TreeEntry) {
	for _, n := range names {
		path, folder := strings.CutSuffix(n, "/")
		all = append(all, mdstore.TreeEntry{Path: path, Folder: folder})
	}
	return all
}

func TestOutlineOfFolders(t *testing.T) {
	all := entries("j/a/", "j/b/", "j/c.md", "j/a/1", "j/a/2", "j/b/d/", "j/b/d/3", "j/b/d/4")
	for most, want := range map[int]string{
		9: "j/ j/a/ j/a/1 j/a/2 j/b/ j/b/d/ j/b/d/3 j/b/d/4 j/c.md",
		6: "j/ j/a/ j/a/1 j/a/2 j/b/ j/b/d/ (2 files) j/c.md",
		4: "j/ j/a/ (2 files) j/b/ j/b/d/ (2 files) j/c.md",
		3: "j/ j/a/ (2 files) j/b/ (2 files) j/c.md",
		2: "j/ j/a/ (2 files) j/b/ (2 files) j/ (1 more)",
	} {
		lines, folders := outlined(all, "j", most)
		if got := strings.Join(lines, " "); got != want || folders[0] != "j/" || folders[1] != "j/a/" {
			t.Errorf("%d lines: %s %v\nwant %s", most, got, folders, want)
		}
	}
}

// Every file is shown, or counted with the first folder above it that does not show what it holds.
func TestOutlineCountsEveryFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]bool{}
		for _, way := range rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 4), 0, 30).Draw(t, "files") {
			files[strings.Join(way, "/")+".md"] = true
		}
		met := map[string]bool{}
		for f := range files {
			for i, r := range f {
				if r == '/' {
					met[f[:i+1]] = true
				}
			}
			met[f] = true
		}
		var names []string
		for n := range met {
			names = append(names, n)
		}
		slices.SortFunc(names, func(a, b string) int {
			depth := func(s string) int { return strings.Count(strings.TrimSuffix(s, "/"), "/") }
			if d := depth(a) - depth(b); d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		most := rapid.IntRange(0, 40).Draw(t, "most")
		lines, _ := outlined(entries(names...), ".", most)
		if len(lines) > most+2 { // the top folder, and how many of its entries do not fit
			t.Fatalf("%d lines of %d", len(lines), most)
		}
		counted, whole := 0, true
		for _, l := range lines {
			n := 0
			switch {
			case strings.HasSuffix(l, ".md"):
				counted++
			case strings.HasSuffix(l, " more)"):
				whole = false
			case strings.HasSuffix(l, " files)"):
				_, err := fmt.Sscanf(l[strings.Index(l, "("):], "(%d files)", &n)
				if counted += n; err != nil {
					t.Fatal(l, err)
				}
			}
		}
		if whole && counted != len(files) {
			t.Fatalf("%d of %d files are shown or counted in %q", counted, len(files), lines)
		}
	})
}
