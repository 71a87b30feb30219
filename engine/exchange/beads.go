package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// beadsFiles are the places of the issues in a folder.
var beadsFiles = []string{".beads/issues.jsonl", "issues.jsonl", ".beads/beads.jsonl"}

func isBeads(s Source) bool {
	if s.Files != nil {
		return slices.ContainsFunc(beadsFiles, func(f string) bool { return slices.Contains(s.Files, f) })
	}
	if s.Name != "" && !strings.HasSuffix(strings.ToLower(s.Name), ".jsonl") {
		return false
	}
	data, err := s.Read("")
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	var x struct{ ID, Title, Type string }
	return err == nil && json.Unmarshal(first, &x) == nil &&
		(x.ID != "" && x.Title != "" || bytes.Contains(first, []byte(`"_type"`)))
}

// beadsWords are the status words of beads.
var beadsWords = map[string]statemachine.Status{"open": "", "blocked": "", "deferred": "", "pinned": "",
	"in-progress": statemachine.Implementing, "hooked": statemachine.Implementing, "closed": statemachine.Completed}

// readBeads reads what bd export prints, JSON lines: issues become nodes, memories entries of the slot beads.
func readBeads(r *reader) error {
	file := ""
	if i := slices.IndexFunc(beadsFiles, func(f string) bool { return slices.Contains(r.Files, f) }); i >= 0 {
		file = beadsFiles[i]
	}
	data, err := r.Read(file)
	if err != nil {
		return err
	}
	var all []*object
	ids, n := map[string]bool{}, 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\uFEFF"))) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		x := &object{at: r.at(file, n)}
		if err := json.Unmarshal(line, &x.members); err != nil {
			r.left(x.at, "the line is left out: it is no object in JSON")
			continue
		}
		switch kind := x.text("_type"); {
		case kind == "memory":
			r.memory(x)
		case kind != "" && kind != "issue":
			r.count("line(s) of type "+kind, 1)
		case word(scalarText(x.members["status"])) == "tombstone":
			r.count("deleted issue(s)", 1)
		case scalarText(x.members["id"]) == "" || scalarText(x.members["title"]) == "":
			r.left(x.at, "the issue is left out: it needs id and title")
		default:
			ids[scalarText(x.members["id"])] = true
			all = append(all, x)
		}
	}
	for _, x := range all {
		r.bead(x, ids)
	}
	return nil
}

// memory adds a memory to the entries of the slot.
func (r *reader) memory(x *object) {
	key, value := x.text("key"), x.text("value")
	if key == "" || strings.TrimSpace(value) == "" {
		r.left(x.at, "the memory is left out: it needs key and value")
		return
	}
	r.out.Memories = append(r.out.Memories, plan.ImportMemory{Key: key, Text: value, At: x.at})
}

func (r *reader) bead(x *object, ids map[string]bool) {
	id := x.text("id")
	it := plan.ImportItem{Key: r.key(id, x.at), At: x.at}
	it.Title, it.Requirement = x.text("title"), x.text("description")
	it.Status = r.status(beadsWords, x.text("status"), x.at)
	accept := x.text("acceptance_criteria")
	items, rest := criteria(accept, it.Status == statemachine.Completed)
	if len(items) == 0 && rest != "" && !strings.Contains(rest, "\n") {
		items, rest = []string{mdstore.Boxed(rest, it.Status == statemachine.Completed)}, ""
	}
	it.Criteria, it.Requirement = items, joined(it.Requirement, under("Acceptance Criteria", rest))
	it.Note = joined(under("Design", x.text("design")), under("Notes", x.text("notes")))
	if reason := x.text("close_reason"); it.Status == statemachine.Completed {
		it.Conclusion = reason
	} else {
		it.Note = joined(it.Note, under("Close reason", reason))
	}
	if p := x.text("priority"); p != "" {
		it.Priority = given("P" + strings.TrimPrefix(strings.ToUpper(p), "P"))
	}
	it.Assignee = x.texts("assignee")
	it.Tags = append(x.texts("labels"), x.texts("issue_type")...)
	if due, ok := mdstore.ParseTime(scalarText(x.members["due_at"])); ok {
		it.Due = given(due.Format(mdstore.DayLayout))
		x.take("due_at")
	}
	it.CreatedAt, it.UpdatedAt = x.time("created_at"), x.time("updated_at")
	r.beadLinks(&it, id, x, ids)
	var comments []struct {
		Author, Text string
		Created      string `json:"created_at"`
	}
	_ = json.Unmarshal(x.take("comments"), &comments)
	for _, c := range comments {
		said(&it, c.Author, c.Created, c.Text)
	}
	for _, key := range []string{"dependency_count", "dependent_count", "comment_count"} {
		x.take(key)
	}
	r.add(x.rest(r, it))
}

// beadLinks adds the links of an issue: its parent, dependencies and references.
func (r *reader) beadLinks(it *plan.ImportItem, id string, x *object, ids map[string]bool) {
	var links []struct {
		Issue string `json:"issue_id"`
		On    string `json:"depends_on_id"`
		Type  string
	}
	_ = json.Unmarshal(x.take("dependencies"), &links)
	for _, l := range links {
		switch {
		case l.Issue != "" && l.Issue != id:
			r.left(x.at, "a dependency of %s stands at %s; it is left out", l.Issue, id)
		case l.Type == "parent-child" && it.Up == "":
			it.Up = l.On
		case l.Type == "blocks" || l.Type == "":
			it.After = append(it.After, l.On)
		case l.Type == "waits-for" || l.Type == "conditional-blocks":
			r.left(x.at, "%s %s %s, which has another meaning in beads; it is a dependency now", id, l.Type, l.On)
			it.After = append(it.After, l.On)
		case !ids[l.On]:
			it.Note = joined(it.Note, fmt.Sprintf("%s: %s", l.Type, l.On))
		default:
			same := func(f mdstore.Ref) bool { return f.Target == l.On }
			if i := slices.IndexFunc(it.References, same); i >= 0 {
				it.References[i].Description += ", " + l.Type
			} else {
				it.References = append(it.References, mdstore.Ref{Target: l.On, Description: l.Type})
			}
		}
	}
}
