package ops_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// A call sets own keys by values of JSON, and keys that Arbor knows by the same rules as its parameters.
func TestACallSetsOwnKeys(t *testing.T) {
	w, _ := severalWorld(t, rand.New(rand.NewPCG(1, 1)))
	env := &ops.Env{Engine: w.Engine}
	o, _ := ops.Find("node_update")
	for _, c := range []struct{ args, fields, refused string }{
		{`{"sprint": 7, "who": "nia", "late": true, "links": ["a", "b"], "when": "2026-12-01"}`,
			`{"late":true,"links":["a","b"],"sprint":7,"when":"2026-12-01","who":"nia"}`, ""},
		{`{"sprint": 7.5, "who": null, "links": "c", "late": null}`, `{"links":["c"],"sprint":7.5,"when":"2026-12-01"}`, ""},
		{`{"priority": "P0", "links": null, "sprint": null, "when": null}`, `{}`, ""},
		{`{"priority": "urgent"}`, `{}`, "critical, high, medium, low"},
		{`{"due": "someday"}`, `{}`, "write it as 2026-12-01, today, tomorrow, fri, +3d"},
		{`{"statsu": "x"}`, `{}`, "the nearest one is status"},
		{`{"prio": "high"}`, `{}`, "the nearest one is priority"},
		{`{"Depend": "e1"}`, `{}`, "the nearest one is dependencies"},
		{`{"createdAt": 1}`, `{}`, "Arbor keeps itself"},
		{`{"meta": {"a": 1}}`, `{}`, "is an object"},
	} {
		in, err := o.Read(json.RawMessage(`{"nodeId": "e0", "fields": ` + c.args + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = o.Run(tctx, env, in); (err != nil) != (c.refused != "") ||
			err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Fatalf("%s: %v, want %q", c.args, err, c.refused)
		}
		got, err := ops.NodeGet(tctx, env, ops.NodeGetIn{NodeID: "e0"})
		if err != nil {
			t.Fatal(err)
		}
		if data, _ := json.Marshal(got.Node.Own); string(data) != c.fields {
			t.Fatalf("after %s the keys are %s, want %s", c.args, data, c.fields)
		}
	}
}
