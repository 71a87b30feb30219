package setup

import (
	"context"
	_ "embed"
	"strings"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/engine/sessions"
)

// primer teaches an assistant with a shell how to work with the plan. Each command line in it is run by a test.
//
//go:embed prime.md
var primer string

const noPlan = "There is no plan here yet: `arbor init NAME --goal \"what is to be reached\"` makes one.\n"

// Prime returns how to work with a plan from a shell, and where the plan stands. e is nil where there is no vault.
// workspace is an id, a unique beginning of it, or a name; "" is the one that the session is about.
func Prime(ctx context.Context, e *engine.Engine, session, workspace string) (string, error) {
	if e == nil {
		return primer + "\n" + noPlan, nil
	}
	bound, active, err := meant(ctx, e, session)
	if workspace != "" {
		v, failed := (&ops.Env{Engine: e, Names: ops.NamesLoose}).In(ctx, workspace)
		if err = failed; err == nil {
			bound = sessions.Binding{WorkspaceID: v.Workspace().ID}
		}
	}
	text := noPlan
	switch {
	case err != nil:
		return "", err
	case bound.WorkspaceID != "":
		text, err = standing(ctx, e, bound, session, byCommand)
	case len(active) > 0:
		text = listText(active, e.BindingsDamaged(ctx), byCommand)
	}
	return primer + "\n" + strings.TrimSpace(text) + "\n", err
}
