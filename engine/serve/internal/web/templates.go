package web

import (
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"arbor/context/render"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A look is a way to draw a page.
type look struct {
	Language string       // see Languages
	Static   bool         // a page of an export: nothing can be changed, and links lead to files beside it
	Right    people.Right // of the person who looks; buttons that need more are not drawn
	Project  string       // the folder of the project, for the server's own user
}

// rightOf returns the greatest right of a person.
func rightOf(who *people.Who) people.Right {
	if who.May(people.Programs) {
		return people.Programs
	}
	return who.Right
}

func (l look) may(r people.Right) bool { return !l.Static && l.Right >= r }

// parsed has the templates of each look that was drawn.
var parsed sync.Map

// templates returns the templates of a look.
func (l look) templates() *template.Template {
	if t, ok := parsed.Load(l); ok {
		return t.(*template.Template)
	}
	t := template.Must(template.New("").Funcs(l.funcs()).ParseFS(files, "pages/*.html"))
	parsed.Store(l, t)
	return t
}

func (l look) funcs() template.FuncMap {
	return template.FuncMap{
		"t":        func(word any) string { return l.say(fmt.Sprint(word)) },
		"fields":   l.formFields,
		"when":     func(ms int64) string { return l.lately(ms, time.Now()) },
		"logged":   l.logged,
		"spoken":   l.spoken,
		"lastLine": func(e mdstore.LogEntry) string { return firstLine(strings.Replace(l.spoken(e), ":\n", ": ", 1)) },
		"item":     l.item,
		"page":     l.page,
		"static":   l.static,
		"path":     url.PathEscape,
		"live":     func() bool { return !l.Static },
		"work":     func() bool { return l.may(people.Work) },
		"decide":   func() bool { return l.may(people.Decide) },
		"programs": func() bool { return l.may(people.Programs) },

		"firstLine": firstLine,

		"chipsOf": l.chipsOf,
		"notesOf": notesOf,
		"takes":   func(n *ops.TreeNode) bool { return l.may(people.Work) && takes(n) },
		"chips":   func() []chip { return chips },
		"mark":    func(status any) string { return render.SignOf(statemachine.Status(fmt.Sprint(status)), false) },
		"box":     func(done bool) string { return map[bool]string{true: "☑", false: "☐"}[done] },
		"branch":  func(ws string, n *ops.TreeNode) branch { return branch{ws, n} },
		"lanes":   func() []string { return []string{byBranch, byAssignee} },
		"cardIn":  func(ws string, c card) cardIn { return cardIn{ws, c} },
		"rows":    func(ws string, all []sessionRow) sessionRows { return sessionRows{ws, all} },
		"atWork":  func(ws string, w working) workRow { return workRow{ws, w} },
		"news":    func(ws string, s since) sinceRows { return sinceRows{ws, s} },
		"part": func(of *screen, field, title, text string) section {
			return section{of, field, title, text}
		},
		"counted": func(n int) string { return l.count(n, "node", "", "s") },
		"entries": func(n int) string { return l.count(n, "entr", "y", "ies") },
		"words":   l.words,
		"editors": l.editors,
		"lines":   func(diff string) []diffLine { return diffLines(diff) },
		"asked":   askedLines,
		"policy":  func() string { return stillPolicy },
		"marked":  marked,
		"join": func(all []view.Change) string {
			var words []string
			for _, c := range all {
				words = append(words, c.String())
			}
			return strings.Join(words, ", ")
		},
		"views":    func() []menuItem { return planForms },
		"language": func() string { return l.Language },
		"others":   l.others,
	}
}

// count returns a number of things in words: the stem of their name, and how it ends for one and for many.
func (l look) count(n int, stem, one, many string) string {
	if n == 1 {
		return "1 " + l.say(stem+one)
	}
	return fmt.Sprintf("%d %s", n, l.say(stem+many))
}

// page returns the address of a view.
func (l look) page(name, ws string) string {
	if l.Static {
		if name == "" {
			name = "index"
		}
		return name + ".html"
	}
	return "/" + name + "?ws=" + url.QueryEscape(ws)
}

// item returns the address of one thing of a kind: node, slot, session, state.
func (l look) item(kind, ws, id string) string {
	if l.Static {
		return url.PathEscape(fileOf(kind, id))
	}
	return "/" + kind + "/" + url.PathEscape(id) + "?ws=" + url.QueryEscape(ws)
}

// minutes is how times are shown.
const minutes = "2006-01-02 15:04"

// when returns a time: that of this machine, or for an export, which goes to other places, UTC.
func (l look) when(ms int64) string {
	switch at := time.UnixMilli(ms); {
	case ms == 0:
		return ""
	case l.Static:
		return at.UTC().Format(minutes) + " UTC"
	default:
		return at.Format(minutes)
	}
}

// lately returns a time like when, without the day if that is today, and without the year if it is this one.
func (l look) lately(ms int64, now time.Time) string {
	said := l.when(ms)
	if l.Static {
		return said
	}
	return strings.TrimPrefix(strings.TrimPrefix(said, now.Format("2006-01-02 ")), now.Format("2006-"))
}

// logged is lately for the time of a log line. It returns any other text as it is.
func (l look) logged(at string) string {
	t, ok := mdstore.ParseTime(at)
	if !ok {
		return at
	}
	return l.lately(t.UnixMilli(), time.Now())
}

// A branch is a node of the outline with its workspace.
type branch struct {
	Workspace string
	*ops.TreeNode
}

// A workRow is a row of what is at work, sinceRows are what changed, sessionRows are sessions of a list, and cardIn is
// a card of the board, with their workspace.
type (
	sessionRows struct {
		Workspace string
		Sessions  []sessionRow
	}
	cardIn struct {
		Workspace string
		Card      card
	}
	workRow struct {
		Workspace string
		Working   working
	}
	sinceRows struct {
		Workspace string
		Since     since
	}
)

// A section is a text of a node that is edited in place.
type section struct {
	Of                 *screen
	Field, Title, Text string
}

// An editor is a program that a file can be opened in.
type editor struct {
	Name string
	URL  template.URL
}

// editors returns the addresses that open a file in editors, for a path that is absolute or within the project. They
// are safe: the schemes are constants, and the path is escaped.
func (l look) editors(path string) []editor {
	if l.Project != "" && path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(l.Project, filepath.FromSlash(path))
	}
	slashed := strings.ReplaceAll(path, `\`, "/")
	if path == "" || !(strings.HasPrefix(slashed, "/") || strings.Contains(slashed, ":/")) {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(slashed, "/"), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return []editor{
		{"VS Code", template.URL("vscode://file/" + strings.Join(parts, "/"))},
		{"Obsidian", template.URL("obsidian://open?path=" + strings.ReplaceAll(url.QueryEscape(path), "+", "%20"))},
	}
}

// A diffLine is a line of a unified diff.
type diffLine struct{ Kind, Text string }

func diffLines(diff string) (all []diffLine) {
	for line := range strings.Lines(diff) {
		kind := "same"
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
			kind = "head"
		case strings.HasPrefix(line, "+"):
			kind = "added"
		case strings.HasPrefix(line, "-"):
			kind = "removed"
		}
		all = append(all, diffLine{kind, line})
	}
	return all
}

// pick returns the nodes of a tree that match, in its order.
func pick(tree []*ops.TreeNode, match func(*ops.TreeNode) bool) (all []*ops.TreeNode) {
	var below func([]*ops.TreeNode)
	below = func(tree []*ops.TreeNode) {
		for _, n := range tree {
			if match(n) {
				all = append(all, n)
			}
			below(n.Children)
		}
	}
	below(tree)
	return all
}

// fileOf returns the name of the file for one thing of a kind in an export.
func fileOf(kind, id string) string {
	safe := strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(strings.TrimPrefix(id, kind+"-"))
	return kind + "-" + safe + ".html"
}
