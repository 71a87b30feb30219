package ops

import (
	"context"

	"arbor/engine/plan"
)

// NodeRestoreIn brings a node and all below it back from the trash.
type NodeRestoreIn struct {
	In
	NodeID  string // the last that was deleted with that id or title
	Parent  string // "" for the old one
	Cascade bool   // reopen completed or cancelled ancestors
	Write
}

// NodeRestoreOut says what came back, and where it hangs.
type NodeRestoreOut struct {
	*plan.Restored
	Wrote
}

// NodeRestore brings a node and all below it back from the trash. It is of the command line only: an assistant has no
// list of what people deleted.
func NodeRestore(ctx context.Context, env *Env, in NodeRestoreIn) (*NodeRestoreOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	ws := s.Workspace().ID
	r, err := env.Engine.Deleted(ctx, ws, in.NodeID)
	if err != nil {
		return nil, fail(err)
	}
	r.Cascade = in.Cascade
	if in.Parent != "" {
		if r.Parent, err = env.resolve(s, in.Parent, "parent"); err != nil {
			return nil, err
		}
	}
	done, w, err := apply(ctx, env, target{ws: ws, view: s}, env.act(in.Write, Match{}), r,
		"references to what was deleted stay expired; node_reference activate brings them back")
	if err != nil {
		return nil, err
	}
	return &NodeRestoreOut{done, w}, nil
}
