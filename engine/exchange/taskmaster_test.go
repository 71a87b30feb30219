package exchange

import (
	"strings"
	"testing"
)

const tasksJSON = `{
  "master": {
    "tasks": [
      {"id": 1, "title": "Schema", "description": "Tables", "details": "users\nroles", "testStrategy": "Migrate twice",
       "status": "done", "priority": "high", "dependencies": [], "complexity": 5,
       "subtasks": [
         {"id": 1, "title": "Users", "status": "done", "dependencies": []},
         {"id": 2, "title": "Roles", "status": "pending", "dependencies": [1, "2.1"]}]},
      {"id": "2", "title": "API", "status": "review", "dependencies": ["1"], "tags": ["net"],
       "subtasks": [{"id": 1, "title": "Login", "status": "blocked", "dependencies": [3], "acceptanceCriteria": ["- fast", "safe"]},
       {"id": 2}]},
      {"id": 3},
      {"id": 4, "title": "Page", "status": "someday", "dependencies": [9]}
    ],
    "metadata": {"description": "Main line"}
  },
  "empty": {"tasks": []}
}`

func TestTaskmaster(t *testing.T) {
	r, err := Read(text("tasks.json", tasksJSON), "")
	if err != nil {
		t.Fatal(err)
	}
	want := `master | "Main line"
  Schema | "completed" | "Tables\n\nusers\nroles\n\n### Test strategy\n\nMigrate twice" | priority "high" | complexity=5
    Users | "completed"
    Roles | "[master:1.1 master:2.1]"
  API | "validating" | "[master:1]" | "[net]"
    Login | "[[ ] fast [ ] safe]" | "[master:2.3]"
  Page | "[master:9]"
`
	if got := drawn(r.Items); got != want {
		t.Errorf("items are\n%swant\n%s", got, want)
	}
	left := strings.Join(r.Left, "\n")
	for _, s := range []string{"tasks.json:11: an item is left out: it needs id and title", "tasks.json:12: an item is left out",
		`tasks.json:13: its status "someday" is not known`, "1 tag(s) without tasks", "1 status blocked, which is pending now"} {
		if !strings.Contains(left, s) {
			t.Errorf("%q lacks %q", left, s)
		}
	}
	if _, err := Read(text("tasks.json", "{\n\"a\": [}"), ""); err == nil || !strings.Contains(err.Error(), "tasks.json:2") {
		t.Errorf("a broken file has error %v", err)
	}
}
