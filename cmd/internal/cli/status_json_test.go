package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// As JSON, a status has no more nodes of a large tree than a list has, and counts the others; with --all it has all.
func TestStatusAsJSONIsBounded(t *testing.T) {
	w := newWorld(t)
	for i := range listLines + 30 {
		w.ok("add", fmt.Sprintf("Step %d", i), "--parent", "node-b", "-m", "x")
	}
	for _, all := range []bool{false, true} {
		args := []string{"status", "--json"}
		if all {
			args = append(args, "--all")
		}
		var out struct {
			Tree   []*ops.TreeNode
			Counts ops.Counts
			Hint   string
		}
		if err := json.Unmarshal([]byte(w.ok(args...)), &out); err != nil {
			t.Fatal(err)
		}
		shown, hidden := 0, 0
		walk(out.Tree, func(n *ops.TreeNode) { shown, hidden = shown+1, hidden+n.Hidden })
		if all != (shown == out.Counts.Total) || shown+hidden != out.Counts.Total || !all && shown > listLines {
			t.Errorf("arbor %v shows %d nodes and counts %d more, of %d", args, shown, hidden, out.Counts.Total)
		}
		if all == strings.Contains(out.Hint, "--all") {
			t.Errorf("arbor %v says %q", args, out.Hint)
		}
	}
}
