package ops_test

import (
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A node whose question is open is not offered and not claimed, by anybody and in whatever way an assistant tries to
// answer; a person's answer releases it.
func TestANodeWaitsForAPersonsAnswer(t *testing.T) {
	year := 365 * 24 * time.Hour
	for name, answer := range map[string]func(t *testing.T, w *enginetest.World) (releases bool){
		"nothing": func(*testing.T, *enginetest.World) bool { return false },
		"an assistant": func(t *testing.T, w *enginetest.World) bool {
			out := must(t, &ops.Env{Engine: w.Engine}, "log_append", map[string]any{"nodeId": "node-a", "event": "! yes"})
			if out["warnings"] == nil {
				t.Errorf("nothing says that the answer does not count: %v", out)
			}
			return false
		},
		"an assistant that says it is a person": func(t *testing.T, w *enginetest.World) bool {
			env := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman}
			out := must(t, env, "log_append", map[string]any{"nodeId": "node-a", "event": "! yes", "operator": "Human"})
			if out["warnings"] == nil {
				t.Errorf("nothing says that the answer does not count: %v", out)
			}
			return false
		},
		"with a transition": func(t *testing.T, w *enginetest.World) bool {
			env := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman, Caller: ops.ByPerson}
			must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "start", "log": "! yes",
				"reason": "! yes"})
			must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "fail", "conclusion": "! yes"})
			must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "retry"})
			return false
		},
		"a person": func(t *testing.T, w *enginetest.World) bool {
			env := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider}
			must(t, env, "log_append", map[string]any{"nodeId": "node-a", "event": "! yes"})
			return true
		},
		"at a terminal, as AI": func(t *testing.T, w *enginetest.World) bool {
			env := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorAI, Caller: ops.ByDecider}
			must(t, env, "log_append", map[string]any{"nodeId": "node-a", "event": "! yes"})
			return false
		},
	} {
		w := enginetest.New(t, vault("", map[string][2]string{
			"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
			"node-a": {
				"title: A\ntype: execution\nstatus: pending\nparentId: root",
				"## Log\n\n- [2026-01-01 10:00:00] [AI] ? no question\n",
			},
		}))
		ai := &ops.Env{Engine: w.Engine, Session: "s"}
		if out := must(t, ai, "node_next", map[string]any{}); len(out["nodes"].([]any)) != 1 {
			t.Errorf("an old line of the form of a question holds a node up: %v", out)
		}
		w.Tick(year)
		must(t, ai, "log_append", map[string]any{"nodeId": "node-a", "event": "which?", "question": true})
		w.Tick(time.Second)
		releases := answer(t, w)
		blocked := must(t, ai, "node_next", map[string]any{"blocked": true})["nodes"].([]any)
		if (len(blocked) == 0) != releases {
			t.Errorf("%s: blocked are %v", name, blocked)
		}
		for _, claim := range []bool{false, true} {
			out := must(t, ai, "node_next", map[string]any{"claim": claim})
			if is := len(out["nodes"].([]any)) == 1; is != releases {
				t.Errorf("%s: node_next with claim %v offers it: %v, want %v", name, claim, is, releases)
			}
		}
	}
}

func TestOnlyAssistantsAskAndOfNodes(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{
		"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
	}))
	person := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider}
	refused(
		t,
		w,
		person,
		errs.InvalidParams,
		"log_append",
		map[string]any{"nodeId": "root", "event": "x", "question": true},
	)
	refused(
		t,
		w,
		&ops.Env{Engine: w.Engine},
		errs.InvalidParams,
		"log_append",
		map[string]any{"event": "x", "question": true},
	)
	refused(
		t,
		w,
		&ops.Env{Engine: w.Engine},
		errs.InvalidParams,
		"log_append",
		map[string]any{"nodeId": "root", "event": " ", "question": true},
	)
}
