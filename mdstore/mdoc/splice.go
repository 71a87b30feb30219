package mdoc

import (
	"cmp"
	"fmt"
	"slices"
)

// An edit replaces a span by a text.
type edit struct {
	span Span
	text string
}

// splice makes all edits in one pass, those at one place in the given order. Edits that
// overlap are an error.
func splice(src []byte, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(a.span.End, b.span.End))
	})
	size := len(src)
	for _, e := range edits {
		size += len(e.text) - e.span.Len()
	}
	out := make([]byte, 0, max(size, 0))
	at := 0
	for _, e := range edits {
		if e.span.Start < at || e.span.End < e.span.Start || e.span.End > len(src) {
			return nil, fmt.Errorf("edit of bytes %d to %d overlaps another", e.span.Start, e.span.End)
		}
		out = append(out, src[at:e.span.Start]...)
		out = append(out, e.text...)
		at = e.span.End
	}
	return append(out, src[at:]...), nil
}
