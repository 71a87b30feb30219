package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A planForm is how the plan is written for one program.
type planForm struct {
	name string
	id   func(plan []task, i int) string // what the program calls a node
	file func(plan []task, i int) string // where the node is written
	text func(plan []task, i int) string
	more map[string]string // other files
}

var planForms = []planForm{
	{
		name: "taskmd",
		id:   numbered("t-"),
		file: func(_ []task, i int) string { return filepath.Join("tasks", fmt.Sprintf("%05d-step.md", i)) },
		text: func(plan []task, i int) string {
			parent := ""
			if i > 0 {
				parent = fmt.Sprintf("parent: %q\n", numbered("t-")(plan, plan[i].parent))
			}
			return fmt.Sprintf("---\nid: %q\ntitle: %q\nstatus: %s\npriority: medium\n%screated: 2026-01-01\n---\n\n# %s\n%s",
				numbered("t-")(plan, i), title(i, &plan[i]), status(plan[i].status, "pending", "in-progress", "completed"), parent, title(i, &plan[i]), body(plan, i))
		},
		more: map[string]string{".taskmd.yaml": "dir: ./tasks\n"},
	},
	{
		name: "backlog",
		id:   func(_ []task, i int) string { return fmt.Sprintf("TASK-%d", i+1) },
		file: func(_ []task, i int) string {
			return filepath.Join("backlog", "tasks", fmt.Sprintf("task-%d - Step.md", i+1))
		},
		text: func(plan []task, i int) string {
			return fmt.Sprintf("---\nid: TASK-%d\ntitle: %q\nstatus: %s\nassignee: []\ncreated_date: '2026-01-01 10:00'\nlabels: []\ndependencies: []\nordinal: %d\n---\n\n"+
				"## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n%s<!-- SECTION:DESCRIPTION:END -->\n",
				i+1, title(i, &plan[i]), status(plan[i].status, "Todo", "Doing", "Done"), 1000*(i+1), strings.ReplaceAll(body(plan, i), "\n## ", "\n### "))
		},
		more: map[string]string{"backlog/config.yml": "project_name: \"Bench\"\ndefault_status: \"Todo\"\nstatuses: [\"Todo\", \"Doing\", \"Done\"]\nlabels: []\ndate_format: yyyy-mm-dd\n" +
			"auto_open_browser: false\nremote_operations: false\nauto_commit: false\nbypass_git_hooks: false\ncheck_active_branches: false\ntask_prefix: \"task\"\n"},
	},
	{
		name: "zk",
		id:   func(_ []task, i int) string { return fmt.Sprintf("step%05d.md", i) },
		file: func(_ []task, i int) string { return fmt.Sprintf("step%05d.md", i) },
		text: func(plan []task, i int) string {
			return fmt.Sprintf("---\ntitle: %q\nstatus: %s\n---\n%s", title(i, &plan[i]), plan[i].status, body(plan, i))
		},
	},
	{
		name: "beads",
		id:   numbered("bench-"),
		file: func([]task, int) string { return "issues.jsonl" },
		text: func(plan []task, i int) string {
			at := time.UnixMilli(created(i)).UTC().Format(time.RFC3339)
			line, _ := json.Marshal(map[string]any{ // of texts and numbers: it cannot fail
				"id": numbered("bench-")(plan, i), "title": title(i, &plan[i]), "description": body(plan, i), "status": status(plan[i].status, "open", "in_progress", "closed"),
				"priority": 2, "issue_type": "task", "created_at": at, "updated_at": at,
			})
			return string(line) + "\n"
		},
	},
}

func forms() []string {
	all := []string{"arbor"}
	for _, f := range planForms {
		all = append(all, f.name)
	}
	return all
}

func numbered(prefix string) func([]task, int) string {
	return func(_ []task, i int) string { return fmt.Sprintf("%s%05d", prefix, i) }
}

// status returns the name of a status where there are but three.
func status(s statemachine.Status, open, running, over string) string {
	switch {
	case statemachine.Terminal(s):
		return over
	case s == statemachine.Pending:
		return open
	}
	return running
}

// body returns a node's text without its front matter, so that every program has the same to read.
func body(plan []task, i int) string {
	_, text, _ := strings.Cut(string(nodePage(plan, i)), "\n---\n")
	return text
}

// writePlan writes the plan of n nodes into a folder in a program's form. It says what the program calls a node that is in work, and for Arbor the hash of
// the rules, which creating asks for.
func writePlan(form, dir string, n int, said io.Writer) error {
	if dir == "" {
		return errors.New("-write needs the folder to write to: -dir")
	}
	plan := planOf(n)
	i := 0
	for j := range plan {
		if plan[j].status == statemachine.Implementing && j <= n/2 || i == 0 {
			i = j
		}
	}
	if form == "arbor" {
		if _, err := generate(dir, n); err != nil {
			return err
		}
		_, err := fmt.Fprintln(said, plan[i].id, mdstore.RulesHash(rules))
		return err
	}
	for _, f := range planForms {
		if f.name != form {
			continue
		}
		texts := map[string]*strings.Builder{}
		for j := range plan {
			name := f.file(plan, j)
			if texts[name] == nil {
				texts[name] = &strings.Builder{}
			}
			texts[name].WriteString(f.text(plan, j))
		}
		for name, text := range f.more {
			texts[name] = &strings.Builder{}
			texts[name].WriteString(text)
		}
		for name, text := range texts {
			if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text.String())); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintln(said, f.id(plan, i))
		return err
	}
	return fmt.Errorf("%q is none of the forms: %s", form, strings.Join(forms(), ", "))
}
