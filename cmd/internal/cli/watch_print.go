package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/engine/feed"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A watchDocument is a change as one line of JSON.
type watchDocument struct {
	Time        int64                `json:"time"`
	WorkspaceID string               `json:"workspaceId"`
	NodeID      string               `json:"nodeId,omitempty"`
	Title       string               `json:"title"`
	Kind        string               `json:"kind"`
	Path        string               `json:"path"`
	From        string               `json:"from,omitempty"`
	Nodes       int                  `json:"nodes,omitempty"`
	Unreadable  bool                 `json:"unreadable,omitempty"`
	Fields      []view.FieldChange   `json:"fields"`
	Sections    []view.SectionChange `json:"sections"`
	Diagnostics []mdoc.Diagnostic    `json:"diagnostics"`
	Mended      []mdoc.Diagnostic    `json:"mended"`
}

func (opt *watchOptions) printDocuments(r feed.Report) error {
	var all []byte
	at := r.Time.UnixMilli()
	for i := range r.Events {
		v := &r.Events[i]
		line, err := ops.Sparse(watchDocument{
			Time: at, WorkspaceID: string(v.Workspace), NodeID: string(v.Node), Title: v.Title, Kind: v.Kind,
			Path: opt.absolute(string(v.Path)), From: opt.absolute(string(v.From)), Nodes: v.Nodes, Unreadable: v.Blank,
			Fields:      append([]view.FieldChange{}, v.Fields()...),
			Sections:    append([]view.SectionChange{}, v.Sections()...),
			Diagnostics: opt.absolutes(v.Found), Mended: opt.absolutes(v.Mended),
		})
		if err != nil {
			return err
		}
		all = append(append(all, escaped(line)...), '\n')
	}
	_, err := opt.sys.Stdout.Write(all)
	return err
}

func (opt *watchOptions) absolutes(ds []mdoc.Diagnostic) []mdoc.Diagnostic {
	out := append([]mdoc.Diagnostic{}, ds...)
	for i := range out {
		out[i].File = opt.absolute(out[i].File)
	}
	return out
}

// printLines prints a report for people: each change, and below it the new and the solved problems. Lines beyond
// listLines are only counted.
func (opt *watchOptions) printLines(r feed.Report) error {
	at := r.Time.Local()
	if day := at.Format(time.DateOnly); day != opt.day {
		if opt.day != "" {
			opt.say("%s", day)
		}
		opt.day = day
	}
	var all []string
	for i := range r.Events {
		v := &r.Events[i]
		if v.Kind != feed.Diagnosed {
			all = append(all, opt.line(at, v))
		}
		all = append(all, opt.faults(v)...)
	}
	if n := len(all) - (listLines - 1); n > 1 && !opt.flags.all {
		more := opt.sign("… and ", "... and ") + counted(n, "more line") + "; --all prints them all"
		all = append(all[:listLines-1], opt.style().Paint("2", more))
	}
	return opt.print(strings.Join(all, "\n"))
}

// sign returns drawn, or ascii if only ASCII can be printed.
func (opt *watchOptions) sign(drawn, ascii string) string {
	if opt.ascii() {
		return ascii
	}
	return drawn
}

// faults returns the lines about problems that a change brought, and about those that are gone. A problem is not gone
// if there is a new one with the same code in the same file.
func (opt *watchOptions) faults(v *feed.Event) (out []string) {
	for _, d := range v.Found {
		out = append(out, diagnosticLine(opt.shell, d))
	}
	for _, d := range v.Mended {
		if !slices.ContainsFunc(v.Found, func(f mdoc.Diagnostic) bool { return f.File == d.File && f.Code == d.Code }) {
			out = append(out, opt.style().Paint("32", "mended")+" "+render.Visible(located(opt.shell, d).String()))
		}
	}
	return out
}

// widest is how many columns a title, a value or an entry may take in a line.
const widest = 60

func (opt *watchOptions) short(s string) string {
	return render.Truncate(strings.TrimSpace(render.Visible(s)), widest, opt.ascii())
}

// line returns a change as one line.
func (opt *watchOptions) line(at time.Time, v *feed.Event) string {
	style := opt.style()
	color := map[string]string{view.Added: "32", view.Altered: "33", view.Removed: "31", view.Relocated: "36"}[v.Kind]
	who := render.Visible(view.Short(string(v.Node)))
	if opt.flags.verbose {
		who = render.Visible(string(v.Node))
	}
	if v.Node == "" {
		who = "workspace " + render.Visible(string(v.Workspace))
	}
	s := style.Paint("2", at.Format(time.TimeOnly)) + " " + style.Paint(color, v.Kind) + " " + who + " " +
		style.Paint("1", opt.short(v.Title))
	if facts := opt.facts(v); len(facts) > 0 {
		s += ": " + strings.Join(facts, "; ")
	}
	return s + "  " + style.Paint("2", render.Visible(opt.shown(opt.absolute(string(v.Path)))))
}

// facts tells what became of a node or workspace.
func (opt *watchOptions) facts(v *feed.Event) (out []string) {
	if v.From != "" {
		out = append(out, "from "+render.Visible(opt.shown(opt.absolute(string(v.From)))))
	}
	if v.Nodes > 0 {
		out = append(out, "with "+counted(v.Nodes, "node"))
	}
	if v.Blank {
		return append(out, "cannot be read now")
	}
	if v.Kind == view.Added {
		return append(out, opt.newcomer(v)...)
	}
	fields, sections := v.Fields(), v.Sections()
	for _, c := range fields {
		if stamp := c.Key == mdstore.KeyUpdated || c.Key == mdstore.KeyCreated; !stamp || len(fields)+len(sections) == 1 {
			arrow := opt.sign("→", "->")
			out = append(out, fmt.Sprintf("%s %s %s %s", render.Visible(c.Key), opt.value(c.From), arrow, opt.value(c.To)))
		}
	}
	for _, c := range sections {
		out = append(out, opt.section(c))
	}
	if v.Kind == view.Altered && len(out) == 0 {
		out = append(out, "no field or section")
	}
	return out
}

// newcomer returns the type, status and parent of a new node.
func (opt *watchOptions) newcomer(v *feed.Event) (out []string) {
	for _, c := range v.Fields() {
		switch {
		case v.Node == "" || c.To == nil:
		case c.Key == mdstore.KeyType, c.Key == mdstore.KeyStatus:
			out = append(out, opt.value(c.To))
		case c.Key == mdstore.KeyParent:
			out = append(out, "in "+opt.value(c.To))
		}
	}
	return out
}

func (opt *watchOptions) value(s *string) string {
	switch {
	case s == nil:
		return "none"
	case *s == "":
		return `""`
	}
	return opt.short(*s)
}

// section describes the change of a section: for a list, how many items came and went, and the last new one.
func (opt *watchOptions) section(c view.SectionChange) string {
	s := render.Visible(c.Name)
	if len(c.Added)+len(c.Removed) == 0 {
		return s + " " + c.Kind
	}
	if n := len(c.Added); n > 0 {
		s += fmt.Sprintf(" +%d", n)
	}
	if n := len(c.Removed); n > 0 {
		s += fmt.Sprintf(" %s%d", opt.sign("−", "-"), n)
	}
	if len(c.Added) == 0 {
		return s
	}
	last := c.Added[len(c.Added)-1]
	if e := mdstore.ParseLog(last); c.Name == mdstore.SecLog && e.Operator != "" {
		last = e.Operator + ": " + e.Event
	}
	return s + " \"" + opt.short(last) + "\""
}
