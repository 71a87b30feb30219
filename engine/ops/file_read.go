package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

// FileReadIn names lines of a file.
type FileReadIn struct {
	Act
	Path   string `json:"path" req:"true" help:"relative to the environment"`
	Offset int    `json:"offset,omitempty" help:"the first line"`
	Limit  int    `json:"limit,omitempty" help:"how many lines"`
}

// FileReadOut is a part of a file.
type FileReadOut struct {
	Environment string `json:"environment"`
	jail.Excerpt
	Out
}

var fileRead = op("file_read", reads|repeats, FileRead, Help{Summary: "read lines of a file in an environment"})

// FileRead returns lines of a file, and notes that the session knows its version.
func FileRead(ctx context.Context, env *Env, in FileReadIn) (*FileReadOut, error) {
	out := &FileReadOut{}
	where, err := use(ctx, env, in.Act, "file_read", in, out, func(a *act.Call) error {
		text, err := a.Root.Read(ctx, a.At(in.Path), in.Offset, in.Limit)
		if err != nil {
			return err
		}
		out.Excerpt, a.Result = *text, text
		env.Memory.Show(a.Session, a.Place.ID, text.Path, string(text.Version))
		return nil
	})
	out.Environment = where
	return out, err
}
