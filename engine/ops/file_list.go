package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

// FileListIn names a folder.
type FileListIn struct {
	Act
	Path  string `json:"path,omitempty" help:"a folder; the root unless given"`
	Depth int    `json:"depth,omitempty" help:"levels of folders; 1 unless given"`
}

// FileListOut is what is in a folder.
type FileListOut struct {
	Environment string `json:"environment"`
	jail.Listing
	Out
}

var fileList = op("file_list", reads|repeats, FileList, Help{Summary: "list a folder of an environment"})

// FileList returns what is in a folder.
func FileList(ctx context.Context, env *Env, in FileListIn) (*FileListOut, error) {
	out := &FileListOut{}
	where, err := use(ctx, env, in.Act, "file_list", in, out, func(a *act.Call) error {
		all, err := a.Root.List(ctx, a.At(in.Path), in.Depth)
		if err != nil {
			return err
		}
		out.Listing, a.Result = *all, all
		return nil
	})
	out.Environment = where
	return out, err
}
