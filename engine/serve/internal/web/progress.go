package web

import (
	"context"
	"fmt"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/statemachine"
)

// A progress is how far a plan is: parts that add up, and what was finished on the last days.
type progress struct {
	Parts    []progressPart
	Total    int
	Days     []dayBar
	Finished int // on these days
}

// A progressPart is a part of the bar. X and Width are percent.
type progressPart struct {
	Name, Class string
	Nodes       int
	X, Width    string
}

// A dayBar is a day in a drawing of daysShown bars, which is barsHigh high.
type dayBar struct {
	Day        string
	Done       int
	X, Y, High int
}

const (
	daysShown = 30
	barWide   = 10 // pixels, with the gap to the next one
	barsHigh  = 40
)

// progressOf counts the leaves of a plan.
func progressOf(snap *view.View) (p progress) {
	all, running := snap.Progress(), 0
	for n, frozen := range snap.Leaves() {
		begun := statemachine.Valid(n.Type, n.Status) && n.Status != statemachine.Initial(n.Type)
		if !frozen && begun && !statemachine.Terminal(n.Status) {
			running++
		}
	}
	x := 0
	p.Total = all.Done + all.Open + all.GivenUp + all.NotNeeded
	for _, part := range []progressPart{
		{Name: "done", Class: "p-done", Nodes: all.Done}, {Name: "running", Class: "p-running", Nodes: running},
		{Name: "given up", Class: "p-given", Nodes: all.GivenUp}, {Name: "not needed", Class: "p-none", Nodes: all.NotNeeded},
		{Name: "open", Class: "p-open", Nodes: all.Open - running},
	} {
		if part.Nodes == 0 && part.Name != "done" && part.Name != "open" {
			continue
		}
		percent := func(n int) string { return fmt.Sprintf("%.2f", 100*float64(n)/float64(max(1, p.Total))) }
		part.X, part.Width = percent(x), percent(part.Nodes)
		x += part.Nodes
		p.Parts = append(p.Parts, part)
	}
	return p
}

// days adds what was finished on each of the last days.
func (s *Site) days(ctx context.Context, in ops.In, p *progress) error {
	out, err := ops.PlanStats(ctx, s.env(), ops.PlanStatsIn{In: in, Weeks: daysShown/7 + 2})
	if err != nil {
		return err
	}
	days, most := out.Days[max(0, len(out.Days)-daysShown):], 1
	for _, d := range days {
		most = max(most, d.Done)
	}
	for i, d := range days {
		high := (d.Done*barsHigh + most - 1) / most
		p.Days = append(p.Days, dayBar{d.Day, d.Done, i * barWide, barsHigh - high, high})
		p.Finished += d.Done
	}
	return nil
}
