package main

import (
	"fmt"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

const (
	workspaceID = "ws-mjwtyz28-bench0"
	epoch       = 1767225600000 // Unix milliseconds; the time at which the root was made
	fanout      = 12            // parts of a group, and groups of an area
)

// A task is one node of the generated plan.
type task struct {
	id       mdstore.ID
	parent   int // the index of its parent; -1 for the root
	children int
	kind     statemachine.Type
	status   statemachine.Status
	part     int // the number of the part that it belongs to; -1 for the root, areas and groups
	place    int // its place in the part
}

// shape says of each place of a part whose child it is. The head of a part is on the fourth level, where the root is the first, so that the last places are on
var shape = [...]int{-1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 7, 7, 7, 7, 7, 7, 13, 13, 13, 13, 13, 13}

// The kinds of parts, by their number.
const (
	inWork    = iota // its leaves are in every status
	done             // all of it is over
	inWorkToo        // as inWork
	notBegun         // nothing has begun, and one branch was given up
	kinds
)

// planOf returns a plan of n nodes: areas of groups of parts of 25. It is the same each time, and a smaller plan is the beginning of a larger one, so that
// what is done in the first parts of both meets the same surroundings.
func planOf(n int) []task {
	plan := make([]task, 0, n)
	add := func(parent, part, place int, kind statemachine.Type) int {
		i := len(plan)
		if i == n {
			return i
		}
		id := mdstore.Root
		if i > 0 {
			id = mdstore.ID("node-" + strconv.FormatInt(created(i), 36) + "-" + suffix(i))
			plan[parent].children++
		}
		plan = append(plan, task{id: id, parent: parent, kind: kind, part: part, place: place})
		return i
	}
	add(-1, -1, 0, statemachine.Planning)
	area, group := 0, 0
	for part := 0; len(plan) < n; part++ {
		if part%(fanout*fanout) == 0 {
			area = add(0, -1, 0, statemachine.Planning)
		}
		if part%fanout == 0 {
			group = add(area, -1, 0, statemachine.Planning)
		}
		head := len(plan)
		add(group, part, 0, statemachine.Planning)
		for place := 1; place < len(shape) && len(plan) < n; place++ {
			kind := statemachine.Execution
			switch place {
			case 1, 2, 7, 13:
				kind = statemachine.Planning
			}
			add(head+shape[place], part, place, kind)
		}
	}
	for i := range plan {
		plan[i].status = statusOf(&plan[i])
	}
	return plan
}

// created returns when a node was made, and suffix the random end of its id.
func created(i int) int64 { return epoch + int64(i)*1000 }

func suffix(i int) string {
	s := strconv.FormatUint(uint64(i)*2654435761%(36*36*36*36*36*36), 36)
	return strings.Repeat("0", 6-len(s)) + s
}

var (
	anyStatus = []statemachine.Status{statemachine.Pending, statemachine.Implementing, statemachine.Validating, statemachine.Completed, statemachine.Failed}
	overOnes  = []statemachine.Status{statemachine.Completed, statemachine.Completed, statemachine.Failed}
)

// statusOf returns a status that the tables allow in the node's surroundings.
func statusOf(t *task) statemachine.Status {
	leaf := t.kind == statemachine.Execution
	kind := max(t.part, 0) % kinds
	switch {
	case t.part < 0 && t.children > 0:
		return statemachine.Monitoring
	case t.part < 0:
		return statemachine.Pending
	case kind == done && leaf:
		return overOnes[t.place%len(overOnes)]
	case kind == done && t.children == 0 && t.place > 0:
		return statemachine.Cancelled
	case kind == done && t.children > 0:
		return statemachine.Completed
	case kind == notBegun && !leaf && (t.place == 1 || t.place == 7 || t.place == 13):
		return statemachine.Cancelled
	case kind == notBegun && leaf:
		return statemachine.Pending
	case leaf:
		return anyStatus[(t.place+t.part)%len(anyStatus)]
	case t.children > 0:
		return statemachine.Monitoring
	case t.part%8 == 0:
		return statemachine.InPlanning
	}
	return statemachine.Pending
}

// title returns what a node is called. Every seventh title needs quotes in YAML.
func title(i int, t *task) string {
	switch {
	case i == 0:
		return "Bench"
	case t.part < 0:
		return fmt.Sprintf("Area %d of the plan", i)
	case chinese(i):
		return fmt.Sprintf("第 %d 部分：第 %d 步", t.part, t.place)
	case i%7 == 0:
		return fmt.Sprintf("Part %d: step #%d", t.part, t.place)
	}
	return fmt.Sprintf("Step %d of part %d", t.place, t.part)
}

// chinese reports whether a node is written in Chinese: one of three is.
func chinese(i int) bool { return i%3 == 2 }
