package exchange

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"arbor/engine/view"
	"arbor/mdstore"
)

// planOf returns an export of nodes in files.
func planOf(files ...string) Plan {
	own := "---\nid: ws-1\nname: Plan *A*\ngoal: g\n---\n"
	var nodes []*mdstore.Node
	for i, f := range files {
		p := mdstore.NodePath("ws-1", mdstore.ID(fmt.Sprint("n", i)))
		nodes = append(nodes, mdstore.ParseNode(mdstore.File{Path: p, Data: []byte(f)}))
	}
	p := Plan{View: view.New(mdstore.ParseWorkspace(mdstore.File{Path: "ws-1/Workspace.md", Data: []byte(own)}), nodes, nil)}
	p.Nodes = nodes
	return p
}

func exported(t interface{ Fatal(...any) }, p Plan, format string) string {
	out, err := Write(p, format)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	rootFile = "---\nid: root\ntitle: A\ntype: planning\nstatus: monitoring\n---\n\n## Requirement\n\nWhy\n"
	dueFile  = "---\nid: n1\ntitle: \"Say, <b> 2\"\ntype: execution\nstatus: completed\nparentId: root\ndue: 2026-12-01\n" +
		"priority: high\ntags: [a, b]\ncreatedAt: 1767225600000\n---\n\n## Requirement\n\n\"one\"; two\n\n## Conclusion\n\nok\n"
)

func TestExportedTexts(t *testing.T) {
	p := planOf(rootFile, dueFile)
	for format, want := range map[string]string{
		"md": "# Plan \\*A\\*\n\ng\n\nWhy\n\n- [x] Say, \\<b\\> 2 (high, \\#a \\#b, due 2026-12-01)\n\n  \"one\"; two\n\n" +
			"  Conclusion:\n\n  ok\n\n",
		"ics": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Arbor//Arbor//EN\r\nX-WR-CALNAME:Plan *A*\r\nBEGIN:VEVENT\r\n" +
			"UID:n1@ws-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:20261201\r\nSUMMARY:✓ Say\\, <b> 2\r\n" +
			"DESCRIPTION:\"one\"\\; two\r\nPRIORITY:3\r\nCATEGORIES:a,b\r\nTRANSP:TRANSPARENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
	} {
		if got := exported(t, p, format); got != want {
			t.Errorf("%s is\n%q\nwant\n%q", format, got, want)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(exported(t, p, "csv"))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got := map[string]string{}
	for i, name := range rows[0] {
		got[name] = rows[2][i]
	}
	for name, want := range map[string]string{"id": "n1", "parentId": "root", "title": "Say, <b> 2", "status": "completed",
		"tags": "a, b", "due": "2026-12-01", "createdAt": "2026-01-01T00:00:00Z", "requirement": "\"one\"; two", "conclusion": "ok"} {
		if got[name] != want {
			t.Errorf("column %s is %q, want %q", name, got[name], want)
		}
	}
	for cell, want := range map[string]string{"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+x": "'+x", "- [ ] a": "'- [ ] a",
		"-3.5": "-3.5", "a=b": "a=b", "": ""} {
		if got := inert(cell); got != want {
			t.Errorf("the cell %q is written as %q, want %q", cell, got, want)
		}
	}
	for _, format := range []string{"ics", "pdf"} {
		if _, err := Write(planOf(rootFile), format); err == nil {
			t.Errorf("%s of nothing has no error", format)
		}
	}
}

// Every line of a calendar ends with CRLF and has at most 75 bytes of whole characters. Without the breaks the text is
// there, with its escapes.
func TestCalendarLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab ,;\\\n\rüß漢🎉\x01"))).Draw(t, "text")
		c := &calendar{}
		c.line("SUMMARY:", text)
		for line := range strings.SplitAfterSeq(strings.TrimSuffix(c.String(), "\r\n"), "\r\n") {
			if line = strings.TrimSuffix(line, "\r\n"); len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("%q: line %q", text, line)
			}
		}
		whole := strings.ReplaceAll(strings.TrimSuffix(c.String(), "\r\n"), "\r\n ", "")
		back := strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(strings.TrimPrefix(whole, "SUMMARY:"))
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x01", "").Replace(text)
		if back != want {
			t.Fatalf("%q comes back as %q", text, back)
		}
	})
}
