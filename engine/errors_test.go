package engine_test

import (
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A commit that is decided is told as such, whatever kept it from being finished: who believes that nothing was changed does it again.
func TestACommitThatIsDecidedIsToldAsSuch(t *testing.T) {
	why := &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: "ws/nodes", Code: "PERMISSION"}}
	e := engine.AsError(&mdstore.UnfinishedError{Err: why})
	if e.Code != engine.InternalError || e.Details == nil || !e.Details.Committed {
		t.Errorf("%s, details %+v", e.Code, e.Details)
	}
}
