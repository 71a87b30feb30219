package web

// A menuItem is a view that the head of each page leads to.
type menuItem struct {
	Path, Title string
	Here        bool // it is the view that is shown, or one of its things
}

// planForms are the views that show the plan.
var planForms = []menuItem{
	{Path: "plan", Title: "As an outline"}, {Path: "board", Title: "As a board"}, {Path: "graph", Title: "As a graph"},
}

// Menu returns the links in the head of the page.
func (v *screen) Menu() []menuItem {
	all := []menuItem{
		{Path: "", Title: "Now"}, {Path: "plan", Title: "Plan"}, {Path: "activity", Title: "Activity"},
		{Path: "search", Title: "Search"}, {Path: "memory", Title: "Memory"}, {Path: "sessions", Title: "Sessions"},
		{Path: "approvals", Title: "Approvals"}, {Path: "check", Title: "Check"},
	}
	if v.Static {
		all = []menuItem{all[0], all[1], all[4], all[5], all[7]}
	}
	of := map[string]string{
		"overview": "", "board": "plan", "graph": "plan", "node": "plan",
		"slot": "memory", "session": "sessions", "state": "sessions",
	}
	here, ok := of[v.View]
	if !ok {
		here = v.View
	}
	for i := range all {
		all[i].Here = all[i].Path == here
	}
	return all
}

// Empty reports whether the view needs a workspace and there is none yet.
func (v *screen) Empty() bool {
	return len(v.All) == 0 && v.View != "approvals" && v.View != "check" && v.View != "search"
}
