package merge_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

const (
	expiredMark = "(expired)"

	aNode      mdstore.Path = "ws/nodes/node-x/Node.md"
	aWorkspace mdstore.Path = "ws/Workspace.md"
)

// drawFile draws a sound file of one of both kinds, as programs and people write them.
func drawFile(t *rapid.T) (mdstore.Path, string) {
	p := rapid.SampledFrom([]mdstore.Path{aNode, aNode, aWorkspace}).Draw(t, "path")
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	front := []string{"id: node-x", "title: " + pick("title", "Sign-in", "'登录'", "Fix: the thing"), "type: execution",
		"status: " + pick("status", "pending", "implementing", "implementing  # soon done", "validating"),
		"parentId: root", "isolated: false"}
	text := []string{"one line", "one line\n\nanother\n\n### Below\n\nmore", "中文说明\n第二行", "- a list\n- of two",
		"```\n## Log\n- code\n```", ""}
	items := func(of ...string) string {
		return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, 3, rapid.ID[string]).Draw(t, "items"), "\n")
	}
	log := items("- [2026-01-01 10:00:00] [AI] created", "- [2026-01-01 10:00:01] [Human] asked\n  twice",
		"a paragraph", "* a line")
	refs := items("- docs/a.md: what it is", "- node-y: why", "- [[docs/b.md|old]] (expired)")
	sections := [][2]string{{"Requirement", pick("requirement", text...)}, {"Daily notes", pick("daily", text...)},
		{"Note", pick("note", text...)}, {"References", refs}, {"Log", log}, {"Conclusion", pick("conclusion", text...)}}
	chinese := map[string]string{"Requirement": "需求", "Note": "备注", "References": "引用", "Log": "日志",
		"Conclusion": "结论", "Rules": "规则", "Docs": "文档"}
	if p == aWorkspace {
		rules := items("- No new dependencies", "- Tests first", "- 双语", "no rule")
		w := mdstore.ParseWorkspace(mdstore.File{Path: p, Data: []byte("---\n---\n\n## Rules\n\n" + rules)})
		front = []string{"id: ws", "name: Login", "goal: sign in", "status: active",
			"rulesHash: \"" + w.RulesHash() + "\"", "focusedNodeId: null"}
		sections = [][2]string{{"Rules", rules}, {"Docs", refs}, {"会议", pick("daily", text...)}, {"Log", log},
			{"Problem", pick("problem", text...)}}
	}
	front = append(front, "createdAt: 1767225600000", "updatedAt: 1767225600000", pick("own key", "tags: [a, b]",
		"# a comment", "due: 2026-03-31"))
	out := "---\n" + strings.Join(front, "\n") + "\n---\n" + pick("above", "", "\n", "\n# Title\n\nabove all\n")
	other := rapid.Bool().Draw(t, "Chinese")
	for _, s := range sections {
		name := s[0]
		if c, ok := chinese[name]; ok && other {
			name = c
		}
		if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
			out += "\n## " + name + "\n" + strings.Repeat("\n"+s[1]+"\n", min(len(s[1]), 1))
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "chopped") == 0 {
		out = strings.TrimRight(out, "\n")
	}
	if rapid.IntRange(0, 4).Draw(t, "CRLF") == 0 {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return p, out
}

// An operation is made of edits, as the plans of the engine make them: all of a commit in one go.
type operation func(d *mdoc.Doc) []func() (mdoc.Patch, error)

// drawOperation draws what Arbor does, and the log line that it writes; "" if it writes none.
func drawOperation(t *rapid.T, p mdstore.Path, n int) (op operation, what, line string) {
	at := int64(1767225600001 + n)
	line = mdstore.FormatLog(fmt.Sprintf("2026-01-01 11:00:%02d", n), mdstore.OperatorAI, fmt.Sprintf("operation %d", n))
	field := func(d *mdoc.Doc, key string, v mdoc.Scalar) func() (mdoc.Patch, error) {
		return func() (mdoc.Patch, error) { return d.SetField(key, v) }
	}
	text := func(d *mdoc.Doc, section, body string) func() (mdoc.Patch, error) {
		return func() (mdoc.Patch, error) { return d.SetSection(section, body) }
	}
	item := func(d *mdoc.Doc, section, item string) func() (mdoc.Patch, error) {
		return func() (mdoc.Patch, error) { return d.AppendItem(section, item) }
	}
	node := []string{"transition", "log", "complete", "note", "title", "refs", "expire", "problem", "isolate"}
	if p == aWorkspace {
		node = []string{"log", "rules", "remove rule", "docs", "problem", "focus", "name"}
	}
	what = rapid.SampledFrom(node).Draw(t, "operation")
	refs := mdstore.SecReferences
	if p == aWorkspace {
		refs = mdstore.SecDocs
	}
	logs := slices.Contains([]string{"transition", "log", "complete"}, what)
	op = func(d *mdoc.Doc) (out []func() (mdoc.Patch, error)) {
		out = append(out, field(d, mdstore.KeyUpdated, mdoc.Integer(at)))
		if logs {
			out = append(out, item(d, mdstore.SecLog, line))
		}
		switch what {
		case "transition":
			out = append(out, field(d, mdstore.KeyStatus, mdoc.Text("validating")))
		case "complete":
			out = append(out, field(d, mdstore.KeyStatus, mdoc.Text("completed")), text(d, mdstore.SecConclusion,
				fmt.Sprintf("done %d\n\n~~~\ncode", n)), text(d, mdstore.SecProblem, ""))
		case "note":
			out = append(out, text(d, mdstore.SecNote, fmt.Sprintf("a new note %d", n)))
		case "title":
			out = append(out, field(d, mdstore.KeyTitle, mdoc.Text(fmt.Sprintf("Another: title %d", n))))
		case "refs", "docs":
			out = append(out, item(d, refs, fmt.Sprintf("docs/new%d.md: new", n)))
		case "expire":
			for i, it := range d.Items(refs) {
				if it.Listed && !strings.Contains(it.Text, expiredMark) {
					out = append(out, func() (mdoc.Patch, error) { return d.ReplaceItem(refs, i, mdstore.Marked(it.Text, true)) })
					break
				}
			}
		case "problem":
			out = append(out, text(d, mdstore.SecProblem, fmt.Sprintf("a problem %d\n\n### Next Step\n\nask", n)))
		case "isolate":
			out = append(out, field(d, "isolated", mdoc.Boolean(true)))
		case "focus":
			out = append(out, field(d, mdstore.KeyFocus, mdoc.Text("node-x")))
		case "name":
			out = append(out, field(d, mdstore.KeyName, mdoc.Text(fmt.Sprintf("name %d", n))))
		case "rules", "remove rule":
			rules := (&mdstore.Workspace{Doc: d}).Rules()
			if what == "rules" {
				rule := fmt.Sprintf("rule %d", n)
				out = append(out, item(d, mdstore.SecRules, rule))
				rules = append(rules, rule)
			} else if len(rules) > 0 {
				i := slices.IndexFunc(d.Items(mdstore.SecRules), func(it mdoc.Item) bool { return it.Listed && it.Text == rules[0] })
				out = append(out, func() (mdoc.Patch, error) { return d.RemoveItem(mdstore.SecRules, i) })
				rules = rules[1:]
			}
			out = append(out, field(d, mdstore.KeyRulesHash, mdoc.Text(mdstore.RulesHash(rules))))
		}
		return out
	}
	if !logs {
		line = ""
	}
	return op, what, line
}

// operate makes an operation; ok is false where the document refuses it.
func operate(p mdstore.Path, data []byte, op operation) (out []byte, ok bool) {
	d, _ := mdoc.Parse(string(p), data, mdstore.AllKinds().Of(p).Form)
	var ps []mdoc.Patch
	for _, patch := range op(d) {
		x, err := patch()
		if err != nil {
			return nil, false
		}
		ps = append(ps, x)
	}
	after, err := d.Apply(ps...)
	if err != nil {
		return nil, false
	}
	return after.Bytes(), true
}

// drawSave draws what a person makes of a text: up to five lines are removed, changed, moved or added, seldom in the
// front matter.
func drawSave(t *rapid.T, base string) string {
	lines := slices.Collect(strings.Lines(base))
	added := []string{"- [2026-01-01 12:00:00] [Human] mine", "a line of mine", "", "### Mine",
		"## Conclusion\n\nmy own",
		"- mine/doc.md: mine", "## Log", "```", "---", "  - deeper", "- [2026-01-01 11:00:00] [AI] operation 0"}
	for range rapid.IntRange(0, 5).Draw(t, "edits") {
		front := slices.Index(lines[1:], "---\n") + 2
		at := rapid.IntRange(min(front, len(lines)-1), len(lines)-1).Draw(t, "at")
		if key := rapid.SampledFrom([]string{"", "", "status: failed\n", "status: completed\n", "title: mine\n",
			"updatedAt: 1767225600009\n",
			"isolated: true\n", "rulesHash: mine\n", "focusedNodeId: mine\n"}).Draw(t, "key"); key != "" {
			name, _, _ := strings.Cut(key, ":")
			if k := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+":") }); k >= 0 {
				lines[k] = key
				continue
			}
		}
		switch line := lines[at]; rapid.SampledFrom([]string{"remove", "change", "move", "add"}).Draw(t, "edit") {
		case "remove":
			lines = slices.Delete(lines, at, at+1)
		case "change":
			lines[at] = strings.TrimRight(line, "\r\n") + " by me\n"
		case "move":
			lines = slices.Delete(lines, at, at+1)
			to := rapid.IntRange(min(front, len(lines)), len(lines)).Draw(t, "to")
			lines = slices.Insert(lines, to, line)
		case "add":
			lines = slices.Insert(lines, at, rapid.SampledFrom(added).Draw(t, "added")+"\n")
		}
	}
	return strings.Join(lines, "")
}

// bag counts the lines of a text that are not blank, without their line ends.
func bag(text []byte) map[string]int {
	out := map[string]int{}
	for line := range bytes.Lines(text) {
		if l := strings.TrimRight(string(line), " \r\n"); l != "" {
			out[l]++
		}
	}
	return out
}

// keepsLines reports which line of theirs joined has less often, although ours did not remove it. Lines of front matter
// that ours has set may be written otherwise.
func keepsLines(p mdstore.Path, base, ours, theirs, joined []byte) (lost string, ok bool) {
	b, o, j := bag(base), bag(ours), bag(joined)
	d := doc(p, theirs)
	was, is := doc(p, base), doc(p, ours)
	set := map[string]bool{}
	for _, f := range is.Fields() {
		if old, _ := was.Field(f.Key); old.Scalar() != f.Scalar() {
			if mine, has := d.Field(f.Key); has {
				first, last := d.Lines(mine.Span) // a value may go on below its key
				for _, line := range strings.Split(string(theirs), "\n")[first-1 : last] {
					set[strings.TrimRight(line, " \r")] = true
				}
			}
		}
	}
	for line, n := range bag(theirs) {
		if j[line]+j[line+" "+expiredMark] < n-max(0, b[line]-o[line]) && !set[line] && line != "## Log" { // which stands in code as well
			return line, false
		}
	}
	return "", true
}

// brings reports which line that ours added to base joined has not. Keys and lists may be written otherwise there.
func brings(base, ours, joined []byte) (lacks string, ok bool) {
	texts := func(data []byte) map[string]int {
		out := map[string]int{}
		for line, n := range bag(data) {
			out[strings.TrimLeft(line, " -*")] += n
		}
		return out
	}
	b, j := texts(base), texts(joined)
	for line, n := range texts(ours) {
		if plain, expired := strings.CutSuffix(line, " "+expiredMark); expired && b[plain] > 0 {
			continue // whatever stands in the item by now
		}
		if key, _, _ := strings.Cut(line, ":"); n > b[line] && j[line] == 0 && b[line] == 0 && !strings.HasPrefix(line,
			"## ") &&
			!slices.Contains([]string{mdstore.KeyUpdated, mdstore.KeyRulesHash, mdstore.KeyStatus}, key) {
			return line, false
		}
	}
	return "", true
}

func doc(p mdstore.Path, data []byte) *mdoc.Doc {
	d, _ := mdoc.Parse(string(p), data, mdstore.AllKinds().Of(p).Form)
	return d
}

func show(base, ours, theirs, joined []byte, missing []string) string {
	return fmt.Sprintf("base\n%s\n=== ours\n%s\n=== theirs\n%s\n=== joined\n%s\n=== missing %q", base, ours, theirs,
		joined, missing)
}

// drawOurs draws what operations make of base, and their log lines.
func drawOurs(t *rapid.T, p mdstore.Path, base []byte) (ours []byte, log []string) {
	ours = base
	for n := range rapid.IntRange(1, 3).Draw(t, "operations") {
		op, _, line := drawOperation(t, p, n)
		if next, ok := operate(p, ours, op); ok {
			ours = next
			if line != "" {
				log = append(log, line)
			}
		}
	}
	return ours, log
}

func TestSaveLaws(t *testing.T) {
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p, text := drawFile(t)
		base := []byte(text)
		if err := doc(p, base).Editable(); err != nil {
			t.Fatalf("%v\n%s", err, base)
		}
		ours, log := drawOurs(t, p, base)
		alone := rapid.IntRange(0, 3).Draw(t, "another person") > 0
		if !alone { // another person saved before that, and ours has it
			if also := []byte(drawSave(t, string(ours))); doc(p, also).Editable() == nil && !bytes.Contains(also,
				[]byte("rulesHash: mine")) {
				ours, log = also, nil
			}
		}
		theirs := []byte(drawSave(t, text))

		if got, missing := merge.Save(p, base, base, theirs); !bytes.Equal(got, theirs) || missing != nil {
			t.Fatalf("ours is base: %s", show(base, base, theirs, got, missing))
		}
		if got, missing := merge.Save(p, base, ours, base); !bytes.Equal(got, ours) || missing != nil {
			t.Fatalf("theirs is base: %s", show(base, ours, base, got, missing))
		}
		if got, missing := merge.Save(p, base, ours, ours); alone && (!bytes.Equal(got, ours) || missing != nil) {
			t.Fatalf("theirs is ours: %s", show(base, ours, ours, got, missing))
		}
		joined, missing := merge.Save(p, base, ours, theirs)
		if joined == nil {
			kinds["nothing"]++
			if missing == nil || doc(p, theirs).Editable() == nil {
				t.Fatalf("nothing was done: %s", show(base, ours, theirs, joined, missing))
			}
			return
		}
		kinds[fmt.Sprint(len(missing), " missing")]++
		if doc(p, theirs).Editable() != nil {
			kinds["damaged"]++
			return
		}
		again, missingAgain := merge.Save(p, base, ours, joined)
		swallows := func() bool { // what would follow it
			hs := doc(p, append(slices.Clone(theirs), "\n\n## what follows\n"...)).Headings()
			return len(hs) == 0 || hs[len(hs)-1].Title != "what follows"
		}
		if alone && missing == nil && !swallows() && !(bytes.Equal(again, joined) && slices.Equal(missing, missingAgain)) {
			t.Fatalf("not the same twice: %s\n=== again %q\n%s", show(base, ours, theirs, joined, missing), missingAgain,
				again)
		}
		if alone && slices.Contains(missing, "the whole change") {
			t.Fatalf("what operations did is not named: %s", show(base, ours, theirs, joined, missing))
		}
		if line, ok := keepsLines(p, base, ours, theirs, joined); alone && !ok {
			t.Fatalf("%q is lost: %s", line, show(base, ours, theirs, joined, missing))
		}
		if line, ok := brings(base, ours, joined); !ok && missing == nil {
			t.Fatalf("%q of ours is neither joined nor missing: %s", line, show(base, ours, theirs, joined, missing))
		}
		for _, line := range log {
			if !bytes.Contains(joined, []byte(line)) && !slices.Contains(missing, mdstore.SecLog) {
				t.Fatalf("log line %q is neither joined nor missing: %s", line, show(base, ours, theirs, joined, missing))
			}
		}
		for _, f := range doc(p, ours).Fields() {
			was, _ := doc(p, base).Field(f.Key)
			is, _ := doc(p, joined).Field(f.Key)
			if was.Scalar() != f.Scalar() && is.Scalar() != f.Scalar() && f.Key != mdstore.KeyRulesHash && f.Key != mdstore.KeyUpdated &&
				!slices.Contains(missing, f.Key) {
				t.Fatalf("%s is neither joined nor missing: %s", f.Key, show(base, ours, theirs, joined, missing))
			}
		}
		for _, name := range []string{mdstore.SecNote, mdstore.SecConclusion, mdstore.SecProblem} {
			was, is, have, got := doc(p, base).Text(name), doc(p, ours).Text(name), doc(p, theirs).Text(name), doc(p,
				joined).Text(name)
			if alone && was != is && have == was && !strings.Contains(got, is) && !slices.Contains(missing, name) {
				t.Fatalf("%s is neither joined nor missing: %s", name, show(base, ours, theirs, joined, missing))
			}
		}
	})
	t.Log(kinds)
}

// A save in pieces: an operation is made over any half of a text, and joined with the whole.
func TestASaveInPiecesIsMerged(t *testing.T) {
	made, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, text := drawFile(t)
		whole := []byte(text)
		op, what, line := drawOperation(t, p, 1)
		looks := what == "expire" || what == "remove rule" // at what is in the half
		for range 8 {
			half := whole[:rapid.IntRange(len(doc(p, whole).Front()), len(whole)).Draw(t, "bytes")]
			ours, ok := operate(p, half, op)
			if all++; !ok {
				continue
			}
			made++
			joined, missing := merge.Save(p, half, ours, whole)
			fail := func(format string, args ...any) {
				t.Fatalf("%s: %s", fmt.Sprintf(format, args...), show(half, ours, whole, joined, missing))
			}
			if joined == nil {
				fail("nothing was done")
			}
			if lost, ok := keepsLines(p, half, ours, whole, joined); !ok {
				fail("%q is lost", lost)
			}
			d := doc(p, joined)
			if err := d.Editable(); err != nil {
				fail("%v", err)
			}
			names := map[string]bool{}
			for _, s := range d.Sections() {
				if names[s.Name] {
					fail("section %s stands twice", s.Name)
				}
				names[s.Name] = true
			}
			if line != "" {
				if c := bytes.Count(joined, []byte(line)); c != 1 || !slices.ContainsFunc(d.Items(mdstore.SecLog),
					func(it mdoc.Item) bool { return it.Text == line }) {
					fail("the log line stands there %d times", c)
				}
			}
			if want, ok := operate(p, whole, op); ok && !looks && missing == nil && !slices.Equal(written(joined),
				written(want)) {
				fail("not as if it had been made over the whole:\n%s\n=== but", want)
			}
			if again, _ := merge.Save(p, half, ours, joined); !bytes.Equal(again, joined) {
				fail("not the same twice:\n%s\n=== first", again)
			}
		}
	})
	t.Logf("%d operations over %d halves", made, all)
	if made == 0 {
		t.Error("no operation was made over a half")
	}
}

// written returns the lines of a text without blank ones, headings and the marks of items, in the order of the
// alphabet.
func written(text []byte) (out []string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "## ") {
			out = append(out, strings.TrimLeft(line, "-* "))
		}
	}
	slices.Sort(out)
	return out
}
