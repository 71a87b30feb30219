package mdstore_test

import (
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A time is written in the form in which one stands there, with milliseconds, and reads back as that time.
func TestATimeKeepsItsForm(t *testing.T) {
	const ms = 1796119200123 // 2026-12-01T10:00:00.123Z
	for was, want := range map[string]string{
		"1767225600000":               "1796119200123",
		"2026-11-20":                  "2026-12-01T10:00:00.123Z",
		"2026-11-20T08:00":            "2026-12-01T10:00:00.123",
		"2026-11-20 08:00:01":         "2026-12-01 10:00:00.123",
		"2026-11-20T08:00:01.5Z":      "2026-12-01T10:00:00.123Z",
		"2026-11-20T08:00:01+01:00":   "2026-12-01T11:00:00.123+01:00",
		"2026-11-20 08:00:01-0530":    "2026-12-01 04:30:00.123-0530",
		`"2026-11-20T08:00:01Z"`:      `"2026-12-01T10:00:00.123Z"`,
		"'2026-11-20' # of the board": "'2026-12-01T10:00:00.123Z' # of the board",
		"soon":                        "1796119200123",
	} {
		src := "---\nupdatedAt: " + was + "\nown: x\n---\n"
		doc, _ := mdoc.Parse("Node.md", []byte(src), mdstore.NodeForm)
		p, err := doc.SetField(mdstore.KeyUpdated, mdstore.TimeIn(doc, mdstore.KeyUpdated, ms))
		if err == nil {
			doc, err = doc.Apply(p)
		}
		if err != nil {
			t.Errorf("%s: %v", was, err)
			continue
		}
		if got, want := string(doc.Bytes()), "---\nupdatedAt: "+want+"\nown: x\n---\n"; got != want {
			t.Errorf("updatedAt: %s becomes\n%s, want\n%s", was, got, want)
		}
		f, _ := doc.Field(mdstore.KeyUpdated)
		if got, ok := mdstore.Milliseconds(f.Value); !ok || got != ms {
			t.Errorf("%s reads back as %d", f.Value, got)
		}
	}
}
