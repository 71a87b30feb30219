// Package errs holds the one type of error that every operation fails with, its codes, and their classes.
//
//	var e *errs.Error
//	if errors.As(err, &e) && e.Class() == errs.Conflict { … }
//
// Codes are part of the interface: go doc errs.Code lists them. Messages are for people and may change.
package errs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"arbor/context/assemble"
	"arbor/engine/internal/say"
	"arbor/mdstore"
	"arbor/mdstore/guard"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A Class groups errors by what the caller can do about them. Front ends map classes, not codes, to exit codes and HTTP
// statuses.
type Class uint8

// The classes. The zero Class is for errors that no package foresees.
const (
	Internal   Class = iota
	NotFound         // no such vault, workspace, node, session
	Invalid          // a bad argument
	Refused          // the state machines or the rules forbid it
	Conflict         // files moved under the plan: read again
	Unreadable       // a file has problems, or a shape that will not be edited
	Disk             // the disk is full, failing or not writable: the machine has to be looked after
)

// A Code names an error for programs. Codes never change their meaning.
type Code string

// The codes, by class.
const (
	VaultNotFound     Code = "VAULT_NOT_FOUND"
	WorkspaceNotFound Code = "WORKSPACE_NOT_FOUND"
	NodeNotFound      Code = "NODE_NOT_FOUND"
	ParentNotFound    Code = "PARENT_NOT_FOUND"
	ReferenceNotFound Code = "REFERENCE_NOT_FOUND"
	SessionNotFound   Code = "SESSION_NOT_FOUND"
	StateNotFound     Code = "STATE_NOT_FOUND"
	SlotNotFound      Code = "SLOT_NOT_FOUND"
	EntryNotFound     Code = "ENTRY_NOT_FOUND"
	NoRepository      Code = "NO_REPOSITORY"      // no repository of git, or no git
	RevisionNotFound  Code = "REVISION_NOT_FOUND" // git knows no such commit
	NothingToUndo     Code = "NOTHING_TO_UNDO"
	PersonNotFound    Code = "PERSON_NOT_FOUND"
	TokenNotFound     Code = "TOKEN_NOT_FOUND"

	EnvironmentNotFound Code = "ENVIRONMENT_NOT_FOUND" // no environment has this id
	EnvironmentMissing  Code = "ENVIRONMENT_MISSING"   // its folder is gone, or its client is not connected
	ToolNotFound        Code = "TOOL_NOT_FOUND"
	FileNotFound        Code = "FILE_NOT_FOUND" // in an environment
	RequestNotFound     Code = "REQUEST_NOT_FOUND"

	InvalidParams   Code = "INVALID_PARAMS"
	UnknownParams   Code = "UNKNOWN_PARAMS"
	AmbiguousID     Code = "AMBIGUOUS_ID"
	InvalidName     Code = "INVALID_NAME"
	InvalidTitle    Code = "INVALID_TITLE"
	InvalidContent  Code = "INVALID_CONTENT"
	InvalidNodeType Code = "INVALID_NODE_TYPE"
	InvalidPath     Code = "INVALID_PATH"

	InvalidTransition   Code = "INVALID_TRANSITION"
	DependenciesOpen    Code = "DEPENDENCIES_OPEN" // it waits for nodes that are not completed
	DependencyCycle     Code = "DEPENDENCY_CYCLE"
	VerificationFailed  Code = "VERIFICATION_FAILED"  // a tool that verify names ended with an error
	VerificationRunning Code = "VERIFICATION_RUNNING" // it runs still; the same call again waits for it
	// a tool that verify names cannot run: no person approved it, or no environment has it
	VerificationUnavailable Code = "VERIFICATION_UNAVAILABLE"
	ConclusionRequired      Code = "CONCLUSION_REQUIRED"
	IncompleteChildren      Code = "INCOMPLETE_CHILDREN"
	ExecutionChildren       Code = "EXECUTION_CANNOT_HAVE_CHILDREN"
	InvalidParentStatus     Code = "INVALID_PARENT_STATUS"
	CriteriaOpen            Code = mdstore.CodeCriteriaOpen // boxes of its criteria are not ticked
	RulesHashMismatch       Code = "RULES_HASH_MISMATCH"
	CannotDeleteRoot        Code = "CANNOT_DELETE_ROOT"
	CannotMoveRoot          Code = "CANNOT_MOVE_ROOT"
	MoveCycle               Code = "MOVE_CYCLE"
	WorkspaceActive         Code = "WORKSPACE_ACTIVE"
	WorkspaceArchived       Code = "WORKSPACE_ARCHIVED"
	ReferenceExists         Code = "REFERENCE_EXISTS"
	NameTaken               Code = "NAME_TAKEN"
	MemoryOff               Code = "MEMORY_OFF"
	CannotUndo              Code = "CANNOT_UNDO"    // a later change builds on the operation
	SyncStopped             Code = "SYNC_STOPPED"   // people must decide first
	Merging                 Code = "MERGE_CONFLICT" // a file with an unresolved conflict of git

	PathOutside          Code = "PATH_OUTSIDE"          // it leads out of the environment
	PathProtected        Code = "PATH_PROTECTED"        // it can be read and not written
	EnvironmentUntrusted Code = "ENVIRONMENT_UNTRUSTED" // no person of this machine lets tools run there
	OutcomeUnknown       Code = "OUTCOME_UNKNOWN"       // the connection to a client was cut, or it fell silent: the call may have run
	ApprovalPending      Code = "APPROVAL_PENDING"      // a person is asked; the same call runs once they agree
	ApprovalDenied       Code = "APPROVAL_DENIED"
	ToolRefused          Code = "TOOL_REFUSED"  // the environment is for reading, or only a person may do this
	NotAllowed           Code = "NOT_ALLOWED"   // the token has not the right, see arbor admin people
	LoopDetected         Code = "LOOP_DETECTED" // the same call again, with the same result
	TrustDamaged         Code = "TRUST_DAMAGED" // the file of the person's decisions cannot be read

	ConfirmationRequired Code = "CONFIRMATION_REQUIRED"

	Conflicting Code = "CONFLICT"

	FileUnreadable Code = "FILE_UNREADABLE"
	DuplicateID    Code = "DUPLICATE_ID"
	OrphanNode     Code = "ORPHAN_NODE"
	Cycle          Code = "CYCLE"

	DiskError Code = "DISK_ERROR"

	InternalError Code = "INTERNAL"
)

var classes = map[Code]Class{
	VaultNotFound: NotFound, WorkspaceNotFound: NotFound, NodeNotFound: NotFound, ParentNotFound: NotFound,
	ReferenceNotFound: NotFound, SessionNotFound: NotFound, StateNotFound: NotFound,
	SlotNotFound: NotFound, EntryNotFound: NotFound, NoRepository: NotFound, RevisionNotFound: NotFound,
	NothingToUndo:  NotFound,
	PersonNotFound: NotFound, TokenNotFound: NotFound, NotAllowed: Refused, NameTaken: Refused, MemoryOff: Refused,
	CannotUndo: Refused, SyncStopped: Refused, Merging: Unreadable,
	InvalidParams: Invalid, UnknownParams: Invalid, AmbiguousID: Invalid, InvalidName: Invalid, InvalidTitle: Invalid,
	InvalidContent: Invalid, InvalidNodeType: Invalid, InvalidPath: Invalid,
	DependenciesOpen: Refused, DependencyCycle: Refused,
	VerificationFailed: Refused, VerificationRunning: Refused, VerificationUnavailable: Refused,
	InvalidTransition: Refused, ConclusionRequired: Refused, IncompleteChildren: Refused, ExecutionChildren: Refused,
	InvalidParentStatus: Refused, RulesHashMismatch: Refused, CannotDeleteRoot: Refused, CannotMoveRoot: Refused, MoveCycle: Refused,
	WorkspaceActive: Refused, WorkspaceArchived: Refused, ReferenceExists: Refused, ConfirmationRequired: Refused,
	EnvironmentNotFound: NotFound, EnvironmentMissing: NotFound, ToolNotFound: NotFound, FileNotFound: NotFound, RequestNotFound: NotFound,
	PathOutside: Refused, PathProtected: Refused, EnvironmentUntrusted: Refused, ApprovalPending: Refused, ApprovalDenied: Refused,
	ToolRefused: Refused, LoopDetected: Refused, OutcomeUnknown: Refused, TrustDamaged: Unreadable,
	Conflicting:    Conflict,
	FileUnreadable: Unreadable, DuplicateID: Unreadable, OrphanNode: Unreadable, Cycle: Unreadable,
	DiskError:    Disk,
	CriteriaOpen: Refused,
}

// Class returns the code's class, Internal for a code that has none.
func (c Code) Class() Class { return classes[c] }

// An Error is what every operation fails with: who, what, and what would work. Nothing was changed, unless
// Details.Committed says otherwise.
type Error struct {
	Code    Code     `json:"code"`
	Message string   `json:"message"`
	Details *Details `json:"details,omitempty"`
	err     error
}

// Details are the facts of an error, for programs.
type Details struct {
	NodeID       string            `json:"nodeId,omitempty"`
	Status       string            `json:"status,omitempty"`
	Action       string            `json:"action,omitempty"`
	Allowed      []string          `json:"allowed,omitempty"`      // actions that would be accepted
	OpenChildren []string          `json:"openChildren,omitempty"` // children that are not terminal, the first ones
	Unmet        []string          `json:"unmet,omitempty"`        // codes of every need that is not met
	BlockedBy    []string          `json:"blockedBy,omitempty"`    // open dependencies, of the node or a node above it
	Candidates   []Candidate       `json:"candidates,omitempty"`   // nodes or workspaces that the caller may have meant
	Param        string            `json:"param,omitempty"`
	Nearest      string            `json:"nearest,omitempty"` // the known name nearest to an unknown one
	Paths        []string          `json:"paths,omitempty"`
	Problems     []mdoc.Diagnostic `json:"problems,omitempty"`
	Text         string            `json:"text,omitempty"`      // the current text that the call wanted to replace
	Committed    bool              `json:"committed,omitempty"` // the change is made although the call failed: do not repeat it

	Criteria []mdstore.Criterion `json:"criteria,omitempty"` // the open criteria, or all of them

	Head string `json:"-"` // the message without candidates, for front ends that list them; "" if there is none
}

// A Candidate is a node or workspace that may have been meant.
type Candidate struct {
	ID    string `json:"id"`
	Title string `json:"title"`

	Short  string `json:"-"` // of a node: the id in replies
	Way    string `json:"-"` // of a node: the titles from the root to it
	Status string `json:"-"`
}

// Error returns the message in the words of MCP.
func (e *Error) Error() string { return say.Tools(e.Message) }

// In returns the error in the words of a front end; nil for nil.
func (e *Error) In(v say.Voice) *Error {
	if e == nil {
		return nil
	}
	said := *e
	said.Message = v.Text(e.Message)
	if e.Details != nil && e.Details.Head != "" {
		d := *e.Details
		d.Head = v.Text(d.Head)
		said.Details = &d
	}
	return &said
}

// Unwrap returns the cause, nil if the error has none.
func (e *Error) Unwrap() error { return e.err }

// Class returns the class of the error's code.
func (e *Error) Class() Class { return e.Code.Class() }

// New returns an Error with that message, which marks operations as package say defines. Marks in an *Error among args
// stay as they are.
func New(code Code, format string, args ...any) *Error {
	for i, a := range args {
		if e, ok := a.(*Error); ok {
			args[i] = e.Message
		}
	}
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With returns a copy of the error with these details.
func (e *Error) With(d Details) *Error {
	e.Details = &d
	return e
}

// As returns err as an Error: errors of the packages below get their code here and nowhere else, and all
// others are internal. It returns nil for nil.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	var (
		own        *Error
		refused    *statemachine.RefusedError
		unreadable *mdoc.UnreadableError
		edit       *mdoc.EditError
		conflict   *mdstore.ConflictError
		busy       *mdstore.BusyError
		unfinished *mdstore.UnfinishedError
		unmerged   *mdstore.UnmergedError
		server     *mdstore.ServerError
		unknown    *assemble.UnknownNodeError
		path       *fs.PathError
	)
	wrap := func(c Code, d Details) *Error {
		return &Error{Code: c, Message: err.Error(), Details: &d, err: err}
	}
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &unfinished) && unfinished.Unknown:
		return wrap(OutcomeUnknown, Details{})
	case errors.As(err, &unfinished): // any cause may have interrupted it
		return wrap(InternalError, Details{Committed: true})
	case errors.As(err, &server):
		return wrap(DiskError, Details{})
	case errors.As(err, &refused):
		return wrap(Code(refused.Code()), refusal(refused))
	case errors.As(err, &unreadable) && unreadable.Problem.Code == mdoc.CodeConflictMarkers:
		e := wrap(Merging, Details{Problems: []mdoc.Diagnostic{unreadable.Problem}})
		e.Message += endsConflict(unreadable.Problem.File)
		return e
	case errors.As(err, &unmerged):
		e := wrap(Merging, Details{Paths: []string{string(unmerged.Path)}})
		e.Message += endsConflict(string(unmerged.Path))
		return e
	case errors.As(err, &unreadable):
		return wrap(FileUnreadable, Details{Problems: []mdoc.Diagnostic{unreadable.Problem}})
	case errors.As(err, &edit):
		return wrap(InvalidContent, Details{Problems: []mdoc.Diagnostic{{File: edit.File, Line: edit.Line, Code: string(InvalidContent), Text: edit.Text}}})
	case errors.As(err, &conflict):
		d := Details{}
		for _, p := range conflict.Paths {
			d.Paths = append(d.Paths, string(p))
		}
		return wrap(Conflicting, d)
	case errors.As(err, &busy):
		return wrap(Conflicting, Details{Paths: []string{busy.Where}})
	case errors.As(err, &unknown):
		return wrap(NodeNotFound, Details{NodeID: string(unknown.ID)})
	case errors.Is(err, context.Canceled):
		return &Error{Code: InternalError, Message: "interrupted; nothing was changed", err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Conflicting, Message: "another process held the vault's lock for too long; nothing was changed: try again", err: err}
	case guard.Trouble(err) != "":
		what := strings.TrimPrefix(OfFile(err), "nothing was changed: ")
		return &Error{Code: DiskError, Message: what + "; nothing was changed: " + guard.Trouble(err) + ", and try again", err: err}
	case errors.As(err, &path):
		return &Error{Code: InternalError, Message: OfFile(err), Details: &Details{Paths: []string{path.Path}}, err: err}
	}
	return &Error{Code: InternalError, Message: OfFile(err), err: err}
}

// OfFile returns the text of an error without the name of the system call that failed: "notes.md: permission denied".
func OfFile(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return strings.Replace(err.Error(), p.Error(), p.Path+": "+p.Err.Error(), 1)
	}
	return err.Error()
}

// endsConflict returns how to resolve a conflict of git in a file.
func endsConflict(file string) string {
	return "; arbor conflicts shows it, arbor conflicts " + file + " --ours|--theirs|-e ends it"
}

const openShown = 20 // children that a refusal names; its message counts them all

func refusal(r *statemachine.RefusedError) Details {
	d := Details{Status: string(r.Standing.Status), Action: string(r.Do), OpenChildren: r.OpenChildren[:min(len(r.OpenChildren), openShown)], Allowed: []string{}}
	for _, a := range r.Allowed {
		d.Allowed = append(d.Allowed, string(a))
	}
	for _, u := range r.Unmet {
		d.Unmet = append(d.Unmet, string(u.Code))
	}
	return d
}

// Recoded returns the error under another code.
func Recoded(err error, c Code) error {
	e := *As(err)
	e.Code = c
	return &e
}
