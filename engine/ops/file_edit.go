package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

// FileEditIn is a text of a file and what takes its place.
type FileEditIn struct {
	Act
	Path    string `json:"path" req:"true"`
	Old     string `json:"old" req:"true" help:"the text, which stands there once"`
	New     string `json:"new" req:"true" empty:"ok"`
	IfMatch string `json:"ifMatch,omitempty"`
}

var fileEdit = op("file_edit", writes, FileEdit, Help{Summary: "replace one place of a file in an environment"})

// FileEdit replaces one place of a text file.
func FileEdit(ctx context.Context, env *Env, in FileEditIn) (*FileChanged, error) {
	return changeFile(ctx, env, in.Act, "file_edit", in, in.IfMatch, func(a *act.Call) (*jail.Change, error) {
		return a.Root.PlanEdit(a.At(in.Path), in.Old, in.New)
	})
}
