package mdoc_test

import (
	"testing"

	"arbor/mdstore/mdoc"
)

const marked = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd\n<<<<<<<<< HEAD\n||||||||| base\ne\n=========\n=======\n>>>>>>>>> x\n"

func TestEachSideOfMarksIsPicked(t *testing.T) {
	for _, c := range []struct {
		side mdoc.Side
		want string
	}{
		{mdoc.Undecided, marked},
		{mdoc.Ours, "a\nb\nd\n"},
		{mdoc.Base, "a\nd\ne\n"},
		{mdoc.Theirs, "a\nc\nd\n=======\n"},
	} {
		if got := string(c.side.Of([]byte(marked))); got != c.want {
			t.Errorf("side %d of %q\n got %q\nwant %q", c.side, marked, got, c.want)
		}
	}
	one := func(i int) mdoc.Side { return []mdoc.Side{mdoc.Theirs, mdoc.Undecided}[i] }
	if got := string(mdoc.Pick([]byte(marked), one)); got != "a\nc\nd\n"+marked[len("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd\n"):] {
		t.Errorf("of the first conflict alone: %q", got)
	}
}

func TestTextThatLooksLikeAMarkStays(t *testing.T) {
	for _, text := range []string{"", "a", "<<<<<<< a\nb\n", "=======\n>>>>>>> b\n", "<<<<<<< a\n=======\n>>>>>> b\n", "<<<<<<<a\n=======\n>>>>>>> b\n"} {
		if got := string(mdoc.Ours.Of([]byte(text))); got != text {
			t.Errorf("Pick(%q) is %q", text, got)
		}
	}
}
