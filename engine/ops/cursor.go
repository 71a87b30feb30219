package ops

import (
	"fmt"
	"hash/crc32"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
)

// A cursor is the id of the last node that a page showed, and behind an @, which no id holds, a sum of its place in
// the tree. What follows a node that was moved is not what its page was to be followed by: nodes between its two
// places would be met twice, or never.

// cursorAt returns the cursor of a page that ends with that node.
func cursorAt(s *view.View, id mdstore.ID) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf("%s@%08x", id, placeOf(s, id))
}

// placeOf sums up where a node is: under whom, and at which place among its siblings, up to the root.
func placeOf(s *view.View, id mdstore.ID) uint32 {
	sum := crc32.NewIEEE()
	n, ok := s.Node(id)
	if !ok {
		return 0
	}
	above, _ := s.Ancestors(id)
	for _, a := range append([]*mdstore.Node{n}, above...) {
		fmt.Fprintf(sum, "%s %v\n", a.ID, a.Place())
	}
	return sum.Sum32()
}

// after returns the node that a cursor names. One without a place, as a person may write it, is that of the node
// wherever it is.
func after(s *view.View, cursor string) (mdstore.ID, error) {
	word, place, placed := strings.Cut(cursor, "@")
	id := mdstore.ID(word)
	why := ""
	switch _, ok := s.Node(id); {
	case !ok:
		why = "is none of an earlier answer, or its node is gone"
	case placed && place != fmt.Sprintf("%08x", placeOf(s, id)):
		why = "is none of an earlier answer, or its node was moved since, or one above it, so that other nodes follow it now"
	default:
		return id, nil
	}
	return "", badCursor(cursor, why)
}

func badCursor(cursor, why string) error {
	return badParam("cursor", "cursor %q %s; start again without it", cursor, why)
}
