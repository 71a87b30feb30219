package merge

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// check runs a law on 100 histories, on 5,000 where ARBOR_HEAVY is set, as .ci/run does.
func check(t *testing.T, law func(*rapid.T)) {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		n := "100"
		if os.Getenv("ARBOR_HEAVY") != "" {
			n = "5000"
		}
		was := f.Value.String()
		_ = f.Value.Set(n)
		defer func() { _ = f.Value.Set(was) }()
	}
	rapid.Check(t, law)
}

// A world is a kind of file: what it begins as, and its sections.
type world struct {
	path  mdstore.Path
	front []string
	texts []string // sections of text
	lists map[string][]string
}

var worlds = []world{
	{nodePath, []string{"id: node-x", "title: Sign-in", "type: execution", "status: pending", "parentId: root", "isolated: false",
		"role: null", "createdAt: 1767225600000", "updatedAt: 1767225600000"},
		[]string{"Requirement", "Conclusion", "Note", "Daily notes"},
		map[string][]string{"Docs": {"docs/a.md: a", "docs/b.md: b"}, "References": {"node-y: why"}, "Log": nil}},
	{spacePath, []string{"id: ws", "name: Login", "goal: sign in", "status: active", `rulesHash: ""`, "focusedNodeId: null",
		"createdAt: 1767225600000", "updatedAt: 1767225600000"},
		[]string{"Purpose", "Workflows", "会议"},
		map[string][]string{"Rules": {"Tests first", "双语", "No: new dependencies"}, "Docs": {"docs/a.md: a", "docs/b.md: b"}, "Key Files": {"main.go: begins"}, "Log": nil}},
	{"ws/sessions/session-1/Session.md", []string{"id: session-1", "name: Monday", "startedAt: 1767225600000", "endedAt: null", "attached: [a, b]"},
		[]string{"Goal", "Notes"}, map[string][]string{"Log": nil}},
	{"ws/states/state-1.md", []string{"id: state-1", "name: Before lunch", "createdAt: 1767225600000", "tags: [a, b]"},
		[]string{"Active Task", "Reasoning"}, map[string][]string{"Next Steps": {"one", "two"}, "Active Files": {"a.go (0123456789ab, 12)", "b.go"}}},
	{"agents/agent-1.md", []string{"id: agent-1", "name: Reviewer", "updatedAt: 1767225600000"}, []string{"Role", "How"}, nil},
}

var bodies = []string{"one line", "one line\n\nanother\n\n### Below\n\nmore", "中文说明\n第二行", "- a list\n- of two", "```\n## Log\n- code\n```", "1\n2\n3\n4\n5\n6"}

// drawBase draws a sound file.
func drawBase(t *rapid.T) (world, string) {
	w := rapid.SampledFrom(worlds).Draw(t, "world")
	front := slices.Clone(w.front)
	for _, own := range []string{"# a comment", "due: 2026-03-31 # by the board", "own: {a: 1}", "watchers:\n  - ann\n  - bob", "text: |\n  of\n  two lines"} {
		if rapid.IntRange(0, 2).Draw(t, own) == 0 {
			front = append(front, own)
		}
	}
	out := "---\n" + strings.Join(front, "\n") + "\n---\n" + rapid.SampledFrom([]string{"", "\n", "\n# Title\n\nabove all\n"}).Draw(t, "above")
	for _, s := range append(slices.Clone(w.texts), slices.Sorted(keys(w.lists))...) {
		list, is := w.lists[s]
		text := rapid.SampledFrom(append(bodies, "")).Draw(t, s)
		if is && s == "Log" {
			list = nil
			for i := range rapid.IntRange(0, 3).Draw(t, "lines") {
				list = append(list, fmt.Sprintf("[2026-01-01 10:00:0%d] [AI] line %d", i, rapid.IntRange(0, 1).Draw(t, "line")))
			}
		}
		if is {
			text = ""
			for _, it := range list {
				text += "- " + it + "\n"
			}
			text = strings.TrimSuffix(text, "\n")
		}
		if rapid.IntRange(0, 4).Draw(t, "there") > 0 {
			out += "\n## " + s + "\n" + strings.Repeat("\n"+text+"\n", min(1, len(text)))
		}
	}
	return w, out
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// drawSide draws what Arbor or a person makes of a text; log is what was added to the log.
func drawSide(t *rapid.T, w world, who, text string) (string, []string) {
	var log []string
	for i := range rapid.IntRange(1, 3).Draw(t, who+" edits") * rapid.IntRange(1, 4).Draw(t, "times") {
		lines := strings.Split(text, "\n")
		front := slices.Index(lines[1:], "---") + 1
		pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
		set := func(key, value string) {
			if k := slices.IndexFunc(lines[:front], func(l string) bool { return strings.HasPrefix(l, key+":") }); k >= 0 {
				_, comment, has := strings.Cut(lines[k], " # ")
				if lines[k] = key + ": " + value; has {
					lines[k] += " # " + comment
				}
			}
		}
		item := func(section, text string) {
			if k := slices.Index(lines, "## "+section); k > 0 {
				end := k + 1
				for end < len(lines) && !strings.HasPrefix(lines[end], "## ") {
					end++
				}
				last := end
				for last > k+1 && lines[last-1] == "" {
					last--
				}
				if last == k+1 {
					lines = slices.Insert(lines, last, "", "- "+text)
				} else {
					lines = slices.Insert(lines, last, "- "+text)
				}
				if end == last {
					lines = slices.Insert(lines, last+1, "")
				}
				if section == "Log" {
					log = append(log, text)
				}
			}
		}
		inList := func(l string) bool { return strings.HasPrefix(l, "- ") && l != "- code" }
		switch what := pick(who, "status", "status", "field", "field", "updated", "comment", "trailing", "own", "gone key", "log", "log", "log",
			"item", "item", "remove", "expire", "change", "line", "line", "section", "no section", "list"); what {
		case "status":
			set("status", pick("status", "pending", "implementing", "validating", "completed", "failed", "cancelled"))
		case "field":
			set(pick("key", "title", "name", "goal", "parentId", "isolated", "role", "focusedNodeId", "due", "endedAt", "description"), pick("value", "x", "'y'", "true"))
		case "updated":
			set("updatedAt", fmt.Sprint(1767225600000+int64(rapid.IntRange(1, 3).Draw(t, "at"))*1000))
		case "comment":
			if c := "# by " + pick("whom", "ann", who); !slices.Contains(lines, c) {
				lines = slices.Insert(lines, rapid.IntRange(1, front-1).Draw(t, "at"), c)
			}
		case "trailing":
			if k := rapid.IntRange(1, front-1).Draw(t, "at"); !strings.ContainsAny(lines[k], "#|{") && strings.Contains(lines[k], ": ") {
				lines[k] += " # said " + who
			}
		case "own":
			key := "own" + pick("key", "1", "2", who)
			if !slices.ContainsFunc(lines[:front], func(l string) bool { return strings.HasPrefix(l, key+":") }) {
				lines = slices.Insert(lines, front, key+": "+pick("value", "1", "a text", "[1, 2]"))
			}
		case "gone key":
			if k := slices.IndexFunc(lines[:front], func(l string) bool { return strings.HasPrefix(l, "due:") }); k > 0 {
				lines = slices.Delete(lines, k, k+1)
			}
		case "log":
			item("Log", fmt.Sprintf("[2026-01-01 1%d:00:0%d] [AI] %s %d", rapid.IntRange(0, 2).Draw(t, "hour"), i, pick("event", who, "both"), rapid.IntRange(0, 2).Draw(t, "n")))
		case "item":
			item(pick("section", "Rules", "Docs", "References", "Key Files", "Next Steps", "Active Files"), pick("item", "new", "docs/"+who+".md: of "+who, "docs/c.md: c", who))
		case "remove", "expire", "change", "line":
			var at []int
			for k := front + 1; k < len(lines); k++ {
				if inList(lines[k]) != (what == "line") && lines[k] != "" && !strings.HasPrefix(lines[k], "#") && !strings.HasPrefix(lines[k], "```") {
					at = append(at, k)
				}
			}
			if len(at) == 0 {
				break
			}
			k := rapid.SampledFrom(at).Draw(t, "at")
			switch {
			case what == "remove":
				lines = slices.Delete(lines, k, k+1)
			case what == "expire":
				lines[k] = strings.TrimSuffix(lines[k], " (expired)") + " (expired)"
			default:
				lines[k] += " by " + pick("whom", "ann", who)
			}
		case "section":
			s := pick("section", append(slices.Sorted(keys(w.lists)), append(slices.Clone(w.texts), "Own", "Own "+who)...)...)
			if !slices.Contains(lines, "## "+s) {
				lines = append(lines, "## "+s, "", "- of "+who, "")
			}
		case "no section":
			if k := slices.Index(lines, "## "+pick("section", w.texts...)); k > 0 {
				end := k + 1
				for end < len(lines) && !strings.HasPrefix(lines[end], "## ") {
					end++
				}
				if !slices.Contains(lines[k:end], "```") {
					lines = slices.Delete(lines, k, end)
				}
			}
		}
		text = strings.Join(lines, "\n")
	}
	return text, log
}

func has(d *mdoc.Doc, line string) bool { return linesOf(d)[line] }

func parsed(p mdstore.Path, data []byte) *mdoc.Doc {
	d, _ := mdoc.Parse(string(p), data, mdstore.AllKinds().Of(p).Form)
	return d
}

func TestMergeLaws(t *testing.T) {
	kinds := map[string]int{}
	check(t, func(t *rapid.T) {
		w, o := drawBase(t)
		a, logA := drawSide(t, w, "ours", o)
		b, logB := drawSide(t, w, "theirs", o)
		if rapid.IntRange(0, 4).Draw(t, "CRLF") == 0 {
			a = strings.ReplaceAll(a, "\n", "\r\n")
		}
		merge := func(o, a, b string) (Result, error) { return Merge(w.path, []byte(o), []byte(a), []byte(b), Options{}) }
		show := func(m []byte) string {
			return fmt.Sprintf("base\n%s\n=== ours\n%s\n=== theirs\n%s\n=== merged\n%s", o, a, b, m)
		}
		for _, c := range [][4]string{{o, a, o, a}, {o, o, b, b}, {o, a, a, a}} {
			if r, err := merge(c[0], c[1], c[2]); err != nil || string(r.Bytes) != c[3] {
				t.Fatalf("one side alone: %v\n%s", err, r.Bytes)
			}
		}
		for _, side := range []string{a, b, o} {
			if parsed(w.path, []byte(side)).Editable() != nil {
				if _, err := merge(o, a, b); err != nil && !errors.Is(err, ErrText) {
					t.Fatalf("damaged: %v", err)
				}
				kinds["damaged"]++
				return
			}
		}
		r, err := merge(o, a, b)
		s, err2 := merge(o, b, a)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("not symmetric: %v, %v\n%s", err, err2, show(r.Bytes))
		}
		if err != nil {
			kinds[err.Error()]++
			return
		}
		of := func(cs []Conflict) (out []string) {
			for _, c := range cs {
				out = append(out, c.What)
			}
			slices.Sort(out)
			return out
		}
		if !slices.Equal(of(r.Conflicts), of(s.Conflicts)) || Marked(r.Bytes) != (len(r.Conflicts) > 0) {
			t.Fatalf("conflicts %q, from the other side %q\n%s", of(r.Conflicts), of(s.Conflicts), show(r.Bytes))
		}
		d, e := parsed(w.path, mdoc.Ours.Of(r.Bytes)), parsed(w.path, mdoc.Ours.Of(s.Bytes))
		if d.Editable() != nil || parsed(w.path, mdoc.Theirs.Of(r.Bytes)).Editable() != nil {
			t.Fatalf("the result is damaged: %v\n%s", d.Editable(), show(r.Bytes))
		}
		for _, line := range append(logA, logB...) {
			if !has(d, line) && has(parsed(w.path, []byte(a)), line) == slices.Contains(logA, line) && has(parsed(w.path, []byte(b)), line) == slices.Contains(logB, line) {
				t.Fatalf("%q is lost\n%s", line, show(r.Bytes))
			}
		}
		for _, side := range []string{a, b} {
			for _, line := range strings.Split(strings.ReplaceAll(side, "\r", ""), "\n") {
				if strings.HasPrefix(line, "# by ") && !strings.Contains(o, line) && !strings.Contains(string(r.Bytes), line) {
					t.Fatalf("%q is lost\n%s", line, show(r.Bytes))
				}
			}
			for _, f := range parsed(w.path, []byte(side)).Fields() {
				if _, had := parsed(w.path, []byte(o)).Field(f.Key); strings.HasPrefix(f.Key, "own") && !had {
					if _, has := d.Field(f.Key); !has {
						t.Fatalf("the key %s is lost\n%s", f.Key, show(r.Bytes))
					}
				}
			}
		}
		if len(r.Conflicts) > 0 {
			kinds["conflict"]++
			return
		}
		kinds["clean"]++
		for _, f := range d.Fields() {
			if g, _ := e.Field(f.Key); g.Scalar() != f.Scalar() {
				t.Fatalf("%s is %q, from the other side %q\n%s", f.Key, f.Value, g.Value, show(r.Bytes))
			}
		}
		for _, sec := range d.Sections() {
			if d.Text(sec.Name) != e.Text(sec.Name) {
				t.Fatalf("%s from the other side is\n%s\n%s", sec.Name, e.Text(sec.Name), show(r.Bytes))
			}
		}
		for _, side := range []string{a, b} {
			again, err := merge(o, string(r.Bytes), side)
			if err != nil || !bytes.Equal(again.Bytes, r.Bytes) {
				t.Fatalf("merged again: %v\n%s\n%s\n=== with\n%s", err, again.Bytes, show(r.Bytes), side)
			}
		}
	})
	t.Log(kinds)
}

// drawSlot draws what Arbor or a person makes of a slot.
func drawSlot(t *rapid.T, who, text string, n int) string {
	for range rapid.IntRange(1, n).Draw(t, who+" edits") {
		d := parsed("ws/memory/a.md", []byte(text))
		all := mdstore.EntriesOf(d)
		var c mdstore.SlotChange
		switch what := rapid.SampledFrom([]string{"add", "add", "remove", "person", "change", "field"}).Draw(t, who); {
		case what == "add":
			k := rapid.IntRange(0, 40).Draw(t, "entry")
			c.Add = []mdstore.SlotEntry{{ID: mdstore.ID(fmt.Sprintf("entry-%s-%d", who, k)), Type: mdstore.EntryManual, Time: time.Unix(int64(k), 0).UTC(), Text: fmt.Sprintf("text %d\n\n# of %s", k, who)}}
			if slices.ContainsFunc(all, func(e mdstore.SlotEntry) bool { return e.ID == c.Add[0].ID }) {
				continue
			}
		case what == "remove" && len(all) > 0:
			c.Remove = []int{rapid.IntRange(0, len(all)-1).Draw(t, "gone")}
		case what == "change":
			text = strings.Replace(text, "text "+fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "n")), "another text by "+who, 1)
			continue
		case what == "person":
			if by := "## By " + rapid.SampledFrom([]string{who, "ann"}).Draw(t, "whom"); who != "base" && !strings.Contains(text, by) {
				text = strings.TrimRight(text, "\n") + "\n\n" + by + "\n\nsaid\n"
			}
			continue
		default:
			key := rapid.SampledFrom([]string{"priority", "name", "tags", "own"}).Draw(t, "key")
			v := mdoc.Text(rapid.SampledFrom([]string{"1", "2", who}).Draw(t, "value"))
			if key == "tags" {
				v = mdoc.List(append(d.List(key), who)...)
			}
			p, err := d.SetField(key, v)
			if err != nil {
				t.Fatal(err)
			}
			d, _ = d.Apply(p)
			text = string(d.Bytes())
			continue
		}
		out, err := mdstore.ChangeSlot(d, c)
		if err != nil {
			t.Fatal(err)
		}
		text = string(out)
	}
	return text
}

func TestSlotLaws(t *testing.T) {
	kinds := map[string]int{}
	check(t, func(t *rapid.T) {
		o := drawSlot(t, "base", "---\nid: slot-1\nname: a\ncreatedAt: 5\ntags: [a]\n---\n", 5)
		a, b := drawSlot(t, "ours", o, 5), drawSlot(t, "theirs", o, 5)
		zipped := rapid.IntRange(0, 4).Draw(t, "zipped") == 0
		p := mdstore.Path("ws/memory/a.md")
		if zipped {
			p += ".gz"
		}
		if rapid.IntRange(0, 4).Draw(t, "CRLF") == 0 {
			o, a, b = strings.ReplaceAll(o, "\n", "\r\n"), strings.ReplaceAll(a, "\n", "\r\n"), strings.ReplaceAll(b, "\n", "\r\n")
		}
		merge := func(o, a, b string) (string, []Conflict, error) {
			r, err := Merge(p, mdstore.Stored(p, []byte(o)), mdstore.Stored(p, []byte(a)), mdstore.Stored(p, []byte(b)), Options{})
			text, _ := mdstore.TextOf(p, r.Bytes)
			return string(text), r.Conflicts, err
		}
		m, found, err := merge(o, a, b)
		n, found2, err2 := merge(o, b, a)
		show := func() string {
			return fmt.Sprintf("base\n%s\n=== ours\n%s\n=== theirs\n%s\n=== merged\n%s", o, a, b, m)
		}
		if (err == nil) != (err2 == nil) || len(found) != len(found2) || err != nil && !zipped {
			t.Fatalf("not symmetric: %v, %v, %q, %q\n%s", err, err2, found, found2, show())
		}
		if err != nil || len(found) > 0 {
			kinds["conflict"]++
			return
		}
		kinds["clean"]++
		entries := func(text string) []mdstore.SlotEntry {
			return mdstore.EntriesOf(parsed("ws/memory/a.md", []byte(text)))
		}
		kept := append(entries(m), entries(o)...)
		for _, e := range append(entries(a), entries(b)...) {
			if !slices.ContainsFunc(kept, func(f mdstore.SlotEntry) bool { return e.Title == f.Title && e.Text == f.Text }) {
				t.Fatalf("%q is lost\n%s", e, show())
			}
		}
		if d, e := parsed(p, []byte(m)), parsed(p, []byte(n)); len(mdstore.EntriesOf(d)) != len(mdstore.EntriesOf(e)) {
			t.Fatalf("from the other side\n%s\n%s", n, show())
		}
		for _, side := range []string{a, b} {
			if again, _, err := merge(o, m, side); err != nil || again != m {
				t.Fatalf("merged again: %v\n%s\n%s", err, again, show())
			}
		}
	})
	t.Log(kinds)
}
