package web

import (
	"net/http"
	"slices"
	"strings"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

func (s *Site) approvals(r *http.Request, v *screen) error {
	v.Title = "Approvals"
	all, err := s.requests(r)
	v.Body = all
	return err
}

// requests returns the requests that wait for a decision. The one that whole=ID names has its whole text.
func (s *Site) requests(r *http.Request) (all []waiting, err error) {
	if !people.From(r.Context()).May(people.Work) {
		return nil, nil // they quote files of the project
	}
	out, err := ops.ApprovalList(r.Context(), s.env(), ops.ApprovalListIn{})
	if err != nil {
		return nil, err
	}
	for _, q := range open(out.Requests) {
		w := waiting{Request: q, Text: act.Asked(q, r.URL.Query().Get("whole") == q.ID)}
		w.Cut = r.URL.Query().Get("whole") != q.ID && w.Text != act.Asked(q, true)
		all = append(all, w)
	}
	return all, nil
}

// A waiting is a request with the text that describes it.
type waiting struct {
	trust.Request
	Text string
	Cut  bool // parts of the text are left out
}

// What returns what is asked for, in a few words.
func (w waiting) What() string {
	_, what, _ := strings.Cut(act.AskedFor(w.Request), "  ")
	return what
}

// askedLines returns the lines of the text of a request. Indented lines are those of a diff.
func askedLines(text string) (all []diffLine) {
	for line := range strings.Lines(text) {
		kind := "same"
		if body, is := strings.CutPrefix(line, "    "); is {
			kind = diffLines(body)[0].Kind
		}
		all = append(all, diffLine{kind, line})
	}
	return all
}

type findings struct {
	All  []mdoc.Diagnostic
	Diff string // what the repairs would change
}

func (s *Site) check(r *http.Request, v *screen) error {
	v.Title = "Check"
	in := ops.WorkspaceCheckIn{}
	if v.Static {
		in.WorkspaceID = v.Workspace
	}
	out, err := ops.WorkspaceCheck(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	b := findings{All: slices.Clone(out.Diagnostics)}
	for i, d := range b.All {
		ws, _, _ := strings.Cut(string(d.File), "/")
		b.All[i].Text = s.titled(r.Context(), ws, d.Text)
	}
	if !v.Static && slices.ContainsFunc(b.All, func(d mdoc.Diagnostic) bool { return d.Fix != "" }) {
		in.Fix, in.DryRun = true, true
		fixed, err := ops.WorkspaceCheck(r.Context(), s.env(), in)
		if err != nil {
			return err
		}
		b.Diff = fixed.Diff
	}
	v.Body = b
	return nil
}
