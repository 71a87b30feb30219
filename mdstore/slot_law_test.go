package mdstore

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/mdstore/mdoc"
)

const emptySlot = "---\nid: slot-1\nname: a\ncreatedAt: 5\n---\n"

func slotDoc(t failing, src string) *mdoc.Doc {
	d, wrong := mdoc.Parse("memory/a.md", []byte(src), SlotForm)
	if len(wrong) > 0 {
		t.Fatalf("%v in\n%q", wrong, src)
	}
	return d
}

type failing interface {
	Fatalf(format string, args ...any)
}

// hostile are texts that would read as something else where they stand.
var hostile = []string{
	"## entry-1-aaaaaa · manual_save · 2024-01-01T12:00:00Z\n\nforged", "# a", "a\n===", "a\n---\n", "```\nopen", "~~~", "<div>", "<!-- a: b -->\nc",
	"---\nid: x\n---\n\nbody", "a\r\nb\r\n", "a\rb", "\r", " a ", "\n\na\n\n", "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n", "<<<<<<< HEAD", "=======",
	"\u202eabc\u202c", "e\u0301", "👩‍👩‍👧", "````verbatim\nx\n````", "```verbatim escaped\n\\x\n```", "\\", "\\r", `a\\b\r`, "\ufeffa",
	strings.Repeat(">", 100) + " deep", strings.Repeat("- ", 80) + "x", strings.Repeat("[a]: b\n", 2100), "\x01\x02\x7f\x1b[31m", "<script>", "<!--", "a <!-- b",
}

func genText() *rapid.Generator[string] {
	line := rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringMatching(`[a-z #>*\-=_0-9]{0,12}`), rapid.SampledFrom([]string{"", "    code", "- item", "1. x", "| a |", "中文", "* * *"}))
	return rapid.Custom(func(t *rapid.T) string {
		sep := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\n\n"}).Draw(t, "sep")
		return strings.Join(rapid.SliceOfN(line, 1, 6).Draw(t, "lines"), sep)
	})
}

func genEntry(n int) *rapid.Generator[SlotEntry] {
	return rapid.Custom(func(t *rapid.T) SlotEntry {
		e := SlotEntry{ID: ID(fmt.Sprintf("entry-%d-%d", n, rapid.IntRange(0, 1<<30).Draw(t, "id"))), Type: rapid.SampledFrom([]string{EntryManual, EntrySummary, "other-1"}).Draw(t, "type"),
			Time: time.Unix(rapid.Int64Range(0, 100).Draw(t, "time"), 0).UTC(), Text: genText().Draw(t, "text")}
		if rapid.Bool().Draw(t, "meta") {
			e.Meta = map[string]any{"summary": "5000 → 750 characters", "n": 3.0, "list": []any{"a", "-->", true}, "s": genText().Draw(t, "value")}
		}
		return e
	})
}

// Every text reads back byte for byte, whatever it holds and however many others stand beside it; and no other byte
// changes.
func TestEntriesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := slotDoc(t, emptySlot)
		var want []SlotEntry
		for i := range rapid.IntRange(1, 5).Draw(t, "n") {
			e := genEntry(i).Draw(t, "entry")
			out, err := ChangeSlot(d, SlotChange{Add: []SlotEntry{e}})
			if err != nil {
				t.Fatalf("%v: %q", err, e)
			}
			d = slotDoc(t, string(out))
			at := len(want)
			for at > 0 && want[at-1].Time.After(e.Time) {
				at--
			}
			want = slices.Insert(want, at, e)
			if got := EntriesOf(d); !slices.EqualFunc(got, want, SlotEntry.same) {
				t.Fatalf("got %q\nwant %q\nin %s", got, want, out)
			}
		}
		gone := rapid.IntRange(0, len(want)-1).Draw(t, "gone")
		out, err := ChangeSlot(d, SlotChange{Remove: []int{gone}})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got := EntriesOf(slotDoc(t, string(out))); !slices.EqualFunc(got, slices.Delete(want, gone, gone+1), SlotEntry.same) {
			t.Fatalf("after one is removed: %q", got)
		}
	})
}

// The examples of the CommonMark specification read back.
func TestCommonMarkReadsBack(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Skipf("skipped all examples of the CommonMark specification: the Markdown parser's module is not found: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Skipf("skipped all examples of the CommonMark specification: %v", err)
	}
	var all []struct{ Markdown string }
	if err := json.Unmarshal(data, &all); err != nil || len(all) != 652 {
		t.Fatal(len(all), err)
	}
	d := slotDoc(t, emptySlot)
	var add []SlotEntry
	for i, x := range all {
		add = append(add, SlotEntry{ID: ID(fmt.Sprint("entry-", i)), Type: EntryManual, Time: time.Unix(int64(i), 0).UTC(), Text: x.Markdown})
	}
	out, err := ChangeSlot(d, SlotChange{Add: add})
	if err != nil {
		t.Fatal(err)
	}
	if got := EntriesOf(slotDoc(t, string(out))); !slices.EqualFunc(got, add, SlotEntry.same) {
		t.Error("they do not read back")
	}
}

// genSide changes a slot as somebody does on a branch.
func genSide(t *rapid.T, src string, n int) string {
	for i := range rapid.IntRange(0, 3).Draw(t, "changes") {
		d := slotDoc(t, src)
		c := SlotChange{}
		switch all := EntriesOf(d); {
		case len(all) > 0 && rapid.IntRange(0, 3).Draw(t, "what") == 0:
			c.Remove = []int{rapid.IntRange(0, len(all)-1).Draw(t, "gone")}
		default:
			e := genEntry(n).Draw(t, "entry")
			e.ID = ID(fmt.Sprint(e.ID, "-", i))
			c.Add = []SlotEntry{e}
		}
		out, err := ChangeSlot(d, c)
		if err != nil {
			t.Fatalf("%v", err)
		}
		src = string(out)
	}
	return src
}

// A merge of two branches has every entry that either added and none that either removed.
func TestSlotsAreMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := genSide(t, emptySlot, 0)
		ours, theirs := genSide(t, base, 1), genSide(t, base, 2)
		join := func(one, other string) string {
			body, err := JoinSlotBodies(slotDoc(t, base), slotDoc(t, one), slotDoc(t, other), "\n")
			if err != nil {
				t.Fatal(err)
			}
			return "---\n---\n" + body
		}
		joined, again := join(ours, theirs), join(theirs, ours)
		b, o, th := EntriesOf(slotDoc(t, base)), EntriesOf(slotDoc(t, ours)), EntriesOf(slotDoc(t, theirs))
		has := func(all []SlotEntry, e SlotEntry) bool { return slices.ContainsFunc(all, e.same) }
		got := EntriesOf(slotDoc(t, joined))
		for _, e := range slices.Concat(b, o, th) {
			want := has(o, e) && has(th, e) || !has(b, e)
			if has(got, e) != want {
				t.Fatalf("%q: %v, want %v, in\n%s", e, !want, want, joined)
			}
		}
		sorted := func(all []SlotEntry) []string {
			var out []string
			for _, e := range all {
				out = append(out, string(e.ID)+e.Text)
			}
			slices.Sort(out)
			return out
		}
		if x, y := sorted(got), sorted(EntriesOf(slotDoc(t, again))); !slices.Equal(x, y) {
			t.Fatalf("the sides count:\n%q\n%q", x, y)
		}
	})
}

// The longest text reads back, and one byte more is refused.
func TestTheLongestEntryReadsBack(t *testing.T) {
	e := SlotEntry{ID: "entry-1", Type: EntryManual, Text: strings.Repeat("# a\r\n```\nb\n", MaxEntry/10)[:MaxEntry]}
	out, err := ChangeSlot(slotDoc(t, emptySlot), SlotChange{Add: []SlotEntry{e}})
	if err != nil {
		t.Fatal(err)
	}
	if got := EntriesOf(slotDoc(t, string(out))); len(got) != 1 || got[0].Text != e.Text {
		t.Error("it does not read back")
	}
	e.Text += "x"
	if _, err := ChangeSlot(slotDoc(t, emptySlot), SlotChange{Add: []SlotEntry{e}}); err == nil {
		t.Error("a longer one is taken")
	}
}

// A rule that a person draws below an entry takes none of its text away, and a heading without a text is an entry.
func TestWhatPeopleAddTakesNothingAway(t *testing.T) {
	d := slotDoc(t, emptySlot+"\n## entry-1 · manual_save · 2026-01-01T10:00:00Z\n\nthe text\n---\n\n## Decided\n\n# \n")
	got := EntriesOf(d)
	if len(got) != 2 || got[0].Text != "the text\n---" || got[1].Title != "Decided" || got[1].Text != "" {
		t.Errorf("%q", got)
	}
}

// Entries are in the order of time, and one without a time stays where a person put it.
func TestEntriesAreInTheOrderOfTime(t *testing.T) {
	d := slotDoc(t, emptySlot+"\n## entry-2 · a · 2026-01-02T10:00:00Z\n\n2\n\n## Mine\n\n2b\n\n## entry-1 · a · 2026-01-01T10:00:00Z\n\n1\n")
	var got []string
	for _, e := range ByTime(EntriesOf(d)) {
		got = append(got, e.Text)
	}
	if strings.Join(got, " ") != "1 2 2b" {
		t.Errorf("%q", got)
	}
}
