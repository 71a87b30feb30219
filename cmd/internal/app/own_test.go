package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
	"arbor/engine/enginetest"
)

// Front matter and text as people and their programs write them. Each * is a word of its own.
var (
	ownKeys = []string{
		"aliases: [*, \"*: *\"]",
		"cssclasses:\n  - *\n  - *",
		"sprint: *",
		"\"my key\": *",
		"键: \"*，*\"",
		"reviewer: \"@*\"",
		"summary: |\n  *\n\n  two * lines",
		"folded: >-\n  *\n  *",
		"team:\n  server: *\n  web: [*, *]",
		"related: [[*]]",
		"up: \"[[*|*]]\"",
		"cover: '![[*.png]]'",
		"created: 2026-01-02 # *",
		"publish: false\nslug: *",
		"estimate: 3.50\nunit: *",
		"flow: {a: *, b: [*]}",
		"empty:\nnext: *",
		"links:\n- https://example.org/*\n- *",
		"cmd: \"a \\\"*\\\" b\"",
		"emoji: 🚀 *",
	}
	ownTexts = []string{
		"> [!warning]- *\n> folded * callout\n> > [!tip] *",
		"Status:: *\n[due:: *] (who:: *)",
		"- *\n  - * nested\n    1. *\n- [ ] * #tag\n- [x] *",
		"| * | b |\n|---|:-:|\n| * | `*` |",
		"```dataview\nTABLE *\nFROM #*\n## * no heading\n```",
		"~~~\n<!-- * -->\n~~~",
		"<!-- a comment * -->",
		"<details><summary>*</summary>\n\n* inside\n\n</details>",
		"%% hidden * %%",
		"**\\*** _*_ ~~*~~ ==*== `*`",
		"[[* note|*]] and ![[*.pdf]] ^block-*",
		"### *\n\nbelow *\n\n#### *",
		"Text[^1] *\n\n[^1]: footnote *",
		"中文段落，* 和「*」。",
		"    indented * code",
		"$$\n* = \\frac{a}{b}\n$$",
		"1) *\n2) *",
		"Term *\n: meaning *",
		"- [ ] * 📅 2026-12-01 ⏫ #task\n- [/] *",
		"*<br>* <kbd>*</kbd> &amp; <*>",
		"---\n\nafter a rule *",
		"\u202bעברית * عربي\u202c",
		"![*](https://example.org/x.png) https://example.org/*",
	}
	ownNames = []string{
		"Ideas *",
		"Risks #open *",
		"日志草稿 *",
		"**Bold** *",
		"Open questions: *",
		"2026-11-27 * 📝",
		"`code` *",
		"Acceptance *",
		"Notes to self *",
	}
)

// People's keys and texts in 500 nodes appear in show, node_get, contexts, the page as it is exported, or are named
// as left out.
func TestWhatPeopleWriteInNodesIsSeen(t *testing.T) {
	const nodes = 500
	r := rand.New(rand.NewPCG(1, 2))
	words, names := map[string][]string{}, map[string][]string{} // of each node; the names of its own keys and sections
	fill := func(id, text string, into map[string][]string) string {
		return regexp.MustCompile(`\*{1,2}\\?\*{0,3}|\*`).ReplaceAllStringFunc(text, func(mark string) string {
			if mark != "*" {
				return mark
			}
			word := fmt.Sprintf("zq%dx", r.IntN(1<<40))
			words[id] = append(words[id], word)
			if into != nil {
				into[id] = append(into[id], word)
			}
			return word
		})
	}
	dir := lay(t, nil)
	arbor := func(args ...string) string {
		var out, said bytes.Buffer
		code := run(
			t.Context(),
			cli.System{Args: args, Stdout: &out, Stderr: &said, Dir: dir, Getenv: func(string) string { return "" }},
		)
		if code != 0 {
			t.Fatalf("%q: %d %s", args, code, said.String())
		}
		return out.String()
	}
	ws := strings.TrimSpace(arbor("init", "Notes", "--goal", "Keep them", "-q"))
	for i := range nodes {
		id := fmt.Sprintf("n%d", i)
		var b strings.Builder
		fmt.Fprintf(&b, "---\nid: %s\ntitle: Node %d\ntype: execution\nstatus: pending\nparentId: root\n", id, i)
		for _, k := range r.Perm(len(ownKeys))[:1+r.IntN(5)] {
			key := fill(id, strings.Split(ownKeys[k], " # ")[0], nil)
			b.WriteString(key + "\n")
		}
		b.WriteString("---\n\n")
		text := func() string { return fill(id, ownTexts[r.IntN(len(ownTexts))], nil) + "\n\n" }
		if i%3 == 0 {
			b.WriteString(text())
		}
		if i%7 == 0 {
			b.WriteString("# " + fill(id, "Title *", nil) + "\n\n" + text())
		}
		b.WriteString("## Requirement\n\nDo it.\n\n")
		for n := range 1 + r.IntN(4) {
			b.WriteString("## " + fill(id, ownNames[(i+n)%len(ownNames)], names) + "\n\n" + text())
			if n == 1 {
				b.WriteString("## 备注\n\nn\n\n### Sub\n\n" + text())
			}
		}
		data := b.String()
		if i%5 == 0 {
			data = strings.ReplaceAll(data, "\n", "\r\n")
		}
		path := filepath.Join(dir, ".tanmi-workspace", ws, "nodes", id, "Node.md")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	arbor("export", "html", "out", "-q")
	wants := func(id, where, text string, all []string) {
		for _, word := range all {
			if !strings.Contains(text, word) {
				file, _ := os.ReadFile(filepath.Join(dir, ".tanmi-workspace", ws, "nodes", id, "Node.md"))
				t.Fatalf("%s of %s lacks %s\n%s\n\n%s", where, id, word, file, text)
			}
		}
	}
	for i := range nodes {
		id := fmt.Sprintf("n%d", i)
		page, err := os.ReadFile(filepath.Join(dir, "out", "node-"+id+".html"))
		if err != nil {
			t.Fatal(err)
		}
		wants(id, "the page", html.UnescapeString(string(page)), words[id])
		if i%11 > 0 && !enginetest.Heavy { // of each kind of node some; all of them in .ci/heavy
			continue
		}
		wants(id, "show", arbor("show", id), words[id])
		var got struct {
			Node struct {
				Fields   map[string]any
				Note     string
				Sections []struct{ Name, Text string }
			}
		}
		if err := json.Unmarshal([]byte(arbor("show", id, "--json")), &got); err != nil {
			t.Fatal(err)
		}
		told := fmt.Sprint(got.Node.Fields, got.Node.Note)
		for _, s := range got.Node.Sections {
			told += s.Name + "\n" + s.Text + "\n"
		}
		wants(id, "node_get", told, words[id])
		wants(id, "the context", arbor("context", id), words[id])
		wants(id, "a small context", arbor("context", id, "--budget", "200"), names[id])
	}
}
