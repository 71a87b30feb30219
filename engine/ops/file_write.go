package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

// FileWriteIn is the content of a file.
type FileWriteIn struct {
	Act
	Path    string `json:"path" req:"true"`
	Content string `json:"content" req:"true" empty:"ok"`
	IfMatch string `json:"ifMatch,omitempty" help:"the version that was read"`
}

// FileChanged is what became of a file.
type FileChanged struct {
	Environment string `json:"environment"`
	Path        string `json:"path"`
	Version     string `json:"version,omitempty"`
	Undo        string `json:"undo"` // arbor env undo takes it back
	Out
}

var fileWrite = op("file_write", writes, FileWrite, Help{Summary: "write a file of an environment"})

// FileWrite gives a file a content.
func FileWrite(ctx context.Context, env *Env, in FileWriteIn) (*FileChanged, error) {
	return changeFile(ctx, env, in.Act, "file_write", in, in.IfMatch, func(a *act.Call) (*jail.Change, error) {
		return a.Root.PlanWrite(a.At(in.Path), in.Content)
	})
}

// changeFile makes the change that a tool plans.
func changeFile(
	ctx context.Context, env *Env, to Act, tool string, in any, ifMatch string, planned func(*act.Call) (*jail.Change, error),
) (*FileChanged, error) {
	out := &FileChanged{}
	where, err := use(ctx, env, to, tool, in, out, func(a *act.Call) error {
		c, err := planned(a)
		if err != nil {
			return err
		}
		out.Path, out.Version = c.Path, string(c.Now())
		out.Undo, err = a.Change(ctx, c, ifMatch)
		out.Hint = a.Unlogged
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Environment = where
	return out, nil
}
