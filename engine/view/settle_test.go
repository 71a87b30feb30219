package view_test

import (
	"strings"
	"testing"

	"arbor/mdstore"
)

// A node whose file has only a title is in the tree: below the nearest folder with a node, as what its children make it.
func TestANodeByHandNeedsATitleOnly(t *testing.T) {
	const walls = "node-mjv3xk00-00000a"
	files := plan("ws-a", walls)
	for folder, text := range map[string]string{
		"Buy milk":            "# Buy milk\n",
		"Buy milk/eggs":       "---\ntitle: Eggs\n---\n",
		"Buy milk/no/cheese":  "\ufeff\n# Cheese\n\ntext\n",
		walls + "/paint":      "---\n---\n# Paint\n",
		"a/tests":             "# Tests of a\n",
		"b/tests":             "# Tests of b\n",
		"link":                "---\ntitle: L\nparentId: \"[[Buy milk]]\"\n---\n",
		"title":               "---\ntitle: M\nparentId: buy MILK\n---\n",
		"short":               "---\ntitle: S\nparentId: 00000a\n---\n",
		"folder":              "---\ntitle: F\nparentId: Buy milk\n---\n",
		"prefix":              "---\ntitle: P\nparentId: node-mjv3xk00-000\n---\n",
		"gone":                "---\ntitle: G\nparentId: eg\n---\n",
		"stated":              "---\ntitle: T\ntype: planning\nstatus: planning\n---\n",
		"Buy milk/half-typed": "---\ntitle: H\ntype: planning\n---\n",
	} {
		files[mdstore.NodePath("ws-a", mdstore.ID(folder))] = []byte(text)
	}
	v := viewOf(files)
	milk := "Buy-milk-df3db8a9"
	for folder, want := range map[string]string{
		"Buy milk":            milk + " root planning pending Buy milk",
		"Buy milk/eggs":       "eggs " + milk + " execution pending Eggs",
		"Buy milk/no/cheese":  "cheese " + milk + " execution pending Cheese",
		walls + "/paint":      "paint " + walls + " execution pending Paint",
		"a/tests":             "tests root execution pending Tests of a",
		"b/tests":             "b-tests-4a1a8a5e root execution pending Tests of b",
		"link":                "link " + milk + " execution pending L",
		"title":               "title " + milk + " execution pending M",
		"short":               "short " + walls + " execution pending S",
		"folder":              "folder " + milk + " execution pending F",
		"prefix":              "prefix " + walls + " execution pending P",
		"gone":                "gone eg execution pending G",
		"stated":              "stated root planning planning T",
		"Buy milk/half-typed": "half-typed " + milk + " planning  H",
	} {
		n, ok := v.File(mdstore.NodePath("ws-a", mdstore.ID(folder)))
		if !ok {
			t.Errorf("%s is no node", folder)
			continue
		}
		got := strings.Join([]string{string(n.ID), string(n.Parent), string(n.Type), string(n.Status), n.Title}, " ")
		if got != want {
			t.Errorf("%s is\n %s, want\n %s", folder, got, want)
		}
	}
}
