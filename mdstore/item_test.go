package mdstore

import (
	"strings"
	"testing"

	"arbor/mdstore/mdoc"
)

func TestEveryFormOfAReferenceIsRead(t *testing.T) {
	for item, want := range map[string]Ref{
		"node-x: why":                            {Target: "node-x", Description: "why"},
		"[why: now](docs/a b.md)":                {Target: "docs/a b.md", Description: "why: now"},
		"[why](<../node-x/Node.md>) (expired)":   {Target: "../node-x/Node.md", Description: "why", Expired: true},
		"[[nodes/node-x/Node|text]]":             {Target: "nodes/node-x/Node", Description: "text"},
		"[[node-x]]: why, and: how":              {Target: "node-x", Description: "why, and: how"},
		"[text](../node-x/Node.md): why":         {Target: "../node-x/Node.md", Description: "why"},
		"[a: b](../node-x/Node.md): c (expired)": {Target: "../node-x/Node.md", Description: "c", Expired: true},
		"docs/login.md — what: the form":         {Target: "docs/login.md", Description: "what: the form"},
		"`docs/a b.md` – what":                   {Target: "docs/a b.md", Description: "what"},
		"`docs/a.md`: what (expired)":            {Target: "docs/a.md", Description: "what", Expired: true},
		"`docs/a.md`":                            {Target: "docs/a.md"},
		"docs/a - b.md":                          {Target: "docs/a - b.md"},
		"docs/my file - b.md: x":                 {Target: "docs/my file - b.md", Description: "x"},
		"docs/a.md - two words":                  {Target: "docs/a.md", Description: "two words"},
		"node-x: one - two":                      {Target: "node-x", Description: "one - two"},
		"[[node-x]] — why":                       {Target: "node-x", Description: "why"},
		"[text](../node-x/Node.md) - why":        {Target: "../node-x/Node.md", Description: "why"},
		"Depends on [[n2]]":                      {Target: "n2", Description: "Depends on"},
		"blocks: [Two](../n2/Node.md) (expired)": {Target: "../n2/Node.md", Description: "blocks Two", Expired: true},
		"reported_by [[n2|Ann]]":                 {Target: "n2", Description: "reported_by Ann"},
		"docs/a.md: see [[n2]]":                  {Target: "docs/a.md", Description: "see [[n2]]"},
		"[x] done: well":                         {Target: "[x] done", Description: "well"},
	} {
		if got := ParseRef(item); got != want {
			t.Errorf("ParseRef(%q)\n got %+v\nwant %+v", item, got, want)
		}
	}
}

// An event that begins with a block is that block in the file, and reads back as it was given.
func TestEventsThatAreBlocks(t *testing.T) {
	doc := func(body string) *mdoc.Doc {
		d, problems := mdoc.Parse("Node.md", []byte("---\nid: a\n---\n"+body), NodeForm)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return d
	}
	for event, block := range map[string]string{
		"```\ngo test ./...\n```":         "\n  ```\n  go test ./...\n  ```\n",
		"~~~sh\nls\n\nls -l\n~~~\n\nboth": "\n  ~~~sh\n  ls\n\n  ls -l\n  ~~~\n\n  both\n",
		"- a\n- b":                        "\n  - a\n  - b\n",
		"| a | b |\n|---|---|\n| 1 | 2 |": "\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n",
		"- one line":                      "[AI] - one line\n",
		"text\n\n```\nx\n```":             "[AI] text\n\n  ```\n  x\n  ```\n",
	} {
		d := doc("\n## Log\n\n- [2026-01-01 10:00:00] [AI] before\n")
		p, err := d.AppendItem(SecLog, FormatLog("2026-01-01 11:00:00", OperatorAI, event))
		after, err2 := d.Apply(p)
		if err != nil || err2 != nil {
			t.Fatal(event, err, err2)
		}
		log := logEntries(after)
		if got := log[len(log)-1]; got.Event != event || got.Operator != OperatorAI || len(p.Adapted) > 0 {
			t.Errorf("%q reads as %+v, %q", event, got, p.Adapted)
		}
		if got := string(after.Bytes()); !strings.HasSuffix(got, block) {
			t.Errorf("%q makes %q", event, got)
		}
	}
}
