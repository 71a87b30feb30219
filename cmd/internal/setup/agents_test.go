package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/errs"
)

// What every session reads is short: some 320 tokens.
func TestThePrimerIsShort(t *testing.T) {
	if len(primer) > 1200 {
		t.Errorf("prime.md has %d bytes, more than 1200", len(primer))
	}
}

// Undo gives back every text, whatever its line ends, and a second set-up changes nothing.
func TestUndoGivesBackAFileWithASection(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "nl")
		line := rapid.SampledFrom([]string{"", "# Rules", "- x", "`<!-- arbor:end -->`", "中文", " "})
		text := strings.Join(rapid.SliceOfN(line, 0, 6).Draw(rt, "lines"), nl)
		set, err := putSection(text, false, false)
		if err != nil {
			rt.Fatal(err)
		}
		if again, err := putSection(set, false, false); err != nil || again != set {
			rt.Fatalf("set up twice, %q is %q, %v", set, again, err)
		}
		if got, err := putSection(set, true, false); err != nil || got != text {
			rt.Fatalf("undone\n got %q, %v\nwant %q", got, err, text)
		}
		more := set + nl + "More" + nl
		if got, err := putSection(more, true, false); err != nil || !strings.HasSuffix(got, nl+"More"+nl) || strings.Contains(got, primer) {
			rt.Fatalf("undone with a text behind it: %q, %v", got, err)
		}
	})
}

// A new version of the section replaces an unedited older one in place.
func TestAnOlderSectionIsReplaced(t *testing.T) {
	body := "## Plan\n\nUse arbor 0.1.\n"
	older := strings.ReplaceAll(beginMark, "%s", digest(body)) + "\n" + body + endMark
	for _, nl := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll("# A\n\n"+older+"\n\n# B\n", "\n", nl)
		want := strings.ReplaceAll("# A\n\n"+section("\n")+"\n\n# B\n", "\n", nl)
		if got, err := putSection(text, false, false); err != nil || got != want {
			t.Errorf("%q\n got %q, %v\nwant %q", text, got, err, want)
		}
	}
}

// What a person has written between the marks is reported, and is lost only with force.
func TestAnEditedSectionIsReported(t *testing.T) {
	set := "# A\n\n" + section("\n") + "\n"
	edited := strings.Replace(set, "ARBOR_OPERATOR=AI", "ARBOR_OPERATOR=Me", 1)
	second := strings.Replace(set, "<!-- arbor:end -->\n", "", 1)
	for _, remove := range []bool{false, true} {
		if _, err := putSection(edited, remove, false); err == nil || !strings.Contains(err.Error(), ":3: Arbor's section was edited") {
			t.Errorf("remove %v, edited: %v", remove, err)
		}
		for _, damaged := range []string{second, set + set} {
			if _, err := putSection(damaged, remove, true); err == nil || !strings.Contains(err.Error(), ":3: the marks") {
				t.Errorf("remove %v, damaged: %v", remove, err)
			}
		}
	}
	if got, err := putSection(edited, false, true); err != nil || got != set {
		t.Errorf("forced: %q, %v", got, err)
	}
	if got, err := putSection(edited, true, true); err != nil || got != "# A\n" {
		t.Errorf("removed by force: %q, %v", got, err)
	}
}

// The section goes into the files that there are, but not where another one of them is read already.
func TestAgentsFiles(t *testing.T) {
	for name, tt := range map[string]struct{ files, want string }{
		"none":                 {"", "AGENTS.md"},
		"all":                  {"AGENTS.md CLAUDE.md GEMINI.md", "AGENTS.md CLAUDE.md GEMINI.md"},
		"no AGENTS.md":         {"CLAUDE.md", "CLAUDE.md"},
		"a link":               {"AGENTS.md GEMINI.md@", "AGENTS.md"},
		"a file that imports":  {"AGENTS.md CLAUDE.md+", "AGENTS.md"},
		"an import of nothing": {"CLAUDE.md+", "CLAUDE.md"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			before := map[string]string{}
			for file := range strings.FieldsSeq(tt.files) {
				file, imports := strings.CutSuffix(file, "+")
				file, link := strings.CutSuffix(file, "@")
				path := filepath.Join(g.project, file)
				before[file] = "# Mine"
				if imports {
					before[file] = "# Mine\n@AGENTS.md\n"
				}
				if link {
					before[file] = "# Mine"
					if err := os.Symlink("AGENTS.md", path); err != nil {
						t.Skip("no symbolic links here: ", err)
					}
					continue
				}
				g.write(path, before[file], 0o644)
			}
			opt := g.options(Agents, "")
			opt.Args = nil
			var got []string
			for _, f := range g.run(opt).Files {
				got = append(got, filepath.Base(f.Path))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q are set up, want %q", got, tt.want)
			}
			opt.Remove = true
			g.run(opt)
			for file, text := range before {
				if got := g.read(filepath.Join(g.project, file)); got != text {
					t.Errorf("undone, %s is %q", file, got)
				}
			}
			if _, err := os.Stat(filepath.Join(g.project, "AGENTS.md")); before["AGENTS.md"] == "" && err == nil {
				t.Errorf("undone, AGENTS.md is there")
			}
		})
	}
	g := newGround(t)
	opt := g.options(Agents, "")
	opt.Args = []string{"--profile", "worker"}
	if got := g.refused(opt, errs.InvalidParams); !strings.Contains(got, "--profile") {
		t.Error(got)
	}
}
