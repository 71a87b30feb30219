package engine

import (
	"arbor/mdstore"
	"arbor/statemachine"
)

// An Import is a whole workspace that comes from elsewhere. Its statuses and times are taken as they are, so that
// nothing is lost; what the tables forbid is a diagnostic afterwards, as it is for files written by hand.
type Import struct {
	ID         mdstore.ID
	Name, Goal string
	Archived   bool
	Rules      []string
	Docs       []mdstore.Ref
	Focus      mdstore.ID
	CreatedAt  int64 // Unix milliseconds
	UpdatedAt  int64
	Log        []mdstore.LogEntry
	Problem    mdstore.Problem
	Nodes      []ImportNode      // the root, whose id is mdstore.Root, among them; siblings in their order
	Files      map[string][]byte // further files, by path relative to the workspace's folder
}

// An ImportNode is one node of an Import.
type ImportNode struct {
	ID, Parent  mdstore.ID
	Type        statemachine.Type
	Status      statemachine.Status
	Role        mdstore.Role
	Title       string
	Isolated    bool
	Order       float64 // its place among its siblings; NaN leaves it to the time of creation
	CreatedAt   int64
	UpdatedAt   int64
	Requirement string
	Conclusion  string
	Note        string
	Docs        []mdstore.Ref
	References  []mdstore.Ref
	Log         []mdstore.LogEntry
	Problem     mdstore.Problem
}
