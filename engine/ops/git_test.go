package ops

import "slices"

// WithoutGit returns the operations that work in any vault.
func WithoutGit() []Operation {
	return slices.DeleteFunc(All(), func(o Operation) bool { return o.Git })
}
