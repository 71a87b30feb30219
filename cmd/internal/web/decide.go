package web

import (
	"net/http"
	"slices"

	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

func (s *Site) approvals(r *http.Request, v *screen) error {
	v.Title = "Approvals"
	out, err := ops.ApprovalList(r.Context(), s.env(), ops.ApprovalListIn{})
	if err != nil {
		return err
	}
	v.Body = open(out.Requests)
	return nil
}

type findings struct {
	All  []mdoc.Diagnostic
	Diff string // what the repairs would change
}

func (s *Site) check(r *http.Request, v *screen) error {
	v.Title = "Check"
	out, err := ops.WorkspaceCheck(r.Context(), s.env(), ops.WorkspaceCheckIn{})
	if err != nil {
		return err
	}
	b := findings{All: out.Diagnostics}
	if slices.ContainsFunc(b.All, func(d mdoc.Diagnostic) bool { return d.Fix != "" }) {
		in := ops.WorkspaceCheckIn{Fix: true}
		in.DryRun = true
		fixed, err := ops.WorkspaceCheck(r.Context(), s.env(), in)
		if err != nil {
			return err
		}
		b.Diff = fixed.Diff
	}
	v.Body = b
	return nil
}
