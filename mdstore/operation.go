package mdstore

import "context"

// An Operation is one call of a person or assistant that changed files, as a store's record has it.
type Operation struct {
	ID       string `json:"id,omitempty"`   // set by the store; it does not change
	Began    int64  `json:"-"`              // set by the store: when its first commit was made, Unix nanoseconds; 0 before that
	Name     string `json:"name,omitempty"` // "node_transition"
	Text     string `json:"text,omitempty"` // "complete Sign-in endpoint"
	Session  string `json:"session,omitempty"`
	Operator string `json:"operator,omitempty"`
	Who      string `json:"who,omitempty"`    // the person, or "person/assistant", by whose token it was made; "" for none
	Undoes   string `json:"undoes,omitempty"` // the id of the operation that it undoes; "" for none

	Trash Path   `json:"trash,omitempty"` // if it was too large to be recorded: where the replaced files lie
	Large bool   `json:"large,omitempty"` // it is too large to be recorded, and has no steps
	Steps []Step `json:"-"`               // in the order in which they were made

	Refs []string `json:"-"` // ids in Text, which the engine replaces by titles of nodes
}

// A Step is a change that an operation made in the vault, or in the trash.
type Step struct {
	Path Path
	To   Path   // of a move, which has neither Base nor New
	Base []byte // the file's bytes before; nil: there was no file
	New  []byte // nil: it was removed
}

type operationKey struct{}

// WithOperation returns a context whose commits are of an operation. The store that makes them sets when it began.
func WithOperation(ctx context.Context, op *Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, op)
}

// OperationOf returns the operation that commits with ctx are of, nil for none.
func OperationOf(ctx context.Context) *Operation {
	op, _ := ctx.Value(operationKey{}).(*Operation)
	return op
}

// Operations is the capability of stores that record what the last operations of this machine changed.
type Operations interface {
	// Operations returns the last operations, the newest first, at most that many. Operations that the record no longer
	// has are left out.
	Operations(ctx context.Context, most int) ([]Operation, error)
}
