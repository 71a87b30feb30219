package engine

import (
	"bytes"
	"context"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// EndCopy moves a sync program's copy of a file to the trash and gives the file these bytes, in one commit. old is what
// the file must still be; nil: it is not there.
func (e *Engine) EndCopy(
	ctx context.Context, p mdstore.Path, old, data []byte, copied mdstore.Path, act plan.Act,
) (*plan.Outcome, error) {
	out := &plan.Outcome{DryRun: act.DryRun}
	defer e.live.Stale()
	return e.write(ctx, out, func() ([]mdstore.Change, error) {
		f, err := e.FileAt(ctx, p)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(f.Data, old) || (old == nil) != (f.Version == mdstore.Version{}) {
			return nil, errs.New(errs.Conflicting, "%s: somebody saved it meanwhile; nothing was changed: try again", p)
		}
		change := mdstore.Change{Path: p, Base: f.Version, New: data}
		if bytes.Equal(data, old) {
			change.New, change.Keep = nil, true
		} else {
			out.Files = []plan.FileChange{{Path: p, Old: f.Data, New: data, Version: mdstore.VersionOf(data),
				What: []view.Change{{Do: "changed", Name: p.Base()}}}}
		}
		to := mdstore.TrashPath(mdstore.TrashStamp(e.opt.Now(), "conflicts"), copied)
		out.Files = append(out.Files, plan.FileChange{Path: copied, To: to,
			What: []view.Change{{Do: "moved to the trash", Name: copied.Base()}}})
		return []mdstore.Change{change, {Path: copied, To: to}}, nil
	})
}
