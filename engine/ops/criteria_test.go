package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func criteriaWorld(t *testing.T, body string) *enginetest.World {
	return enginetest.New(t, vault("", map[string][2]string{
		"root":   {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"node-a": {"title: A\ntype: execution\nstatus: implementing\nparentId: root", body},
	}))
}

func criteriaOf(t *testing.T, w *enginetest.World) (texts []string, done map[string]bool) {
	out, err := ops.NodeGet(tctx, &ops.Env{Engine: w.Engine}, ops.NodeGetIn{NodeID: "node-a"})
	if err != nil {
		t.Fatal(err)
	}
	done = map[string]bool{}
	for _, c := range out.Node.Criteria {
		texts, done[c.Text] = append(texts, c.Text), c.Done
	}
	return texts, done
}

// A list of criteria is the list afterwards, in its order; equal texts keep their marks, new ones are open, and all
// other
// text of the file stays.
func TestListsOfCriteriaReplaceItems(t *testing.T) {
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		was, marks, body := []string{}, map[string]bool{}, "## Acceptance Criteria\n\nAll of these.\n\n"
		for i := range rnd.IntN(5) {
			text := fmt.Sprint("box ", i)
			was, marks[text] = append(was, text), rnd.IntN(2) == 0
			body += "- " + mdstore.Boxed(text, marks[text]) + "\n"
			if rnd.IntN(3) == 0 {
				body += "\n  more of " + text + "\n"
			}
		}
		w := criteriaWorld(t, body+"\n## Note\n\nmine\n")
		want := []string{}
		for _, text := range append(slices.Clone(was), "new 1", "new 2", "new 3") {
			if rnd.IntN(2) == 0 {
				want = append(want, text)
			}
		}
		rnd.Shuffle(len(want), func(i, j int) { want[i], want[j] = want[j], want[i] })
		for range 2 { // the second time it is so already
			if _, err := ops.NodeUpdate(tctx, decider(w), ops.NodeUpdateIn{NodeID: "node-a",
				Criteria: want}); err != nil {
				t.Fatalf("seed %d: %v: %v to %v", seed, err, was, want)
			}
		}
		texts, done := criteriaOf(t, w)
		if !slices.Equal(texts, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, texts, want)
		}
		file := ""
		for p, data := range w.Store.Files() {
			if strings.Contains(string(p), "node-a") && !p.Under(mdstore.LocalDir) {
				file = string(data)
			}
		}
		if !strings.Contains(file, "All of these.") || !strings.Contains(file, "## Note\n\nmine\n") {
			t.Fatalf("seed %d: text is lost in\n%s", seed, file)
		}
		for _, text := range want {
			if done[text] != marks[text] {
				t.Fatalf("seed %d: the mark of %q is lost", seed, text)
			}
			if strings.Contains(body, "more of "+text) && !strings.Contains(file, "more of "+text) {
				t.Fatalf("seed %d: what stands below %q is lost in\n%s", seed, text, file)
			}
		}
	}
}

// A node that gets criteria and loses them again has the body of before, to the byte; a heading that a person wrote
// something below stays.
func TestNoEmptyHeadingOfCriteriaIsLeft(t *testing.T) {
	for _, body := range []string{"Words.\n", "## Requirement\n\nr\n\n## Note\n\nmine\n", "## Note\n\nmine\n\n## Own\n",
		"## Acceptance Criteria\n\nAll of these.\n", "## 完成标准\n\n<!-- mine -->\n\n## Note\n\nx\n"} {
		w := criteriaWorld(t, body)
		file := func() (text string) {
			for p, data := range w.Store.Files() {
				if strings.Contains(string(p), "node-a") && !p.Under(mdstore.LocalDir) {
					text = string(data)
				}
			}
			_, text, _ = strings.Cut(text, "\n---\n")
			text, _, _ = strings.Cut(text, "\n## Log") // which says what was taken out
			return text
		}
		before := file()
		for _, criteria := range [][]string{{"one", "two"}, {}} {
			in := ops.NodeUpdateIn{NodeID: "node-a", Criteria: criteria}
			if _, err := ops.NodeUpdate(tctx, decider(w), in); err != nil {
				t.Fatal(err)
			}
		}
		if after := file(); strings.TrimRight(after, "\n") != strings.TrimRight(before, "\n") {
			t.Errorf("%q became\n%q", before, after)
		}
	}
}

// Only a person, in a way open to people alone, completes a node with open criteria; the log says so.
func TestOnlyAPersonForcesACompletion(t *testing.T) {
	in := ops.NodeTransitionIn{NodeID: "node-a", Action: "complete", Conclusion: "done", Force: true}
	for _, env := range []ops.Env{{}, {Caller: ops.ByPerson, Operator: mdstore.OperatorHuman}, {Caller: ops.ByDecider,
		Operator: mdstore.OperatorAI}} {
		w := criteriaWorld(t, "## Acceptance Criteria\n\n- [ ] one\n")
		env.Engine = w.Engine
		if _, err := ops.NodeTransition(tctx, &env, in); errs.As(err) == nil || errs.As(err).Code != errs.ToolRefused {
			t.Errorf("%+v: %v", env, err)
		}
	}
	w := criteriaWorld(t, "## Acceptance Criteria\n\n- [ ] one\n- [x] two\n")
	person := &ops.Env{Engine: w.Engine, Caller: ops.ByDecider, Operator: mdstore.OperatorHuman}
	if _, err := ops.NodeTransition(tctx, person, in); err != nil {
		t.Fatal(err)
	}
	out, err := ops.NodeGet(tctx, person, ops.NodeGetIn{NodeID: "node-a"})
	if err != nil {
		t.Fatal(err)
	}
	last := out.Node.Log[len(out.Node.Log)-1].Event
	if out.Node.Status != "completed" || !strings.Contains(last, "forced: ") || !strings.Contains(last, "1 (one)") {
		t.Errorf("it is %s; the log says %q", out.Node.Status, last)
	}
	if len(out.Node.Diagnostics) > 0 {
		t.Errorf("check finds %v", out.Node.Diagnostics)
	}
}

// decider is a person at a terminal.
func decider(w *enginetest.World) *ops.Env {
	return &ops.Env{Engine: w.Engine, Caller: ops.ByDecider, Operator: mdstore.OperatorHuman}
}

// Open criteria are no way around a completion: of a node that has begun only a person takes them out, and its log says
// so. Ticked ones may go, and further ones may come.
func TestOnlyAPersonTakesOutOpenCriteriaOfANodeThatHasBegun(t *testing.T) {
	const body = "## Acceptance Criteria\n\n- [ ] mine\n- [x] done\n"
	for _, c := range []struct {
		criteria []string
		refused  bool
	}{{[]string{}, true}, {[]string{"another", "done"}, true}, {[]string{"mine"}, false}, {[]string{"mine", "done", "more"}, false}} {
		w := criteriaWorld(t, body)
		in := ops.NodeUpdateIn{NodeID: "node-a", Criteria: c.criteria}
		_, err := ops.NodeUpdate(tctx, &ops.Env{Engine: w.Engine}, in)
		if refused := err != nil && errs.As(err).Code == errs.CriteriaOpen; refused != c.refused || !refused && err != nil {
			t.Errorf("%q: %v", c.criteria, err)
		}
		if !c.refused {
			continue
		}
		if _, err := ops.NodeUpdate(tctx, decider(w), in); err != nil {
			t.Errorf("%q by a person: %v", c.criteria, err)
		}
		if text := string(fileOf(w, "node-a")); !strings.Contains(text, "criteria taken out: mine") {
			t.Errorf("%q: the log does not say what was taken out: %s", c.criteria, text)
		}
	}
}

func fileOf(w *enginetest.World, node string) (data []byte) {
	for p, d := range w.Store.Files() {
		if strings.Contains(string(p), node) && !p.Under(mdstore.LocalDir) {
			data = d
		}
	}
	return data
}
