package ops_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// Every leaf counts once by status and by assignee, spellings of one name are one, and each day has what the logs say.
func TestStatsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := enginetest.Plan(ws)
		now := enginetest.New(t, files).Engine.Now().Local()
		midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 30, 0, 0, now.Location())
		days, due, nodes, tagged := map[string]int{}, 0, rapid.IntRange(0, 9).Draw(rt, "nodes"), 0
		for i := range nodes {
			status := rapid.SampledFrom(statemachine.Statuses(statemachine.Execution)).Draw(rt, "status")
			front := fmt.Sprintf(
				"title: T\ntype: execution\nparentId: root\nstatus: %s\nassignee: %s\n",
				status,
				rapid.SampledFrom([]string{"nia", "'@Nia'", "[NIA, tom]"}).Draw(rt, "who"),
			)
			if rapid.Bool().Draw(rt, "tagged") {
				front += "tags: [a, b]\n"
				tagged++
			}
			if rapid.Bool().Draw(rt, "due") {
				front += "due: 2000-01-01\n"
				if !statemachine.Terminal(status) {
					due++
				}
			}
			at := midnight.AddDate(0, 0, -rapid.IntRange(0, 6).Draw(rt, "ago"))
			log := fmt.Sprintf(
				"## Conclusion\n\nc\n\n## Log\n\n- [%s] [AI] created\n- [%[1]s] [AI] complete: implementing → completed\n",
				at.UTC().Format(mdstore.TimeLayout),
			)
			if status == statemachine.Completed {
				days[at.Format(mdstore.DayLayout)]++
			}
			id := fmt.Sprintf("node-%d", i)
			files[mdstore.NodePath(ws, mdstore.ID(id))] = enginetest.Node(id, front, log)
		}
		env := &ops.Env{Engine: enginetest.New(t, files).Engine}
		out, err := ops.PlanStats(t.Context(), env, ops.PlanStatsIn{In: ops.In{WorkspaceID: ws}, Weeks: 2})
		if err != nil {
			rt.Fatal(err)
		}
		leaves := func(o statemachine.Outcomes) int { return o.Done + o.Open + o.GivenUp + o.NotNeeded }
		sum := 0
		for _, c := range out.ByStatus {
			sum += c.Nodes
		}
		if leaves(out.Outcomes) != nodes || sum != nodes || out.Overdue != due {
			rt.Fatalf("%+v, of %d nodes of which %d are overdue", out, nodes, due)
		}
		if nodes > 0 &&
			(len(out.ByAssignee) != 1 || out.ByAssignee[0].Name != "nia" || out.ByAssignee[0].Outcomes != out.Outcomes) {
			rt.Fatalf("by assignee: %+v of %+v", out.ByAssignee, out.Outcomes)
		}
		for _, tag := range out.ByTag {
			if leaves(tag.Outcomes) != tagged {
				rt.Fatalf("by tag: %+v, want %d of each", out.ByTag, tagged)
			}
		}
		for _, d := range out.Days {
			if d.Done != days[d.Day] {
				rt.Fatalf("%s: %d done, want %d", d.Day, d.Done, days[d.Day])
			}
		}
		if n := len(out.Days); n < 8 || n > 14 || out.Days[n-1].Day != now.Format(mdstore.DayLayout) {
			rt.Fatalf("%d days: %+v", n, out.Days)
		}
	})
}
