package plan

import (
	"fmt"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// The types of lines of a trace. Callers may give others.
const (
	TraceNote     = "note"
	TraceCall     = "tool_call"
	TraceTool     = "tool" // what a tool of an environment did
	TraceApproval = "approval"
	TraceSaved    = "state_saved"
	TraceRestored = "state_restored"
)

// Traced reports whether Arbor itself writes the lines of a type. Their content is also stored elsewhere.
func Traced(kind string) bool {
	return slices.Contains([]string{TraceCall, TraceTool, TraceApproval, TraceSaved, TraceRestored}, kind)
}

// tracedNodes is how many nodes a line of a trace names.
const tracedNodes = 10

// trace adds a line to the log of a session: "type: text". The text may have further lines of the form "key: value".
func trace(d *Draft, session *mdstore.Page, kind, text string) {
	d.logText(OnPage(d, session), kind+": "+strings.TrimSpace(text))
}

// TraceAct adds the act's line about the operation to the log of its session. It adds none if the plan changes nothing
// or edits the session's file anyway, nor to the log of a session that has ended. If the file takes no line, the
// operation is planned without it, and warns.
func TraceAct(d *Draft, session *mdstore.Page) {
	edits := func(e *Edit) bool { return e.touched || e.after != nil }
	own, any := d.edits[session.Path], len(d.extra) > 0 || slices.ContainsFunc(d.order, edits)
	if !any || own != nil && edits(own) || view.SessionEnded(session, d.now) != 0 {
		return
	}
	if err := session.Editable(); err != nil {
		d.warn("%s: the trace of the session has no line of this: %v", session.Path, err)
		return
	}
	text, nodes := d.act.Trace, tracedIn(d)
	if more := len(nodes) - tracedNodes; more > 0 {
		nodes = append(nodes[:tracedNodes:tracedNodes], fmt.Sprintf("%d more", more))
	}
	if len(nodes) > 1 || len(nodes) == 1 && !slices.Contains(strings.Fields(text), nodes[0]) { // else the line has it
		text += "\nnodes: " + strings.Join(nodes, ", ")
	}
	trace(d, session, TraceCall, text)
	d.edits[session.Path].spare = true
}

// EndOver ends those of the sessions whose last log line is long ago, at the time of that line. It does nothing if the
// plan changes nothing, and it leaves out files that the plan edits anyway.
func EndOver(d *Draft, ids []mdstore.ID) {
	if len(d.extra) == 0 && !slices.ContainsFunc(d.order, func(e *Edit) bool { return e.touched || e.after != nil }) {
		return
	}
	for _, id := range ids {
		p, ok := d.View.Pages().Get(mdstore.SessionKind, id)
		if !ok || p.Field(mdstore.KeyEnded) != "" || p.Editable() != nil || d.edits[p.Path] != nil {
			continue
		}
		if at := view.SessionEnded(p, d.now); at != 0 {
			e := OnPage(d, p)
			e.Set(mdstore.KeyEnded, mdoc.Integer(at))
			e.spare = true
		}
	}
}

// tracedIn returns the ids of the nodes that a draft changes, makes or deletes.
func tracedIn(d *Draft) (ids []string) {
	for id := range d.Gone {
		ids = append(ids, string(id))
	}
	slices.Sort(ids)
	for _, e := range d.order {
		if n, ok := d.View.File(e.path); ok && e.touched && !d.Gone[n.ID] {
			ids = append(ids, string(n.ID))
		}
	}
	for _, x := range d.extra {
		if mdstore.AllKinds().Of(x.change.Path) == mdstore.NodeKind && x.change.New != nil {
			ids = append(ids, x.change.Path.Dir().Base())
		}
	}
	return ids
}

// splitLog moves the older part of a session's log to a file beside it, if an edit has made the session's file too
// long.
func splitLog(d *Draft, e *Edit) {
	if mdstore.AllKinds().Of(e.path) != mdstore.SessionKind || e.after == nil || len(e.after.Bytes()) <= mdstore.MaxLogged {
		return
	}
	p, ok := d.View.Pages().At(e.path)
	if !ok {
		return
	}
	older, rest, ok := mdstore.SplitLog(e.after, p.ID)
	if !ok {
		return // a log that cannot be split stays as it is, up to the size limit of a file
	}
	e.after, _ = mdoc.Parse(string(e.path), rest, p.Kind.Form)
	file := freshFile(d, mdstore.SessionLogKind, p.Path.Dir(), "")
	d.extra = append(d.extra, planned{change: mdstore.Change{Path: file, New: older}, first: true, quiet: true})
}
