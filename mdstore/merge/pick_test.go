package merge_test

import (
	"testing"

	"arbor/mdstore/merge"
)

const marked = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd\n<<<<<<<<< HEAD\n||||||||| base\ne\n=========\n=======\n>>>>>>>>> x\n"

func TestEachSideOfMarksIsPicked(t *testing.T) {
	for _, c := range []struct {
		side merge.Side
		want string
	}{
		{merge.Marks, marked},
		{merge.Ours, "a\nb\nd\n"},
		{merge.Base, "a\nd\ne\n"},
		{merge.Theirs, "a\nc\nd\n=======\n"},
	} {
		if got := string(merge.Pick([]byte(marked), merge.All(c.side))); got != c.want {
			t.Errorf("side %d of %q\n got %q\nwant %q", c.side, marked, got, c.want)
		}
	}
	one := func(i int) merge.Side { return []merge.Side{merge.Theirs, merge.Marks}[i] }
	if got := string(merge.Pick([]byte(marked), one)); got != "a\nc\nd\n"+marked[len("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd\n"):] {
		t.Errorf("of the first conflict alone: %q", got)
	}
}

func TestTextThatLooksLikeAMarkStays(t *testing.T) {
	for _, text := range []string{"", "a", "<<<<<<< a\nb\n", "=======\n>>>>>>> b\n", "<<<<<<< a\n=======\n>>>>>> b\n", "<<<<<<<a\n=======\n>>>>>>> b\n"} {
		if got := string(merge.Pick([]byte(text), merge.All(merge.Ours))); got != text || merge.Hunks([]byte(text)) != 0 {
			t.Errorf("Pick(%q) is %q", text, got)
		}
	}
}
