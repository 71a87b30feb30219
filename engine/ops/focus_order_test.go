package ops_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Whatever is begun, focused and deleted: the context without a node is of the first focus that names a node, of the
// bound session, the connection, this machine and everybody; only context_focus without a bound session and the
// deletion of the shared focus write Workspace.md.
func TestTheFocusIsTheNearestThatIsThere(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 17))
		nodes := map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
		var ids []string
		for i := range 12 {
			ids = append(ids, fmt.Sprintf("node-%d", i))
			nodes[ids[i]] = [2]string{"title: N\ntype: execution\nstatus: pending\nparentId: root", ""}
		}
		w := enginetest.New(t, vault("", nodes))
		defer w.Engine.Attend("conn")()
		envs := map[string]*ops.Env{"": {Engine: w.Engine}, "bound": {Engine: w.Engine, Session: "bound"}, "conn": {Engine: w.Engine, Session: "conn"}, "free": {Engine: w.Engine, Session: "free"}}
		must(t, envs["bound"], "session_bind", map[string]any{"sessionId": "bound", "workspaceId": ws})
		names := []string{"", "bound", "conn", "free"}
		focus := map[string]string{} // by place: bound, conn, machine, shared
		places := map[string][]string{"bound": {"bound", "machine", "shared"}, "conn": {"conn", "machine", "shared"}, "free": {"free", "machine", "shared"}, "": {"machine", "shared"}}
		file := func() []byte { return bytes.Clone(w.Store.Files()[ws+"/Workspace.md"]) }
		for step := range 12 {
			who, i := names[rnd.IntN(len(names))], rnd.IntN(len(ids))
			id, before, writes := ids[i], file(), false
			own := func() {
				if who == "bound" {
					focus["bound"] = id
					return
				}
				if focus["machine"] = id; who != "" {
					focus[who] = id
				}
			}
			what := ""
			switch rnd.IntN(3) {
			case 0:
				what = "starts"
				if _, err := call(t, envs[who], "node_transition", map[string]any{"nodeId": id, "action": "start"}); err == nil {
					own()
				}
			case 1:
				what = "focuses"
				must(t, envs[who], "context_focus", map[string]any{"nodeId": id})
				if own(); who != "bound" {
					writes, focus["shared"] = focus["shared"] != id, id
				}
			default:
				what = "deletes"
				writes = focus["shared"] == id
				near := ""
				for _, place := range places[who] {
					if near == "" && focus[place] != "" {
						near = place
					}
				}
				must(t, envs[who], "node_delete", map[string]any{"nodeId": id})
				ids = append(ids[:i:i], ids[i+1:]...)
				mine := focus[near] == id && near != "shared"
				for place, f := range focus {
					if f == id {
						delete(focus, place)
					}
				}
				if writes {
					focus["shared"] = "root"
				}
				if id = "root"; mine {
					own()
				}
			}
			if wrote := !bytes.Equal(before, file()); wrote != writes {
				t.Fatalf("seed %d, step %d: %q %s %s, and Workspace.md is written: %v", seed, step, who, what, id, wrote)
			}
			for _, name := range names {
				want := "root"
				for _, place := range places[name] {
					if f := focus[place]; f != "" {
						want = f
						break
					}
				}
				if got := aboutIn(t, envs[name]); got != want {
					t.Fatalf("seed %d, step %d: %q %s %s, and the context of %q is of %s, want %s (%v)", seed, step, who, what, id, name, got, want, focus)
				}
			}
		}
	}
}

// A focus that cannot be noted keeps nothing from being begun, and a damaged note says nothing.
func TestADamagedNoteOfTheMachineSaysNothing(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Where: ops.Where{Workspace: ws}}
	for _, note := range []string{"", "{", "[]", "null", `{"focus": 7}`, `{"focus": {"` + ws + `": "../x"}}`} {
		w.Store.Put(mdstore.Path(".local/machine.json"), []byte(note))
		if got := aboutIn(t, env); got != "root" {
			t.Errorf("with the note %q the context is of %s", note, got)
		}
	}
	must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "start"})
	if got := aboutIn(t, env); got != "node-a" {
		t.Errorf("after a start the context is of %s", got)
	}
}
