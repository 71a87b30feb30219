package mdstore

import (
	"fmt"
	"strings"
)

// A ConflictError says that files moved on since the changes were computed. Nothing was changed.
type ConflictError struct{ Paths []Path }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("changed since it was read: %s; read again and retry", joinPaths(e.Paths))
}

// A ServerError says that the server that holds the vault cannot be used, and what would work. Nothing was changed.
type ServerError struct {
	Server, What, Then string
	Err                error
}

func (e *ServerError) Error() string {
	why := strings.Join(strings.Fields(e.Err.Error()), " ")
	return fmt.Sprintf("%s: %s; nothing was changed: %s (%s)", e.Server, e.What, e.Then, why)
}

func (e *ServerError) Unwrap() error { return e.Err }

// A BusyError says that another program is in the middle of changing the vault's files, for longer than was waited for.
// Nothing was changed.
type BusyError struct {
	What  string // "git is in the middle of a merge"
	Where string // the file that says so
	End   string // what would end it
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s (%s); nothing was changed: %s, and try again", e.What, e.Where, e.End)
}

// An UnmergedError says that git's index has several versions of a file: a merge that people must end. Nothing was
// changed.
type UnmergedError struct{ Path Path }

func (e *UnmergedError) Error() string {
	return string(e.Path) + ": git has an unresolved conflict in this file; nothing was changed"
}

// An UnfinishedError says that a commit is decided, but its last steps failed. They are finished when the vault is
// opened next.
type UnfinishedError struct {
	Err error

	// Unknown says that the connection to the store was lost in the middle of the commit, so that it may or may not be
	// made. Later calls of the same store see its outcome.
	Unknown bool
}

func (e *UnfinishedError) Error() string {
	if e.Unknown {
		return fmt.Sprintf("the connection was lost while the change was committed (%v); "+
			"it may be made or not: look before you repeat it", e.Err)
	}
	return fmt.Sprintf("the change is committed, but not all files show it yet (%v); it is finished when the vault is opened next: do not repeat it", e.Err)
}

func (e *UnfinishedError) Unwrap() error { return e.Err }

func joinPaths(ps []Path) string {
	s := make([]string, len(ps))
	for i, p := range ps {
		s[i] = string(p)
	}
	return strings.Join(s, ", ")
}
