package ops_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/statemachine"
)

// workerJob is the environment variable that makes the test binary a worker of the torture: its name, generation and
// the vault.
const workerJob = "ARBOR_TEST_WORKER"

// A report is a line that a worker writes to its parent: before an operation the attempt, after it the result.
type report struct {
	What  string     `json:"what"` // "try", "done", "refused", "partly", or "broken" for an unexpected error
	Key   string     `json:"key"`  // of the operation; no other text holds it
	Kind  kind       `json:"kind,omitempty"`
	Node  mdstore.ID `json:"node,omitempty"`  // that it is about
	Value string     `json:"value,omitempty"` // the new value of a register
	Time  int64      `json:"time"`            // Unix nanoseconds
	Error string     `json:"error,omitempty"`
}

// A kind says what an operation of the torture leaves in the files.
type kind string

const (
	said    kind = "said"    // an entry in a log
	made    kind = "made"    // a node of that title
	because kind = "because" // a transition with that reason
	ruled   kind = "ruled"   // a completion that also adds a rule to the workspace
	rule    kind = "rule"    // a rule
	problem kind = "problem" // registers: a node's problem, note, parent, isolation
	note    kind = "note"
	parent  kind = "parent"
	isolate kind = "isolate"
	refers  kind = "refers" // a reference from one node to another
	gone    kind = "gone"   // a node, and all below it, in the trash
)

// A worker makes operations until it dies.
type worker struct {
	name, generation string
	n                int
	rng              *rand.Rand
	env              *ops.Env
	ctx              context.Context
}

// work is what a copy of the test binary does: job is "name|generation|vault". It ends when its parent closes its
// input.
func work(job string) error {
	parts := strings.SplitN(job, "|", 3)
	st, err := dirstore.Open(parts[2], dirstore.Options{SaveQuiet: -1})
	if err != nil {
		return err
	}
	defer st.Close()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		cancel()
	}()
	e, err := engine.Open(ctx, st, engine.Options{})
	if err != nil {
		return err
	}
	w := &worker{name: parts[0], generation: parts[1], rng: rand.New(rand.NewPCG(rand.Uint64(), 1)), env: &ops.Env{Engine: e}, ctx: ctx}
	for ctx.Err() == nil {
		s, err := e.View(ctx, ws)
		if err != nil {
			if ctx.Err() == nil && errs.As(err).Code == errs.InternalError {
				w.tell(report{What: "broken", Error: err.Error()})
			}
			e.Refresh()
			continue // the editor is saving Workspace.md
		}
		w.once(s)
	}
	return nil
}

func (w *worker) tell(r report) {
	r.Time = time.Now().UnixNano()
	line, err := json.Marshal(r)
	if err == nil {
		_, err = os.Stdout.Write(append(line, '\n')) // in one call: a line is there or not
	}
	if err != nil {
		os.Exit(2)
	}
}

// do makes one operation and says so before and afterwards.
func (w *worker) do(k kind, node mdstore.ID, value string, op func(key string) (mdstore.ID, error)) {
	w.n++
	key := fmt.Sprintf("%sg%sn%d", w.name, w.generation, w.n)
	if value == "" {
		value = string(k) + " " + key + ";"
	}
	w.tell(report{What: "try", Key: key, Kind: k, Node: node, Value: value})
	id, err := op(key)
	switch {
	case err == nil:
		if node != "" {
			id = node
		}
		w.tell(report{What: "done", Key: key, Node: id})
	case w.ctx.Err() != nil:
	case errs.As(err).Code == errs.InternalError:
		w.tell(report{What: "broken", Key: key, Kind: k, Error: err.Error()})
	default:
		what := "refused"
		if d := errs.As(err).Details; d != nil && d.Committed {
			what = "partly" // the editor saved one of the files in the middle of it
		}
		w.tell(report{What: what, Key: key, Error: err.Error()})
		w.env.Engine.Refresh() // front ends do so before every call; here most calls begin with a view from before the editor's saves
	}
}

// own returns the nodes that this worker made, in all its lives. Other workers change them only as ancestors.
func (w *worker) own(s *view.View, t statemachine.Type) (out []*mdstore.Node) {
	for _, n := range s.Walk(mdstore.Root) {
		if n.Type == t && strings.HasPrefix(n.Title, "made "+w.name+"g") {
			out = append(out, n)
		}
	}
	return out
}

func pick[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }

// once makes one operation that fits the workspace as it is.
func (w *worker) once(s *view.View) {
	plans, tasks := w.own(s, statemachine.Planning), w.own(s, statemachine.Execution)
	all := slices.Concat(plans, tasks)
	in := ops.In{WorkspaceID: ws}
	if d := w.rng.IntN(100); d < 25 || len(all) < 3 {
		parents := hubs
		for _, p := range plans {
			parents = append(parents[:len(parents):len(parents)], p.ID)
		}
		w.create(s, pick(w.rng, parents))
	} else if d < 45 {
		nodes := append([]mdstore.ID{"", mdstore.Root}, hubs...)
		if w.rng.IntN(3) == 0 {
			nodes = []mdstore.ID{pick(w.rng, all).ID}
		}
		node := pick(w.rng, nodes)
		w.do(said, node, "", func(key string) (mdstore.ID, error) {
			_, err := ops.LogAppend(w.ctx, w.env, ops.LogAppendIn{In: in, NodeID: string(node), Event: "said " + key + ";"})
			return node, err
		})
	} else if d < 75 {
		w.transition(pick(w.rng, all))
	} else if d < 76 {
		w.do(rule, "", "", func(key string) (mdstore.ID, error) {
			_, err := ops.WorkspaceUpdateRules(w.ctx, w.env, ops.WorkspaceUpdateRulesIn{In: in, Action: "add", Rule: "rule " + key + ";"})
			return "", err
		})
	} else if d < 82 {
		n, to := pick(w.rng, tasks1(tasks, all)), pick(w.rng, hubs)
		w.do(parent, n.ID, string(to), func(string) (mdstore.ID, error) {
			_, err := ops.NodeMove(w.ctx, w.env, ops.NodeMoveIn{In: in, NodeID: string(n.ID), NewParentID: string(to), Cascade: w.rng.IntN(2) == 0})
			return n.ID, err
		})
	} else if d < 86 {
		n := pick(w.rng, all)
		w.do(problem, n.ID, "", func(key string) (mdstore.ID, error) {
			_, err := ops.ProblemUpdate(w.ctx, w.env, ops.ProblemUpdateIn{In: in, NodeID: string(n.ID), Problem: "problem " + key + ";"})
			return n.ID, err
		})
	} else if d < 89 {
		n := pick(w.rng, all)
		w.do(note, n.ID, "", func(key string) (mdstore.ID, error) {
			text := "note " + key + ";"
			_, err := ops.NodeUpdate(w.ctx, w.env, ops.NodeUpdateIn{In: in, NodeID: string(n.ID), Note: &text})
			return n.ID, err
		})
	} else if d < 92 {
		n, on := pick(w.rng, all), w.rng.IntN(2) == 0
		w.do(isolate, n.ID, fmt.Sprint(on), func(string) (mdstore.ID, error) {
			_, err := ops.NodeIsolate(w.ctx, w.env, ops.NodeIsolateIn{In: in, NodeID: string(n.ID), Isolate: on})
			return n.ID, err
		})
	} else if d < 95 {
		n, to := pick(w.rng, all), pick(w.rng, all)
		w.do(refers, n.ID, "", func(key string) (mdstore.ID, error) {
			_, err := ops.NodeReference(w.ctx, w.env, ops.NodeReferenceIn{In: in, NodeID: string(n.ID), TargetIDOrPath: string(to.ID), Action: "add", Description: "refers " + key + ";"})
			return n.ID, err
		})
	} else if len(all) > 12 || w.rng.IntN(3) == 0 {
		n := pick(w.rng, all)
		w.do(gone, n.ID, "", func(string) (mdstore.ID, error) {
			_, err := ops.NodeDelete(w.ctx, w.env, ops.NodeDeleteIn{In: in, NodeID: string(n.ID)})
			return n.ID, err
		})
	}
}

func tasks1(tasks, all []*mdstore.Node) []*mdstore.Node {
	if len(tasks) > 0 {
		return tasks
	}
	return all
}

func (w *worker) create(s *view.View, under mdstore.ID) {
	c := ops.NodeCreateIn{In: ops.In{WorkspaceID: ws}, ParentID: string(under), Type: "execution", Requirement: "first line\n\nsecond line\n\nthird line", RulesHash: s.Workspace().RulesHash(), Cascade: w.rng.IntN(2) == 0}
	switch w.rng.IntN(4) {
	case 0:
		c.Type = "planning"
	case 1:
		c.Role = new(mdstore.RoleInfoCollection)
	}
	w.do(made, "", "", func(key string) (mdstore.ID, error) {
		c.Title = "made " + key + ";"
		out, err := ops.NodeCreate(w.ctx, w.env, c)
		if err != nil {
			return "", err
		}
		return mdstore.ID(out.NodeID), nil
	})
}

func (w *worker) transition(n *mdstore.Node) {
	allowed := statemachine.Allowed(n.Type, n.Status)
	if len(allowed) == 0 {
		return
	}
	action := pick(w.rng, allowed)
	t := ops.NodeTransitionIn{In: ops.In{WorkspaceID: ws}, NodeID: string(n.ID), Action: string(action), Cascade: w.rng.IntN(2) == 0}
	k := because
	if action == statemachine.Complete && mdstore.ValueOf(n.Role) == mdstore.RoleInfoCollection && w.rng.IntN(4) == 0 {
		k = ruled
	}
	w.do(k, n.ID, "", func(key string) (mdstore.ID, error) {
		t.Reason = "because " + key + ";"
		switch {
		case k == ruled:
			t.Conclusion = "found out\n\n## Rules\n\n- rule " + key + ";\n"
		case action == statemachine.Complete || action == statemachine.Fail || action == statemachine.Cancel:
			t.Conclusion = "it is so"
		}
		_, err := ops.NodeTransition(w.ctx, w.env, t)
		return n.ID, err
	})
}
