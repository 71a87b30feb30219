package ops_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/mdoc"
)

// opened calls f with operations on the vault, which is closed then.
func (p place) opened(t testing.TB, life *crashtest.Life, f func(*ops.Env)) {
	t.Helper()
	st, err := life.Open(string(p), dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	now, ids := enginetest.Start, 0
	e, err := engine.Open(tctx, st, engine.Options{
		Now:   func() time.Time { return now },
		After: enginetest.NoPause,
		NewID: func(prefix string) (mdstore.ID, error) {
			ids++
			return mdstore.ID(fmt.Sprintf("%s-mjv3xk00-%06d", prefix, ids)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f(&ops.Env{Engine: e})
}

// found returns the findings of the whole vault, after a repair if that is wanted, and whether the repair changed
// anything.
func (p place) found(t testing.TB, fix bool) (out []string, changed bool) {
	t.Helper()
	p.opened(t, &crashtest.Life{Hasty: true}, func(env *ops.Env) {
		r, err := ops.WorkspaceCheck(tctx, env, ops.WorkspaceCheckIn{Fix: fix})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Diagnostics {
			out = append(out, asText(d))
		}
		changed = r.Changed
	})
	return out, changed
}

func asText(d mdoc.Diagnostic) string { return d.File + ": " + d.Code + ": " + d.Text }

// linesOf counts the lines of all files, but for those of statuses, which follow from others.
func linesOf(files map[string]string) map[string]int {
	n := map[string]int{}
	for _, b := range files {
		for l := range strings.Lines(b) {
			if l = strings.TrimSpace(l); !strings.HasPrefix(l, "status: ") {
				n[l]++
			}
		}
	}
	delete(n, "")
	return n
}

// .local/ is deleted before each step of every operation, with the journal, the generation and the lock; the process
// dies there or goes on. The vault then holds every line that the whole operation leaves, check --fix leaves no finding
// that was not there before or after the operation, and work goes on.
func TestPrefixesAreMended(t *testing.T) {
	for _, o := range ops.WithoutGit() {
		for i, args := range samples[o.Name] {
			t.Run(fmt.Sprintf("%s/%d", o.Name, i), func(t *testing.T) {
				t.Parallel()
				x := &prefixes{name: o.Name, args: args}
				x.before(t)
				for step := 1; step <= x.steps; step++ {
					for k, dies := range []bool{true, false} {
						if !heavy && (step+i+len(o.Name))%6 != 3*k { // under a heavy load all of them, else every sixth
							continue
						}
						if complaints := x.interrupted(t, step, dies); len(complaints) > 0 {
							t.Errorf("step %d of %d, dies %v:\n\t%s", step, x.steps, dies, strings.Join(complaints, "\n\t"))
							return
						}
					}
				}
				t.Logf("%d steps", x.steps)
			})
		}
	}
}

// unlike names the files that differ.
func unlike(a, b map[string]string) (out []string) {
	for _, p := range slices.Sorted(maps.Keys(a)) {
		if was, ok := b[p]; !ok || was != a[p] {
			out = append(out, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[p]; !ok {
			out = append(out, "-"+p)
		}
	}
	return out
}

// prefixes are the states of the small vault between the steps of one operation.
type prefixes struct {
	name  string
	args  map[string]any
	steps int
	whole map[string]string // the files after the operation
	none  map[string]string // the files before it
	known []string          // what check says before the operation, or after it
	stays map[string]int    // lines that are there before the operation and after it
}

func (x *prefixes) before(t *testing.T) {
	p := settle(t, t.TempDir(), plan())
	x.none = p.files(t)
	was := linesOf(x.none)
	x.known, _ = p.found(t, false)
	life := &crashtest.Life{Hasty: true}
	p.opened(t, life, func(env *ops.Env) { must(t, env, x.name, x.args) })
	x.steps = life.Steps
	then, _ := p.found(t, false)
	x.known = append(x.known, then...)
	x.whole = p.files(t)
	x.stays = linesOf(x.whole)
	for l, n := range x.stays {
		x.stays[l] = min(n, was[l])
	}
}

// interrupted deletes .local/ before a step of the operation, at which the process dies or goes on, and returns the
// laws that are broken.
func (x *prefixes) interrupted(t *testing.T, step int, dies bool) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	p := settle(t, t.TempDir(), plan())
	life := &crashtest.Life{Hasty: true}
	if dies {
		life.At = step
	} else {
		life.Before = func(n int) {
			if n == step {
				p.forgetLocal(t)
			}
		}
	}
	p.opened(t, life, func(env *ops.Env) {
		life.Lives(func() {
			_, err := call(t, env, x.name, x.args)
			var unfinished *mdstore.UnfinishedError
			switch now := p.files(t); {
			case dies:
				complain("it returns (%v) though it died", err)
			case err == nil && !maps.Equal(now, x.whole):
				complain("it succeeds, but not all of it is there: %v", unlike(now, x.whole))
			case err != nil && !errors.As(err, &unfinished) && !maps.Equal(now, x.none):
				complain("it fails (%s), but changes %v", err.Message, unlike(now, x.none))
			}
		})
	})
	p.forgetLocal(t)
	left := p.files(t)

	got, _ := p.found(t, true)
	for _, d := range got {
		if !slices.Contains(x.known, d) {
			complain("mended, and still: %s", d)
		}
	}
	mended := p.files(t)
	have := linesOf(mended)
	for l, n := range x.stays {
		if have[l] < n {
			complain("%q stood in %d places, and stands in %d", l, n, have[l])
		}
	}
	if _, again := p.found(t, true); again || fmt.Sprint(p.files(t)) != fmt.Sprint(mended) {
		complain("mended twice is not mended once")
	}
	p.opened(t, &crashtest.Life{Hasty: true}, func(env *ops.Env) {
		list, err := ops.WorkspaceList(tctx, env, ops.WorkspaceListIn{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list.Workspaces {
			if w.ID == "ws-old" {
				continue // it has no nodes to begin with
			}
			for _, next := range []map[string]any{{"workspaceId": w.ID, "nodeId": "root", "operator": "AI", "event": "and on"}, {"workspaceId": w.ID, "operator": "AI", "event": "and on"}} {
				if _, err := call(t, env, "log_append", next); err != nil {
					complain("afterwards log_append(%v) fails: %s: %s", next, err.Code, err.Message)
				}
			}
		}
	})
	if len(complaints) > 0 {
		for _, name := range slices.Sorted(maps.Keys(left)) {
			complain("left: %s", name)
		}
	}
	return complaints
}
