package ops

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/plan"
)

// EnvAttachIn names an environment that a session is to have.
type EnvAttachIn struct {
	SessionRef
	ID     string   `json:"id" req:"true" arg:"ENV"`
	Tools  []string `json:"tools,omitempty" help:"only these tools"`
	Folder string   `json:"folder,omitempty" help:"where relative paths begin"`
}

// EnvAttachOut is the result of env_attach.
type EnvAttachOut struct{ Wrote }

var envAttach = op("env_attach", writes|repeats, EnvAttach, Help{
	Summary: "attach an environment to the session",
	Use:     "env attach ENV",
	Text: `A call that names no environment goes to the session's own one, or else to the
first attached one that has the tool. Attached again, its tools and folder change.`,
	Example: "arbor env attach app --session s1",
})

// EnvAttach attaches an environment to a session, behind those that it has. Attached again, its tools and folder are
// others.
func EnvAttach(ctx context.Context, env *Env, in EnvAttachIn) (*EnvAttachOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	if _, err := h.Find(ctx, in.ID); err != nil {
		return nil, err
	}
	folder := in.Folder
	if folder != "" {
		if folder = path.Clean(folder); path.IsAbs(folder) || folder == ".." || strings.HasPrefix(folder, "../") || strings.ContainsAny(folder, " \t\r\n") {
			return nil, badParam("folder", "%q: a folder below the environment, without blanks, is expected", in.Folder)
		}
	}
	now := act.Attached{ID: in.ID, Folder: folder, Tools: in.Tools}.String()
	w, err := h.attach(ctx, func(all []string) ([]string, string) {
		i := slices.IndexFunc(all, func(item string) bool { return act.ParseAttached(item).ID == in.ID })
		switch {
		case i < 0:
			return append(slices.Clone(all), now), "attached the environment " + in.ID
		case all[i] == now:
			return all, ""
		}
		all = slices.Clone(all)
		all[i] = now
		return all, "attached the environment " + in.ID + " otherwise"
	})
	if err != nil {
		return nil, err
	}
	return &EnvAttachOut{*w}, nil
}

// EnvAttachHere registers a folder as an environment and attaches it to a session, or does nothing: a session that cannot
// have it leaves nothing registered and nothing trusted.
func EnvAttachHere(ctx context.Context, env *Env, in EnvRegisterIn, ref SessionRef) (*EnvRegisterOut, error) {
	h, err := hereOf(ctx, env, ref)
	if err == nil && h.Session == nil {
		err = noSessionFile()
	}
	if err != nil {
		return nil, err
	}
	before, err := h.Environments(ctx)
	if err != nil {
		return nil, err
	}
	out, err := EnvRegister(ctx, env, in)
	if err != nil {
		return nil, err
	}
	attached, err := EnvAttach(ctx, env, EnvAttachIn{SessionRef: ref, ID: out.ID})
	if err == nil {
		out.Hint = cmp.Or(out.Hint, attached.Hint)
		return out, nil
	}
	if !slices.ContainsFunc(before, func(e places.Environment) bool { return e.ID == out.ID }) {
		if _, gone := EnvRemove(ctx, env, EnvRemoveIn{ID: out.ID}); gone != nil {
			err = errs.New(errs.As(err).Code, "%v; %s stays registered: %v", err, out.ID, gone)
		}
	}
	return nil, err
}

// noSessionFile refuses what only a session with a file can have.
func noSessionFile() error {
	return errs.New(errs.SessionNotFound, "environments are attached to a session with a file; session_start makes one (arbor session start)")
}

// attach changes the list of a session's environments.
func (h *here) attach(ctx context.Context, edit func([]string) ([]string, string)) (*Wrote, error) {
	if h.Session == nil {
		return nil, noSessionFile()
	}
	t := target{ws: h.View.Workspace().ID}
	return done(ctx, h.env, t, h.env.act(Write{}, Match{}), plan.AttachSession{ID: h.Session.ID, Edit: edit}, "tool_list (arbor env tools) shows what it can do")
}
