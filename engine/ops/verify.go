package ops

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"arbor/engine"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// verifyOutput is how many bytes of the end of a tool's output an error shows.
const verifyOutput = 2000

// A run is the verification of what one node asks for: see mdstore.Basis.
type run struct {
	done   chan struct{} // closed at the end; what follows is set before
	passed *plan.Verified
	err    error
	ended  time.Time
}

// runKept is how long a result that no call has fetched is valid: later the files may differ.
const runKept = time.Minute

// stale reports whether a run ended longer ago than its result counts.
func (r *run) stale(now time.Time) bool {
	select {
	case <-r.done:
		return now.Sub(r.ended) > runKept
	default:
		return false
	}
}

// runs are the verifications that run, and those whose result no call has fetched yet, by node and Basis.
var runs = struct {
	sync.Mutex
	of map[string]*run // guarded by the mutex
}{of: map[string]*run{}}

// verifies runs what the verify of nodes names, before they are completed, and tells their transitions what passed.
// Other obstacles to completing a node are found first. A caller whose Patience ends gets VERIFICATION_RUNNING, and the
// same call again joins the run.
func (env *Env) verifies(
	ctx context.Context, s *view.View, in NodeTransitionIn, steps plan.Each[plan.Transition, *plan.Transitioned],
) error {
	looked := false
	for i, step := range steps {
		n, err := s.Known(step.Node)
		if err != nil {
			return fail(err)
		}
		items := mdstore.Verifies(s.Workspace(), n)
		if len(items) == 0 {
			continue
		}
		if !looked {
			dry := env.act(Write{DryRun: true}, in.Match)
			if _, _, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, dry, steps); err != nil {
				return fail(err)
			}
			looked = true
		}
		if steps[i].Verified, err = env.joined(ctx, s, n); err != nil {
			return fail(err)
		}
	}
	return nil
}

// joined waits for the verification of a node, which it starts if it does not run already.
func (env *Env) joined(ctx context.Context, s *view.View, n *mdstore.Node) (*plan.Verified, error) {
	basis, items, err := env.verified(ctx, s.Workspace().ID, n.ID)
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{env.Engine.Place(), string(n.Path), basis.String()}, "\x00")
	runs.Lock()
	maps.DeleteFunc(runs.of, func(_ string, r *run) bool { return r.stale(env.Engine.Now()) })
	r := runs.of[key]
	if r == nil {
		r = &run{done: make(chan struct{})}
		runs.of[key] = r
		lasting := ctx
		if env.Patience != nil {
			lasting = context.WithoutCancel(ctx)
		}
		go func() {
			defer close(r.done)
			r.passed, r.err = env.verifyNode(lasting, s.Workspace().ID, n, items, basis)
			r.ended = env.Engine.Now()
		}()
	}
	runs.Unlock()
	wait := ctx
	if env.Patience != nil {
		var cancel context.CancelFunc
		wait, cancel = env.Patience(ctx)
		defer cancel()
	}
	select {
	case <-r.done:
		runs.Lock()
		delete(runs.of, key)
		runs.Unlock()
		return r.passed, r.err
	case <-wait.Done():
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id := basis.String()[:6]
		return nil, errs.New(errs.VerificationRunning,
			"%s: verification %s still runs (%s); the same call again waits for it",
			view.Named(n), id, strings.Join(items, ", ")).With(errs.Details{NodeID: string(n.ID), Param: id})
	}
}

// verified returns mdstore.Basis and mdstore.Verifies of a node as it is now.
func (env *Env) verified(
	ctx context.Context, ws, id mdstore.ID,
) (basis mdstore.Version, items []string, err error) {
	err = env.Engine.Read(ctx, func(ctx context.Context) error {
		s, err := env.Engine.View(ctx, ws)
		if err != nil {
			return err
		}
		n, err := s.Known(id)
		if err == nil {
			basis, items = mdstore.Basis(s.Workspace(), n), mdstore.Verifies(s.Workspace(), n)
		}
		return err
	})
	return basis, items, err
}

// verifyNode runs each tool. The first that does not pass ends it, and is noted in the log of the node.
func (env *Env) verifyNode(
	ctx context.Context, ws mdstore.ID, n *mdstore.Node, items []string, basis mdstore.Version,
) (*plan.Verified, error) {
	h, err := hereOf(ctx, env, SessionRef{})
	if err != nil {
		return nil, errs.Recoded(err, errs.VerificationUnavailable)
	}
	out := &plan.Verified{Basis: basis}
	var all []*act.Verified
	for _, item := range items {
		v, err := h.Verify(ctx, item)
		if err != nil {
			return nil, err
		}
		event := mdstore.Verification{Item: item, Passed: v.Passed(), Code: v.Code, Took: v.Took, Commit: v.Commit}
		if !v.Passed() {
			note := plan.NoteFailed{Node: n.ID, Event: event.String()}
			_, _, logged := engine.Apply(ctx, env.Engine, ws, env.act(Write{}, Match{}), note)
			return nil, notPassed(n, v, logged)
		}
		out.Events, all = append(out.Events, event.String()), append(all, v)
	}
	if h, err = hereOf(ctx, env, SessionRef{}); err != nil {
		return nil, err
	}
	for _, v := range all {
		if !h.Same(ctx, v) {
			return nil, errs.New(errs.Conflicting,
				"%s: the definition of %s changed while it ran; complete the node again", view.Named(n), v.Item)
		}
	}
	return out, nil
}

// notPassed returns the error for a tool that did not pass. logged is why the node's log has no line of it.
func notPassed(n *mdstore.Node, v *act.Verified, logged error) error {
	how := fmt.Sprintf("ended with exit code %d", v.Code)
	if v.TimedOut {
		how = "was killed at its time limit"
	}
	text := strings.TrimSpace(v.Output)
	if cut := len(text) - verifyOutput; cut > 0 {
		if _, rest, ok := strings.Cut(text[cut:], "\n"); ok {
			text = rest
		} else {
			text = strings.ToValidUTF8(text[cut:], "")
		}
	}
	if text != "" {
		text = ":\n" + text
	}
	if logged != nil {
		how += " (its log has no line of this: " + logged.Error() + ")"
	}
	return errs.New(errs.VerificationFailed, "%s is not completed: %s %s in %s%s",
		view.Named(n), v.Item, how, v.Place, text).With(errs.Details{NodeID: string(n.ID), Status: string(n.Status)})
}

// commitAt returns the commit of a folder, with "+dirty" where files differ from it; "" without git.
func commitAt(ctx context.Context, dir string) string {
	s, err := gitrepo.StatusOf(ctx, dir)
	if err != nil || s.Commit == "" {
		return ""
	}
	if s.Changed+s.Unmerged > 0 {
		return s.Commit[:min(7, len(s.Commit))] + "+dirty"
	}
	return s.Commit[:min(7, len(s.Commit))]
}
