package ops_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// Where a call does not say enough, the answer says which call does.
func TestAnswersLeadOn(t *testing.T) {
	w := enginetest.New(t, nil)
	env := &ops.Env{Engine: w.Engine, Session: "s9", Names: ops.NamesLoose}
	must(t, env, "workspace_init", map[string]any{"name": "One", "goal": "g"})
	must(t, env, "node_create", map[string]any{"title": "Web", "type": "planning"})
	must(t, env, "node_create", map[string]any{"title": "Same"})
	must(t, env, "node_create", map[string]any{"title": "Same", "parentId": "Web"})
	e := refused(t, w, env, errs.AmbiguousID, "node_get", map[string]any{"nodeId": "Same"})
	if !regexp.MustCompile(`: [0-9a-z]{6} \(One › Web › Same\), [0-9a-z]{6} \(One › Same\);`).MatchString(e.Error()) {
		t.Errorf("two nodes of one title: %s", e)
	}
	for query, leads := range map[string]bool{"how is the wages page made?": true, "wages page": false} {
		out := must(t, env, "search", map[string]any{"query": query})
		if strings.Contains(fmt.Sprint(out["hint"]), "ask with QUESTION") != leads {
			t.Errorf("search %q: %v", query, out["hint"])
		}
	}
	must(t, env, "workspace_init", map[string]any{"name": "Two", "goal": "g"})
	if e := refused(t, w, env, errs.AmbiguousID, "session_bind", nil); !strings.Contains(e.Error(), "session_bind with workspaceId") {
		t.Errorf("session_bind without a workspace: %s", e)
	}
}
