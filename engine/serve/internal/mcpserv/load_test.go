package mcpserv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// The limits of the reply of workspace_load for an ordinary workspace, in tokens, and of the tools of the set briefing,
// in bytes.
const (
	mostLoaded   = 1200
	mostBriefing = 5000
)

// The briefing of an ordinary workspace, with two sessions and three states, keeps within mostLoaded tokens.
func TestLoadTakesFewTokens(t *testing.T) {
	w := newWorld(t, Options{Toolsets: []string{ops.SetPlan, ops.SetBriefing}})
	w.save("agents/scout.md", "---\nid: scout\nname: Career Scout\n---\n\nYou help with the search for a post. You are honest about the odds, "+
		"you quote the posts that you read, and you never send a letter without asking.\n")
	p := w.connect(nil)
	made := p.do("workspace_init", map[string]any{"name": "Job Search 2025", "goal": "A post as a senior engineer by summer", "briefing": map[string]any{
		"description": "Everything about the next post", "rootFolder": ".", "agent": "scout",
		"purpose":     "Find a post as a senior engineer at a company that ships real products, within commuting distance or remote.",
		"currentGoal": "Five applications a week, two interviews by the end of the month.",
		"preferences": "- Letters of one page\n- No recruiters\n- Answers within a day",
		"workflows": []any{
			map[string]any{"name": "Apply", "when": "a post fits", "steps": []any{"Read the post twice", "Adapt the CV", "Write the letter", "Note it in the list"}},
			map[string]any{"name": "Prepare", "when": "an interview is set", "steps": []any{"Read about the company", "Rehearse three stories", "Prepare questions"}},
			map[string]any{"name": "Review", "when": "each Friday", "steps": []any{"Count applications", "Ask for feedback", "Plan the next week"}},
		},
		"keyFiles": []any{map[string]any{"path": "cv.md", "purpose": "the CV, two pages"}, map[string]any{"path": "companies.md", "purpose": "all companies with their state"},
			map[string]any{"path": "letters/best.md", "purpose": "the letter that worked"}},
	}})
	id := made["workspaceId"].(string)
	for i, name := range []string{"Set up the search", "First applications"} {
		w.save(mdstore.Path(fmt.Sprintf("%s/sessions/session-mj2hz4g%d-abcdef/Session.md", id, i)), fmt.Sprintf(
			"---\nid: session-mj2hz4g%d-abcdef\nname: %s\ndescription: Folders, CV and the first list of companies\nstartedAt: %d\nendedAt: null\n---\n\n## Log\n\n"+
				"- [2099-01-0%d 10:00:00] [AI] note: Rewrote the summary of the CV and asked two friends to read it\n", i, name, 1767225600000+i, i+1))
	}
	for i, name := range []string{"CV half done", "List of companies", "Before the interview"} {
		w.save(mdstore.Path(fmt.Sprintf("%s/states/state-mj2hz4g%d-abcdef.md", id, i)), fmt.Sprintf(
			"---\nid: state-mj2hz4g%d-abcdef\nname: %s\ndescription: What is done and what is open\nsessionId: session-mj2hz4g0-abcdef\ncreatedAt: %d\ntags: [cv, week-%d]\n---\n", i, name, 1767225600000+i, i))
	}
	for _, title := range []string{"Rework the CV", "List twenty companies", "Rehearse the stories"} {
		p.do("node_create", map[string]any{"workspaceId": id, "parentId": "root", "type": "execution", "title": title, "requirement": "r"})
	}
	for _, args := range []map[string]any{{"workspaceId": id}, {"id": id, "limit": 1}, {"workspaceId": id, "shape": "data"}} {
		r := p.try("workspace_load", args)
		if n := assemble.Tokens(len(textOf(r))); r.IsError || n > mostLoaded {
			t.Errorf("%v takes %d tokens, %d are allowed: %s", args, n, mostLoaded, textOf(r))
		} else {
			t.Logf("%v: %d tokens", args, n)
		}
	}
	data := p.do("workspace_load", map[string]any{"workspaceId": id, "limit": 1})
	for member, want := range map[string]int{"sessions": 1, "states": 1, "workflows": 3} {
		if got := len(items(data[member])); got != want {
			t.Errorf("%d %s, want %d", got, member, want)
		}
	}
	if got := data["workflows"].([]any)[0]; got != "Apply (a post fits):\n- Read the post twice\n- Adapt the CV\n- Write the letter\n- Note it in the list" {
		t.Errorf("a workflow is %q", got)
	}
	if got := fmt.Sprint(data["keyFiles"]); !strings.Contains(got, "cv.md:the CV, two pages") {
		t.Errorf("key files are %s", got)
	}
}

// A parameter of another tool set is listed only if that set is on, but is always accepted.
func TestParametersOfASet(t *testing.T) {
	size := 0
	for _, o := range ops.All() {
		both := toolOf(o, func(string) bool { return true })
		if o.Set == ops.SetBriefing {
			size += len(both.Name) + len(both.Description) + len(jsonOf(t, both.InputSchema))
		}
		alone := toolOf(o, func(set string) bool { return set == ops.SetPlan })
		listed := o.Name == "workspace_init" || o.Name == "workspace_list" || o.Name == "search" ||
			o.Name == "context_get" || o.Name == "workspace_status" || slices.Contains(starters[1:], o.Name)
		if more := len(jsonOf(t, both.InputSchema)) > len(jsonOf(t, alone.InputSchema)); more != listed {
			t.Errorf("%s has more parameters with the other tool sets: %v", o.Name, more)
		}
	}
	if t.Logf("%d bytes of names, descriptions and schemas", size); size > mostBriefing {
		t.Errorf("the tools of the set briefing take %d bytes, %d are allowed", size, mostBriefing)
	}
}
