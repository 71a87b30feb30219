package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/statemachine"
)

type PlanStatsIn struct {
	In
	Where string `json:"where,omitempty" help:"only nodes that match QUERY"`
	Weeks int    `json:"weeks,omitempty" min:"1" max:"52" flag:"weeks" help:"the last N weeks by day; default 4"`
}

// PlanStatsOut counts leaves: nodes without children, other than the root.
type PlanStatsOut struct {
	statemachine.Outcomes
	Overdue    int        `json:"overdue,omitempty"` // leaves that should be done by now
	ByStatus   []Count    `json:"byStatus"`          // in the order of the life cycles
	ByAssignee []Tally    `json:"byAssignee"`        // by the first one, most open work first
	ByTag      []Tally    `json:"byTag"`
	Days       []DayCount `json:"days"` // what was completed on each day, from a Monday to today
	Out
}

// A Count is how many leaves have a status.
type Count struct {
	Status statemachine.Status `json:"status"`
	Nodes  int                 `json:"nodes"`
}

// A Tally counts the leaves of one assignee, or with one tag.
type Tally struct {
	Name string `json:"name"` // "" for no one
	statemachine.Outcomes
	Overdue int `json:"overdue,omitempty"`
}

// A DayCount is how many leaves were completed on a day.
type DayCount struct {
	Day  string `json:"day"`
	Done int    `json:"done"`
}

const statsWeeks = 4 // unless told otherwise

var planStats = op("plan_stats", reads|repeats, PlanStats, Help{
	Summary: "count nodes by status, assignee and tag, and completions per day",
	Use:     "stats",
	Text: `Counts leaves of the plan, or those that --where finds: by status; open, done,
given up and overdue by assignee (the first one) and by tag; and completions per
day of the last weeks, from the logs.`,
	Example: `arbor stats
arbor stats --where tag:pay --weeks 12`,
})

// PlanStats counts the leaves of a plan.
var PlanStats = reading(func(ctx context.Context, env *Env, in PlanStatsIn) (*PlanStatsOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	matches, doubt, err := env.where(ctx, s, in.Where)
	if err != nil {
		return nil, err
	}
	now := env.today()
	today, sinceMonday := now.Format(mdstore.DayLayout), (int(now.Weekday())+6)%7
	back := sinceMonday + 7*(cmp.Or(in.Weeks, statsWeeks)-1)
	first := time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, now.Location())
	status, done := map[statemachine.Status]int{}, map[string]int{}
	who, tags := map[string]*Tally{}, map[string]*Tally{}
	out := &PlanStatsOut{}
	for n, frozen := range s.Leaves() {
		if !matches(n) {
			continue
		}
		late := n.Overdue(today)
		count := func(o *statemachine.Outcomes, overdue *int) {
			if o.Add(n.Status, frozen); late && !frozen {
				*overdue++
			}
		}
		status[n.Status]++
		count(&out.Outcomes, &out.Overdue)
		t := tally(who, mdstore.FieldOf("assignee"), append(slices.Clone(n.Assignee), "")[0])
		count(&t.Outcomes, &t.Overdue)
		for _, tag := range n.Tags {
			t := tally(tags, mdstore.FieldOf(mdstore.KeyTags), tag)
			count(&t.Outcomes, &t.Overdue)
		}
		if n.Status == statemachine.Completed && (n.UpdatedAt == 0 || n.UpdatedAt >= first.UnixMilli()) {
			if at, ok := n.Reached(); ok {
				done[at.In(now.Location()).Format(mdstore.DayLayout)]++
			}
		}
	}
	for _, st := range statemachine.AllStatuses() {
		if status[st] > 0 {
			out.ByStatus = append(out.ByStatus, Count{st, status[st]})
		}
	}
	out.ByStatus = nonNil(out.ByStatus)
	out.ByAssignee, out.ByTag = ranked(who), ranked(tags)
	for day := first; day.Format(mdstore.DayLayout) <= today; day = day.AddDate(0, 0, 1) {
		text := day.Format(mdstore.DayLayout)
		out.Days = append(out.Days, DayCount{text, done[text]})
	}
	out.Sends(s.Workspace().ID)
	out.Hint = cmp.Or(doubt, "{node_list} names the nodes")
	return out, nil
})

// tally returns the tally of a name, whose spellings count as one.
func tally(all map[string]*Tally, f *mdstore.Field, name string) *Tally {
	name = f.Fold(name)
	if all[name] == nil {
		all[name] = &Tally{Name: name}
	}
	return all[name]
}

// ranked returns tallies, those with the most open work first; no one comes last.
func ranked(all map[string]*Tally) []Tally {
	out := []Tally{}
	for _, t := range all {
		out = append(out, *t)
	}
	none := func(t Tally) int {
		if t.Name == "" {
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b Tally) int {
		return cmp.Or(none(a)-none(b), b.Open-a.Open, b.Done-a.Done, strings.Compare(a.Name, b.Name))
	})
	return out
}
