package web

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"arbor/mdstore/pattern"
)

// elements are the allowed elements, with their allowed attributes and a check of each value. Other tags are left out;
// the text in them stays.
var elements = map[string]map[string]func(value string) bool{
	"p": directed, "br": nil, "hr": nil, "h1": directed, "h2": directed, "h3": directed, "h4": directed, "h5": directed,
	"h6": directed, "strong": nil, "em": nil, "b": nil, "i": nil, "del": nil, "code": nil, "pre": nil,
	"blockquote": directed, "ul": directed,
	"li": {"id": isFootnote}, "table": directed, "thead": nil, "tbody": nil, "tr": nil,
	"sup":     {"id": isFootnote},
	"details": {"open": oneOf("")}, "summary": nil, "img": {"src": isPicture, "alt": anyText},
	"th": {"align": oneOf("left", "center", "right")},
	"td": {"align": oneOf("left", "center", "right")},
	"ol": {"start": isNumber, "dir": oneOf("auto")},
	"a":  {"href": followed},
	"input": {"type": oneOf("checkbox"), "checked": oneOf(""), "disabled": oneOf(""), "aria-label": anyText,
		"data-line": isNumber},
}

// directed are the attributes of a block whose words give it a direction.
var directed = map[string]func(string) bool{"dir": oneOf("auto")}

// pictureName is the form of the names of pictures in an export.
var pictureName = pattern.Of(`^picture-[0-9a-f]{16}\.[a-z]+$`)

// isPicture reports whether an address is that of a picture of the vault, on the page or in an export.
func isPicture(to string) bool {
	in, live := strings.CutPrefix(to, "/picture/")
	return pictureName().MatchString(to) || live && in != "" && !strings.ContainsAny(in, "?#\\") &&
		!strings.Contains("/"+in+"/", "/../") && !strings.Contains(in, "//")
}

func anyText(string) bool { return true }

func isNumber(v string) bool { return v != "" && len(v) < 10 && strings.Trim(v, "0123456789") == "" }

func oneOf(values ...string) func(string) bool {
	return func(v string) bool { return slices.Contains(values, v) }
}

// followed reports whether a link may be followed: to the web, to a mail program, to a footnote, or to a node of this
// page or export.
func followed(to string) bool {
	if here, ok := strings.CutPrefix(to, "#"); ok {
		return isFootnote(here)
	}
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
	details := 0     // how many are open
	for z := html.NewTokenizer(bytes.NewReader(source)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			out.WriteString(strings.Repeat("</details>", details))
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
		case kind == html.EndTagToken && t.Data == "details" && details == 0: // it would end one around the text
		case kind == html.EndTagToken:
			if t.Data == "details" {
				details--
			}
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
			case t.Data == "img" && !slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "src" }):
				continue
			case t.Data == "details":
				details++
			}
			if may["dir"] != nil {
				t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "dir" })
				t.Attr = append(t.Attr, html.Attribute{Key: "dir", Val: "auto"})
			}
			out.WriteString(html.Token{Type: html.StartTagToken, Data: t.Data, Attr: t.Attr}.String())
		}
	}
}
