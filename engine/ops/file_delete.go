package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

// FileDeleteIn names a file.
type FileDeleteIn struct {
	Act
	Path    string `json:"path" req:"true"`
	IfMatch string `json:"ifMatch,omitempty"`
}

var fileDelete = op("file_delete", writes, FileDelete, Help{Summary: "delete a file of an environment; it stays in the trash"})

// FileDelete deletes a file.
func FileDelete(ctx context.Context, env *Env, in FileDeleteIn) (*FileChanged, error) {
	return changeFile(ctx, env, in.Act, "file_delete", in, in.IfMatch, func(a *act.Call) (*jail.Change, error) {
		return a.Root.PlanDelete(a.At(in.Path))
	})
}
