package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"arbor/engine/ops"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"markdown": rendered,
	"when":     func(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04") },
	"node":     nodeURL,
	"page":     func(name, ws string) string { return "/" + name + "?ws=" + url.QueryEscape(ws) },
	"say":      func(word string) string { return strings.ToUpper(word[:1]) + word[1:] },
	"branch":   func(ws string, n *ops.TreeNode) branch { return branch{ws, n} },
	"part":     func(n *ops.NodeGetOut, field, title, text string) section { return section{n.Node, field, title, text} },
	"count": func(n int) string {
		if n == 1 {
			return "1 node"
		}
		return fmt.Sprintf("%d nodes", n)
	},
}).ParseFS(files, "pages/*.html"))

// A branch is a node of the outline with its workspace.
type branch struct {
	Workspace string
	*ops.TreeNode
}

// Mark is the sign of the node's status; its name stands beside it.
func (b branch) Mark() string {
	if sign := marks[b.Status]; sign != "" {
		return sign
	}
	return "?"
}

var marks = map[string]string{
	"pending": "○", "planning": "◇", "monitoring": "◈", "implementing": "◐", "validating": "◑",
	"completed": "●", "failed": "✕", "cancelled": "–",
}

// A section is a text of a node that is edited in place.
type section struct {
	Node               ops.NodeInfo
	Field, Title, Text string
}

func nodeURL(ws, id string) string {
	return "/node/" + url.PathEscape(id) + "?ws=" + url.QueryEscape(ws)
}
