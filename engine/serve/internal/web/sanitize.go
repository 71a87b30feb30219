package web

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// elements are the allowed elements, with their allowed attributes and a check of each value. Other tags are left out;
// the text in them stays.
var elements = map[string]map[string]func(value string) bool{
	"p": nil, "br": nil, "hr": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"strong": nil, "em": nil, "del": nil, "code": nil, "pre": nil, "blockquote": nil, "ul": nil, "li": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil,
	"th":    {"align": oneOf("left", "center", "right")},
	"td":    {"align": oneOf("left", "center", "right")},
	"ol":    {"start": func(v string) bool { return v != "" && len(v) < 10 && strings.Trim(v, "0123456789") == "" }},
	"a":     {"href": followed},
	"input": {"type": oneOf("checkbox"), "checked": oneOf(""), "disabled": oneOf(""), "aria-label": oneOf("done", "to do")},
}

func oneOf(values ...string) func(string) bool {
	return func(v string) bool { return slices.Contains(values, v) }
}

// followed reports whether a link may be followed: to the web, to a mail program, or to a node of this page or export.
func followed(to string) bool {
	id, node := strings.CutPrefix(to, "/node/")
	name, page := strings.CutSuffix(to, ".html")
	return strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "mailto:") ||
		node && !strings.Contains(id, "/") || page && strings.HasPrefix(name, "node-") && !strings.ContainsAny(name, "/:")
}

// sanitized returns HTML that has nothing but the elements and attributes of the list. Of a link that may not be
// followed, only the words stay.
func sanitized(source []byte) []byte {
	var out bytes.Buffer
	var links []bool // for each open <a>: whether it was written
	for z := html.NewTokenizer(bytes.NewReader(source)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.Bytes() // the end: reading bytes has no other error
		}
		t := z.Token()
		may, known := elements[t.Data]
		switch {
		case kind == html.TextToken:
			out.WriteString(html.EscapeString(t.Data))
		case !known || kind == html.CommentToken || kind == html.DoctypeToken:
		case kind == html.EndTagToken && t.Data == "a":
			if n := len(links) - 1; n >= 0 {
				if links[n] {
					out.WriteString("</a>")
				}
				links = links[:n]
			}
		case kind == html.EndTagToken:
			out.WriteString("</" + t.Data + ">")
		default:
			t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return may[a.Key] == nil || !may[a.Key](a.Val) })
			if t.Data == "a" {
				links = append(links, len(t.Attr) > 0)
			}
			switch {
			case t.Data == "a" && len(t.Attr) == 0:
				continue
			case t.Data == "a":
				t.Attr = append(t.Attr[:1], html.Attribute{Key: "rel", Val: "nofollow noreferrer"})
			case t.Data == "input" && !slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "type" }):
				continue // this would be a text field
			}
			out.WriteString(html.Token{Type: html.StartTagToken, Data: t.Data, Attr: t.Attr}.String())
		}
	}
}
