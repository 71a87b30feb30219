package ops

import (
	"context"

	"arbor/engine"
)

// RulesOnce returns the rules of a workspace once per change: nil if it has returned the same rules on this machine
// before.
func RulesOnce(ctx context.Context, env *Env, in In) ([]string, error) {
	out, err := WorkspaceOwn(ctx, env, WorkspaceGetIn{In: in})
	if err != nil || out.Workspace.RulesHash == "" {
		return nil, err
	}
	w, hash, noted := out.ws, out.Workspace.RulesHash, false
	m, err := env.Engine.MachineOf(ctx)
	if noted = err == nil && m.Rules[w] == hash; noted {
		return nil, nil
	}
	return out.Workspace.Rules, env.Engine.EditMachine(ctx, func(m *engine.Machine) { m.Rules[w] = hash })
}
