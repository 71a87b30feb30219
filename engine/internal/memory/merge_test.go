package memory_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/internal/memory"
	"arbor/mdstore"
)

func entries(texts ...string) (out []mdstore.SlotEntry) {
	for i, text := range texts {
		out = append(out, mdstore.SlotEntry{ID: mdstore.ID(fmt.Sprint(i)), Text: text})
	}
	return out
}

// alike reports whether a merge takes b for the same as a.
func alike(a, b string, similarity float64) bool {
	_, left := memory.Merge([]memory.Source{{Entries: entries(a, b)}}, similarity)
	return len(left) == 1
}

func TestSimilarityIsSymmetricAndFrom0To1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "数据", "库", "."}), 0, 8)
		a, b := strings.Join(words.Draw(t, "a"), " "), strings.Join(words.Draw(t, "b"), " ")
		at := rapid.Float64Range(0.01, 1).Draw(t, "similarity")
		if alike(a, b, at) != alike(b, a, at) {
			t.Fatalf("%q and %q are alike in one order only at %v", a, b, at)
		}
		if !alike(a, a, 1) {
			t.Fatalf("%q is not like itself", a)
		}
		if a != b && alike(a, b, 1) {
			t.Fatalf("%q and %q are not equal", a, b)
		}
		if !strings.ContainsFunc(b, func(r rune) bool { return r > ' ' && r != '.' && strings.ContainsRune(a, r) }) && a != b && alike(a, b, 0.001) {
			t.Fatalf("%q and %q have no word in common", a, b)
		}
	})
}

// What is kept is in order of time and what is left out is like something that is kept; together they are all entries.
func TestMergeKeepsOrLeavesOutEach(t *testing.T) {
	entry := rapid.Custom(func(t *rapid.T) mdstore.SlotEntry {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"red", "green", "blue", "数", "据", "!"}), 0, 6).Draw(t, "words")
		return mdstore.SlotEntry{Text: strings.Join(words, " "), Time: time.Unix(int64(rapid.IntRange(0, 4).Draw(t, "time")), 0)}
	})
	rapid.Check(t, func(t *rapid.T) {
		var sources []memory.Source
		all := map[mdstore.ID]mdstore.SlotEntry{}
		for s := range rapid.IntRange(1, 3).Draw(t, "slots") {
			list := rapid.SliceOfN(entry, 0, 5).Draw(t, "entries")
			for i := range list {
				list[i].ID = mdstore.ID(fmt.Sprintf("s%d-%d", s, i))
				all[list[i].ID] = list[i]
			}
			sources = append(sources, memory.Source{Slot: fmt.Sprintf("s%d", s), Stays: s == 1, Entries: list})
		}
		at := rapid.SampledFrom([]float64{0.3, 0.8, 1}).Draw(t, "similarity")
		kept, left := memory.Merge(sources, at)
		ids, stay := map[mdstore.ID]bool{}, 0
		for id := range all {
			if strings.HasPrefix(string(id), "s1-") {
				stay++
				ids[id] = true
			}
		}
		if len(kept)+len(left)+stay != len(all) {
			t.Fatalf("%d kept, %d left out, %d stay, of %d", len(kept), len(left), stay, len(all))
		}
		for i, e := range kept {
			if ids[e.ID] {
				t.Fatalf("%v is kept twice", e)
			}
			ids[e.ID] = true
			if i > 0 && e.Time.Before(kept[i-1].Time) {
				t.Fatalf("%v is after %v", e, kept[i-1])
			}
			for _, o := range kept[:i] { // of texts that are alike, all but the latest are left out
				if alike(o.Text, e.Text, at) {
					t.Fatalf("%v and %v are both kept", o, e)
				}
			}
		}
		for _, l := range left {
			stays := strings.HasPrefix(string(l.Like), "s1-")
			if ids[l.EntryID] || !ids[l.Like] || l.Slot == "s1" || !alike(all[l.Like].Text, all[l.EntryID].Text, at) ||
				!stays && all[l.EntryID].Time.After(all[l.Like].Time) ||
				(l.Text == "") != (all[l.Like].Text == all[l.EntryID].Text) {
				t.Fatalf("%v is left out as like %v", all[l.EntryID], all[l.Like])
			}
		}
	})
}

// Of a text and its correction the correction stays, and both are shown where they differ.
func TestACorrectionCounts(t *testing.T) {
	text := "The release of the billing service that everybody waits for is planned for Monday the %dth of December at nine."
	all := entries(fmt.Sprintf(text, 7), fmt.Sprintf(text, 14))
	for i := range all {
		all[i].Time = time.Unix(int64(i), 0)
	}
	kept, left := memory.Merge([]memory.Source{{Slot: "a", Entries: all[:1]}, {Slot: "b", Entries: all[1:]}}, 0.8)
	want := memory.Left{Slot: "a", EntryID: "0", Like: "1", Text: "…ody waits for is planned for Monday the 7th of December at nine.",
		LikeText: "…ody waits for is planned for Monday the 14th of December at nine."}
	if len(kept) != 1 || kept[0].ID != "1" || len(left) != 1 || left[0] != want {
		t.Errorf("kept %v, left out %#v, want %#v", kept, left, want)
	}
	// the correction is not lost to the slot that stays, and that one loses nothing
	kept, left = memory.Merge([]memory.Source{{Slot: "a", Stays: true, Entries: all[:1]}, {Slot: "b", Entries: all[1:]}}, 0.8)
	if len(kept) != 1 || len(left) != 0 {
		t.Errorf("kept %v, left out %v", kept, left)
	}
}

func TestWhatIsAlike(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want bool
	}{
		{"The API signs its tokens with the new key.", "The API signs its tokens, with the new key!", true},
		{"The deploy is at 5pm on Monday.", "The deploy is at 6pm on Monday.", false},
		{"数据库用主从复制，每天备份一次，保留三十天。", "数据库用主从复制，每天备份一次，保留三十天！", true},
		{"数据库用主从复制。", "缓存用一致性哈希。", false},
		{"yes yes yes yes yes", "yes", false},
		{"!!!", "???", false},
		{"", "", true},
	} {
		if got := alike(x.a, x.b, 0.8); got != x.want {
			t.Errorf("%q and %q: alike is %v, want %v", x.a, x.b, got, x.want)
		}
	}
}

// prose returns n entries of 1 to 2 kB, each seventh much like the one before it.
func prose(n int) (out []mdstore.SlotEntry) {
	r := rand.New(rand.NewSource(1))
	for i := range n {
		var b strings.Builder
		for size := 1000 + r.Intn(1000); b.Len() < size; {
			fmt.Fprintf(&b, "w%d ", int(r.ExpFloat64()*60))
		}
		text := b.String()
		if i%7 == 6 {
			text = out[i-1].Text + " and more"
		}
		out = append(out, mdstore.SlotEntry{ID: mdstore.ID(fmt.Sprint(i)), Text: text, Time: time.Unix(int64(i), 0)})
	}
	return out
}

func TestMergeOfAThousandFindsTheDoubles(t *testing.T) {
	kept, left := memory.Merge([]memory.Source{{Entries: prose(1000)}}, 0.8)
	if len(left) != 142 || len(kept) != 858 || !slices.ContainsFunc(left, func(l memory.Left) bool { return l.EntryID == "5" && l.Like == "6" }) {
		t.Errorf("%d kept, %d left out", len(kept), len(left))
	}
}

func BenchmarkMergeOfAThousand(b *testing.B) {
	all := prose(1000)
	for b.Loop() {
		memory.Merge([]memory.Source{{Entries: all}}, 0.8)
	}
}
