package web

import "net/http"

// A menuItem is a view that the rail of each page leads to.
type menuItem struct {
	Path, Title string
	Address     string
	Here        bool // it is the view that is shown, or one of its things
	Waits       int  // what waits for the person; Now has it
}

// planForms are the views that show the plan.
var planForms = []menuItem{
	{Path: "plan", Title: "As an outline"}, {Path: "board", Title: "As a board"}, {Path: "graph", Title: "As a graph"},
}

// Menu returns the first links of the rail, which a phone shows at the bottom.
func (v *screen) Menu() []menuItem {
	all := []menuItem{{Path: "", Title: "Now", Waits: v.Waits}, {Path: "plan", Title: "Plan"}}
	if !v.Static {
		all = append(all, menuItem{Path: "search", Title: "Search"})
	}
	return v.places(all)
}

// Rest returns the other links of the rail. Requests and findings of check are no places: Now leads to them.
func (v *screen) Rest() []menuItem {
	all := []menuItem{
		{Path: "activity", Title: "Activity"}, {Path: "memory", Title: "Memory"}, {Path: "sessions", Title: "Sessions"},
	}
	if v.Static {
		all = append(all[1:], menuItem{Path: "check", Title: "Check"})
	}
	return v.places(all)
}

func (v *screen) places(all []menuItem) []menuItem {
	of := map[string]string{
		"overview": "", "board": "plan", "graph": "plan", "node": "plan", "approvals": "", "check": "",
		"slot": "memory", "doc": "plan", "session": "sessions", "state": "sessions",
	}
	here, ok := of[v.View]
	if !ok || v.Static && v.View == "check" {
		here = v.View
	}
	for i := range all {
		all[i].Here, all[i].Address = all[i].Path == here, v.page(all[i].Path, v.Workspace)
	}
	return all
}

// Empty reports whether the view needs a workspace and there is none yet.
func (v *screen) Empty() bool {
	return len(v.All) == 0 && v.View != "approvals" && v.View != "check" && v.View != "search"
}

// theme returns the colours that a person chose for this browser: light or dark; "" for those of the system.
func theme(r *http.Request) string {
	if c, err := r.Cookie("theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}
