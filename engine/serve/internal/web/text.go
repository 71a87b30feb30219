package web

import (
	"bytes"
	"context"
	"html/template"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	tasks "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// A linker says what the links of a text lead to. The zero linker knows nothing.
type linker struct {
	node        func(target string) string // the address of the node that a target names; "" for none
	titled      func(title string) string  // the address of the only node with a title; "" for none
	picture     func(target string) string // the address of a picture of the vault; "" for none
	definitions []parser.Reference         // those of the whole file
	footnotes   map[string]string          // those of the whole file, by label
	prefix      string                     // begins the ids of this text
	boxes       bool                       // boxes can be ticked
}

// Markdown returns a text of the screen as HTML. Links to nodes lead to their pages, and link definitions and footnotes
// that stand elsewhere in the node count. A text that would cost too much is shown as it is.
func (v *screen) Markdown(source string) template.HTML {
	v.texts++
	links := v.links
	links.prefix = idPrefix(v.texts)
	return rendered(withFootnotes(source, links.footnotes), links)
}

// Boxed is Markdown for a text whose boxes can be ticked.
func (v *screen) Boxed(source string) template.HTML {
	v.links.boxes = v.may(people.Work)
	defer func() { v.links.boxes = false }()
	return v.Markdown(source)
}

// linkerKey is the key of the linker in the context of a parser.
var linkerKey = parser.NewContextKey()

// rendered returns a text as HTML.
func rendered(source string, links linker) template.HTML {
	if costly(source) {
		return asIs(source)
	}
	var b bytes.Buffer
	known := parser.NewContext()
	known.Set(linkerKey, links)
	for _, d := range links.definitions {
		known.AddReference(d)
	}
	if err := markdown().Convert([]byte(source), &b, parser.WithContext(known)); err != nil {
		return template.HTML(template.HTMLEscapeString(source))
	}
	return template.HTML(sanitized(b.Bytes()))
}

// textOf returns all texts of a node.
func textOf(n ops.NodeInfo) string {
	all := []string{n.Requirement, n.Conclusion, n.Note}
	for _, own := range n.Sections {
		all = append(all, own.Text)
	}
	return strings.Join(all, "\n\n")
}

// definitionsIn returns the link definitions in a text.
func definitionsIn(source string) []parser.Reference {
	if !strings.Contains(source, "]:") || costly(source) {
		return nil
	}
	known := parser.NewContext()
	markdown().Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(known))
	return known.References()
}

// linked sets what links lead to: from the node of the screen, or else from the folder of all nodes.
func (s *Site) linked(ctx context.Context, v *screen, id string) {
	at := sync.OnceValues(func() (*view.View, error) { return s.engine.View(ctx, mdstore.ID(v.Workspace)) })
	v.links.node = func(target string) string {
		snap, err := at()
		if err != nil || strings.Contains(target, "://") {
			return ""
		}
		from, ok := snap.Node(mdstore.ID(id))
		if v.View != "node" || !ok {
			from = &mdstore.Node{}
		}
		if to, ok := snap.Referred(from, target); ok {
			return v.item("node", v.Workspace, string(to.ID))
		}
		return ""
	}
	v.links.picture = func(target string) string {
		of := ""
		if v.View == "node" {
			of = id
		}
		return pictureAddress(s.pictureAt(ctx, v, of, target))
	}
	v.links.titled = func(title string) string {
		snap, err := at()
		if err != nil {
			return ""
		}
		title, _, _ = strings.Cut(title, "#")
		if to, ok := snap.Titled(strings.TrimSpace(title)); ok {
			return v.item("node", v.Workspace, string(to.ID))
		}
		return ""
	}
}

// allShown leads links to nodes to their pages, finds pictures, and keeps footnotes that the text itself does not use.
type allShown struct{}

func (allShown) Transform(root *ast.Document, _ text.Reader, known parser.Context) {
	links, _ := known.Get(linkerKey).(linker)
	root.AddMeta(prefixMeta, []byte(links.prefix))
	root.AddMeta(boxesMeta, links.boxes)
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if to := links.to(links.node, n.Destination); entering && to != "" {
				n.Destination = []byte(to)
			}
		case *ast.Blockquote:
			if entering {
				titled(n)
			}
		case *ast.Image:
			if to := links.to(links.picture, n.Destination); entering && to != "" {
				n.Destination = []byte(to)
				n.SetAttributeString(pictureMark, true)
			}
		case *tasks.Footnote:
			if list, ok := n.Parent().(*tasks.FootnoteList); ok && entering && n.Index < 0 {
				list.Count++
				n.Index = list.Count
			}
		}
		return ast.WalkContinue, nil
	})
}

// What a document says about itself: the beginning of its ids, and whether its boxes can be ticked.
const (
	prefixMeta = "prefix"
	boxesMeta  = "boxes"
)

// pictureMark is the attribute of a picture that the page may show.
const pictureMark = "picture"

func (linker) to(find func(string) string, target []byte) string {
	if find == nil || len(target) == 0 || target[0] == '#' {
		return ""
	}
	return find(string(target))
}

// wikiLinks reads [[target]] and [[target|words]] as links to nodes, and ![[picture.png]] as a picture. Other links
// stay as they are.
type wikiLinks struct{}

var wikiLink = pattern.Of(`^!?\[\[([^\[\]|]+)(?:\|([^\[\]]+))?\]\]`)

func (wikiLinks) Trigger() []byte { return []byte{'[', '!'} }

func (wikiLinks) Parse(_ ast.Node, block text.Reader, known parser.Context) ast.Node {
	line, _ := block.PeekLine()
	m := wikiLink().FindSubmatch(line)
	links, _ := known.Get(linkerKey).(linker)
	if m == nil {
		return nil
	}
	picture := line[0] == '!'
	to := links.to(links.node, m[1])
	switch {
	case picture:
		to = links.to(links.picture, []byte(url.PathEscape(string(m[1]))))
	case to == "":
		to = links.to(links.titled, m[1])
	}
	if to == "" {
		return nil
	}
	words := m[2]
	if words == nil {
		words = m[1]
	}
	block.Advance(len(m[0]))
	link := ast.NewLink()
	link.Destination = []byte(to)
	if picture {
		link.Destination = []byte(url.PathEscape(string(m[1]))) // see allShown
	}
	link.AppendChild(link, ast.NewString(words))
	if picture {
		return ast.NewImage(link)
	}
	return link
}
