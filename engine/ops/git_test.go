package ops

import "slices"

// WithoutGit returns the operations that work in any vault: undo, and those of environments, need one on a disk, and
// have tests of their own.
func WithoutGit() []Operation {
	return slices.DeleteFunc(All(), func(o Operation) bool { return o.Git || o.Name == "undo" || o.Set == SetEnvironments })
}
