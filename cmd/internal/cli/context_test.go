package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"arbor/context/assemble"
)

// A context keeps to its budget, counted as help says: the Markdown as printed; the JSON without indentation and
// without the members beside the context.
func TestABudgetIsCountedAsHelpSays(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		w.ok("log", "node-c", fmt.Sprintf("what was found out in round %d, in 中文 too", i))
	}
	for _, budget := range []int{400, 600, 800} {
		flags := []string{"context", "node-c", "--budget", fmt.Sprint(budget)}
		if page := w.ok(flags...); assemble.Tokens(len(page)) > budget {
			t.Errorf("budget %d: the page has %d tokens", budget, assemble.Tokens(len(page)))
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(w.ok(append(flags, "--format", "json")...)), &members); err != nil {
			t.Fatal(err)
		}
		delete(members, "changes")
		delete(members, "hint")
		data, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		if n := assemble.Tokens(len(data)); n > budget || !strings.Contains(string(data), `"reason":"budget"`) && !strings.Contains(string(data), `"reason":"limit"`) {
			t.Errorf("budget %d: the JSON has %d tokens: %s", budget, n, data)
		}
	}
}
