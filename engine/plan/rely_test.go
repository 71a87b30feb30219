package plan_test

import (
	"context"
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// Who completes a planning node has looked at each of its children: a commit is refused where one of them is another by
// then, as one that somebody reopened.
func TestACompletionReliesOnEachChild(t *testing.T) {
	files := enginetest.Plan("ws-a")
	for id, status := range map[mdstore.ID]string{"node-a": "completed", "node-b": "failed"} {
		files[mdstore.NodePath("ws-a", id)] = enginetest.Step(id, status, "")
	}
	w := enginetest.New(t, files)
	err := w.Read(t.Context(), func(ctx context.Context) error {
		v, err := w.View(ctx, "ws-a")
		if err != nil {
			return err
		}
		d := plan.New(v, plan.Act{}, plan.Options{Now: w.Now()})
		done := plan.Transition{Node: mdstore.Root, Action: statemachine.Complete, Conclusion: "done"}
		if _, err := done.Plan(d); err != nil {
			return err
		}
		for _, id := range []mdstore.ID{"node-a", "node-b"} {
			if p := mdstore.NodePath("ws-a", id); !slices.Contains(d.Touched(), p) {
				t.Errorf("the plan does not rely on %s: %v", p, d.Touched())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
