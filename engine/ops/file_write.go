package ops

import (
	"context"

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
	return changeFile(ctx, env, in.Act, "file_write", in, in.IfMatch, func(a *acting) (*jail.Change, error) {
		return a.root.PlanWrite(a.at(in.Path), in.Content)
	})
}

// changeFile makes the change that a tool plans.
func changeFile(
	ctx context.Context, env *Env, act Act, tool string, in any, ifMatch string, planned func(*acting) (*jail.Change, error),
) (*FileChanged, error) {
	out := &FileChanged{}
	where, err := use(ctx, env, act, tool, in, out, func(a *acting) error {
		c, err := planned(a)
		if err != nil {
			return err
		}
		out.Path, out.Version = c.Path, string(c.Now())
		out.Undo, err = a.change(ctx, c, ifMatch)
		out.Hint = a.unlogged
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Environment = where
	return out, nil
}
