package ops

import (
	"fmt"
	"hash/crc32"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
)

// A cursor is the id of the last node of a page, an @ (which no id contains), and a checksum of the node's place in the
// tree. The checksum detects that the node was moved since: a page that began behind its new place would repeat, or
// skip, the nodes between the old place and the new one.

// cursorAt returns the cursor of a page that ends with that node.
func cursorAt(s *view.View, id mdstore.ID) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf("%s@%08x", id, placeOf(s, id))
}

// placeOf returns a checksum of a node's place: its parent and its place among its siblings, and theirs up to the root.
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

// after returns the node that a cursor names. A cursor without a checksum, as a person may write it, is valid wherever
// the node is.
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
