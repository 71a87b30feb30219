package ops

import "slices"

// WithoutGit returns the operations that work in any vault: undo needs one on a disk, and has tests of its own.
func WithoutGit() []Operation {
	return slices.DeleteFunc(All(), func(o Operation) bool { return o.Git || o.Name == "undo" })
}
