package ops

import (
	"fmt"

	"arbor/mdstore/mdoc"
)

// archivedHint is the hint of what could be done if the workspace were not archived.
const archivedHint = "the workspace is archived, and nothing in it can be begun or changed: workspace_restore makes it active again"

// damaged is the hint of what has a file that is closed to edits.
func damaged(ds []mdoc.Diagnostic) string {
	return "its file is damaged and cannot be changed until a person repairs it: " + ds[0].String()
}

// found is the hint of a node whose file something is wrong with.
func found(ds []mdoc.Diagnostic) string {
	s := "something is wrong with its file: " + beginning(ds[0].Code+": "+ds[0].Text, 400)
	if ds[0].Fix != "" {
		s += " (workspace_check with fix: " + ds[0].Fix + ")"
	}
	if len(ds) > 1 {
		s += fmt.Sprintf("; and %d more", len(ds)-1)
	}
	return s
}

// LostFiles says how many files of nodes no list shows.
func LostFiles(n int) string {
	if n == 1 {
		return "1 file of a node is in no place of the tree"
	}
	return fmt.Sprintf("%d files of nodes are in no place of the tree", n)
}
