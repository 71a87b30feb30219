package mdoc

import "strings"

// ListsUnder returns the list items that a text has under headings with one of the names, of any level and without
// regard to case: those up to the next heading of the same or a higher level that stand before a deeper one.
func ListsUnder(text string, names ...string) []string {
	const front = "---\n---\n\n"
	d, _ := Parse("", []byte(front+strings.ReplaceAll(text, "\r\n", "\n")+"\n"), nil)
	var out []string
	hs := d.Headings()
	for i, h := range hs {
		if !foldIn(h.Title, names) {
			continue
		}
		end := len(d.Bytes())
		for _, next := range hs[i+1:] {
			if next.Level <= h.Level {
				end = next.Span.Start
				break
			}
		}
		part, _ := Parse("", []byte(front+"## x\n\n"+string(d.Bytes()[h.Span.End:end])), nil)
		for _, it := range part.Items("x") {
			if it.Listed && it.Text != "" {
				out = append(out, it.Text)
			}
		}
	}
	return out
}

func foldIn(s string, names []string) bool {
	for _, n := range names {
		if strings.EqualFold(s, n) {
			return true
		}
	}
	return false
}
