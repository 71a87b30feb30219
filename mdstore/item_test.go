package mdstore

import "testing"

func TestEveryFormOfAReferenceIsRead(t *testing.T) {
	for item, want := range map[string]Ref{
		"node-x: why":                            {Target: "node-x", Description: "why"},
		"[why: now](docs/a b.md)":                {Target: "docs/a b.md", Description: "why: now"},
		"[why](<../node-x/Node.md>) (expired)":   {Target: "../node-x/Node.md", Description: "why", Expired: true},
		"[[nodes/node-x/Node|text]]":             {Target: "nodes/node-x/Node", Description: "text"},
		"[[node-x]]: why, and: how":              {Target: "node-x", Description: "why, and: how"},
		"[text](../node-x/Node.md): why":         {Target: "../node-x/Node.md", Description: "why"},
		"[a: b](../node-x/Node.md): c (expired)": {Target: "../node-x/Node.md", Description: "c", Expired: true},
		"[x] done: well":                         {Target: "[x] done", Description: "well"},
	} {
		if got := ParseRef(item); got != want {
			t.Errorf("ParseRef(%q)\n got %+v\nwant %+v", item, got, want)
		}
	}
}
