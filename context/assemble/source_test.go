package assemble_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// vault is a Source over files that were read once.
type vault struct {
	ws    *mdstore.Workspace
	nodes map[mdstore.ID]*mdstore.Node
	kids  map[mdstore.ID][]mdstore.ID
	docs  map[string]mdoc.Foreign
}

func (v *vault) Workspace() *mdstore.Workspace            { return v.ws }
func (v *vault) Node(id mdstore.ID) (*mdstore.Node, bool) { n, ok := v.nodes[id]; return n, ok }
func (v *vault) Children(id mdstore.ID) []mdstore.ID      { return v.kids[id] }
func (v *vault) Referred(_ *mdstore.Node, target string) (*mdstore.Node, bool) {
	return v.Node(mdstore.ID(target))
}

// Doc returns what the front matter of a document says of it.
func (v *vault) Doc(target string) (mdoc.Foreign, bool) {
	file, _, _ := strings.Cut(target, "#")
	f, ok := v.docs[file]
	return f, ok
}

var _ assemble.Source = (*vault)(nil)

// read makes a vault of a workspace's text and those of its nodes, by id.
func read(workspace string, nodes map[string]string) *vault {
	file := func(path mdstore.Path, text string) mdstore.File {
		return mdstore.File{Path: path, Version: mdstore.VersionOf([]byte(text)), Data: []byte(text)}
	}
	v := &vault{
		ws:    mdstore.ParseWorkspace(file("ws-1/Workspace.md", workspace)),
		nodes: map[mdstore.ID]*mdstore.Node{},
		kids:  map[mdstore.ID][]mdstore.ID{},
		docs:  map[string]mdoc.Foreign{"docs/known.md": {Title: "Known", Description: "a document of the project"}},
	}
	for id, text := range nodes {
		v.nodes[mdstore.ID(id)] = mdstore.ParseNode(file(mdstore.NodePath("ws-1", mdstore.ID(id)), text))
	}
	for id, n := range v.nodes {
		v.kids[n.Parent] = append(v.kids[n.Parent], id)
	}
	for _, ids := range v.kids {
		slices.SortFunc(ids, func(a, b mdstore.ID) int { return v.nodes[a].Compare(v.nodes[b]) })
	}
	return v
}

const plainWorkspace = `---
id: ws-1
name: Login
goal: Users sign in with a password
status: active
---

## Rules

- tests first
- no globals

## Docs

- docs/a.md: the plan
- docs/old.md: the old plan (expired)

## Problem

The server is down

### Next Step

Call the operator
`

// text makes a Node.md of front matter lines and sections.
func text(front, body string) string {
	return "---\n" + strings.TrimSpace(front) + "\n---\n\n" + strings.TrimLeft(body, "\n")
}

// node makes a Node.md with its usual keys.
func node(id, parent, kind, status, body string) string {
	return text(fmt.Sprintf("id: %s\ntitle: Title of %s\ntype: %s\nstatus: %s\nparentId: %s", id, id, kind, status, parent), body)
}

// isolated makes a node isolated.
func isolated(text string) string {
	return strings.Replace(text, "\n---\n", "\nisolated: true\n---\n", 1)
}

// A form is a way to render a bundle.
type form func(*assemble.Bundle) []byte

var forms = map[string]form{
	"JSON":     func(b *assemble.Bundle) []byte { return encoded(b, "") },
	"indented": func(b *assemble.Bundle) []byte { return encoded(b, "    ") },
}

func encoded(b *assemble.Bundle, indent string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(b); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// measure counts the bytes of a form; the bound of the reply is that many bytes, 0 for none.
func (f form) measure(bound int) func(*assemble.Bundle) (int, bool) {
	return func(b *assemble.Bundle) (int, bool) {
		n := len(f(b))
		return n, bound == 0 || n <= bound
	}
}

// context returns a context whose tokens are counted as JSON unless the options say otherwise.
func context(t testing.TB, src assemble.Source, focus mdstore.ID, opt assemble.Options) *assemble.Bundle {
	t.Helper()
	opt.Places = true
	if opt.Measure == nil {
		opt.Measure = forms["JSON"].measure(0)
	}
	if v, ok := src.(*vault); ok {
		opt.Doc = v.Doc
	}
	b, err := assemble.Context(src, focus, opt)
	if err != nil {
		t.Fatalf("Context(%q): %v", focus, err)
	}
	return b
}

func chainIDs(b *assemble.Bundle) string {
	var ids []string
	for _, c := range b.Chain {
		ids = append(ids, string(c.NodeID))
	}
	return strings.Join(ids, " ")
}

// omitted returns the omissions as lines.
func omitted(b *assemble.Bundle) string {
	var lines []string
	for _, o := range b.Omitted {
		lines = append(lines, o.String())
	}
	return strings.Join(lines, "\n")
}
