package errs_test

import (
	"testing"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A commit that is decided is reported as such, whatever kept it from being finished: a caller that believes that
// nothing was changed does it again.
func TestADecidedCommitIsReportedAsCommitted(t *testing.T) {
	why := &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: "ws/nodes", Code: "PERMISSION"}}
	e := errs.As(&mdstore.UnfinishedError{Err: why})
	if e.Code != errs.InternalError || e.Details == nil || !e.Details.Committed {
		t.Errorf("%s, details %+v", e.Code, e.Details)
	}
}
