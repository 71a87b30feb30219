package act

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/errs"
)

// Verified is how the tool of an item of verify ended.
type Verified struct {
	Item     string // as in the file: "test package=./engine"
	Place    string // the id of the environment
	Code     int
	TimedOut bool
	Took     time.Duration
	Commit   string // git's commit where the tool ran, with "+dirty" if files differ from it; "" for none
	Output   string // bounded
	Digest   string // digest of the definition that ran
}

// Passed reports whether the tool ended with exit code 0.
func (v *Verified) Passed() bool { return v.Code == 0 && !v.TimedOut }

// Verify runs the tool of an item of verify, such as "test package=./engine": in the first attached environment that
// lists it, else in the project's. A person must have approved its definition; then it runs unasked, unless the
// definition asks for each call. If it cannot run, the error says what a person can do.
func (h *Here) Verify(ctx context.Context, item string) (*Verified, error) {
	name, args, err := checkOf(item)
	if err != nil {
		return nil, err
	}
	p, t, err := h.verifier(ctx, item, name)
	if err != nil {
		return nil, err
	}
	r, err := h.Open(p)
	if err != nil {
		return nil, unavailable(item, "%v", err)
	}
	defer r.Close()
	a := &Call{Place: p, Tool: t, Root: r, Session: h.Caller.Session, h: h, args: args, verifies: true}
	out := &Verified{Item: item, Place: p.ID, Digest: env.Digest(t), Commit: h.Commit(ctx, p.Root)}
	began := h.Engine.Now()
	res, refused, err := a.Run(ctx, args)
	switch e := errs.As(Jailed(err)); {
	case err == nil:
	case e.Code == errs.ApprovalPending || e.Code == errs.ApprovalDenied || e.Code == errs.FileNotFound:
		return nil, unavailable(item, "%s", e.Message)
	default:
		return nil, e
	}
	out.Code, out.TimedOut, out.Output, out.Took = res.Code, res.TimedOut, res.Output, h.Engine.Now().Sub(began)
	if refused != "" {
		out.Output += "\nconfined by " + res.Confined + ": " + refused
	}
	return out, nil
}

// Same reports whether the tool of an item is defined now as it was when it ran.
func (h *Here) Same(ctx context.Context, v *Verified) bool {
	name, _, _ := strings.Cut(v.Item, " ")
	p, t, err := h.verifier(ctx, v.Item, name)
	return err == nil && p.ID == v.Place && env.Digest(t) == v.Digest
}

// checkOf returns the tool and the arguments of an item of verify: "id", or "id key=value …".
func checkOf(item string) (tool string, args json.RawMessage, err error) {
	words, given := strings.Fields(item), map[string]string{}
	for _, w := range words[min(1, len(words)):] {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return "", nil, unavailable(item, "%q is no argument; verify has the id of a tool, and key=value", w)
		}
		given[name] = value
	}
	if len(words) == 0 {
		return "", nil, unavailable(item, "it names no tool")
	}
	args, err = json.Marshal(given)
	return words[0], args, err
}

// verifier returns the environment in which a tool verifies, and the tool.
func (h *Here) verifier(ctx context.Context, item, name string) (*env.Place, env.Tool, error) {
	var seen []*env.Place
	if h.Session != nil {
		seen = slices.DeleteFunc(slices.Clone(h.Places), func(p *env.Place) bool { return p.Primary })
	}
	project, err := h.project(ctx)
	if err != nil {
		return nil, env.Tool{}, err
	}
	if project != nil {
		seen = append(seen, project)
	}
	for _, p := range seen {
		i := slices.IndexFunc(p.Has, func(t env.Tool) bool { return t.Name == name && t.Command != nil })
		switch {
		case i < 0:
		case p.Host != env.Server:
			return nil, env.Tool{}, unavailable(item, "%s is on another machine, whose tools verify nothing here", p.ID)
		case p.Status == env.Untrusted:
			return nil, env.Tool{}, unavailable(item, "nobody of this machine trusts the environment %s; a person types: "+
				"arbor env trust %s", p.ID, p.ID)
		case p.Status != env.Active:
			return nil, env.Tool{}, unavailable(item, "the folder of the environment %s is gone; a person types: "+
				"arbor env restore %s", p.ID, p.ID)
		case p.Level == env.ReadOnly:
			return nil, env.Tool{}, unavailable(item, "the environment %s is for reading, where no program runs", p.ID)
		default:
			return p, p.Has[i], nil
		}
	}
	if project == nil {
		return nil, env.Tool{}, unavailable(item, "no environment is the project's folder; a person types: "+
			"arbor env add file:. --trust restricted --tools %s", name)
	}
	if why := env.Lacking(seen, name); why != "" {
		return nil, env.Tool{}, unavailable(item, "no environment has the tool %s%s", name, why)
	}
	return nil, env.Tool{}, unavailable(item, "no environment lists a tool %s: tools/%s.md of the vault defines it, and "+
		"the key tools of environments/%s.md lists it", name, name, project.ID)
}

// project returns the environment of the project's folder, nil for none. The first that can be used is preferred.
func (h *Here) project(ctx context.Context) (found *env.Place, err error) {
	dir, err := jail.Resolve(cmp.Or(h.Engine.Project(), "."))
	if err != nil {
		return nil, nil
	}
	all, err := h.Environments(ctx)
	if err != nil {
		return nil, err
	}
	look := *h
	look.Places = nil
	for _, e := range all {
		if root, err := h.Root(e); err == nil && root == dir {
			look.Add(ctx, e, nil)
		}
	}
	for _, p := range look.Places {
		if found == nil || found.Status != env.Active && p.Status == env.Active {
			found = p
		}
	}
	return found, nil
}

func unavailable(item, format string, args ...any) error {
	return errs.New(errs.VerificationUnavailable, "%s cannot be verified: %s", item, fmt.Sprintf(format, args...))
}
