package exchange

import (
	"regexp"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore/pattern"
)

// A taskField is a field of a line of Obsidian Tasks.
type taskField struct {
	name string // of reader.setDate, or of a key of the node
	form func() *regexp.Regexp
}

func taskForm(signs, value string) func() *regexp.Regexp {
	return pattern.Of(`(?:^|\s*)(?:` + signs + `)\x{FE0F}?\s*(` + value + `)$`)
}

const (
	dateForm = `\d{4}-\d{2}-\d{2}`
	idForm   = `[A-Za-z0-9_-]+`
)

// taskFields are the fields that stand at the end of a line, each behind its sign or in brackets.
var taskFields = []taskField{
	{"due", taskForm(`📅|📆|🗓`, dateForm)}, {"scheduled", taskForm(`⏳|⌛`, dateForm)}, {"start", taskForm(`🛫`, dateForm)},
	{"created", taskForm(`➕`, dateForm)}, {"done", taskForm(`✅`, dateForm)}, {"dropped", taskForm(`❌`, dateForm)},
	{"repeat", taskForm(`🔁`, `[A-Za-z0-9, !]+`)}, {"onCompletion", taskForm(`🏁`, `[A-Za-z]+`)},
	{"id", taskForm(`🆔`, idForm)}, {"after", taskForm(`⛔`, idForm+`(?:\s*,\s*`+idForm+`)*`)},
	{"priority", pattern.Of(`\s*([🔺⏫🔼🔽⏬])\x{FE0F}?$`)},
	{"block", pattern.Of(`\s\^([A-Za-z0-9-]+)$`)},
	{"tag", pattern.Of(`(?:^|\s)#([^\s#!@$%^&*(),.?":{}|<>]+)$`)},
}

// bracketed matches a field of Dataview at the end of a line, and bracketNames what its keys are called here.
var (
	bracketed    = pattern.Of(`\s*,?\s*(?:\[([A-Za-z]+)::\s*([^\[\]]*?)\s*\]|\(([A-Za-z]+)::\s*([^()]*?)\s*\))$`)
	bracketNames = map[string]string{"due": "due", "scheduled": "scheduled", "start": "start", "created": "created",
		"completion": "done", "cancelled": "dropped", "priority": "priority", "repeat": "repeat",
		"onCompletion": "onCompletion", "id": "id", "dependsOn": "after"}
	taskPriorities = map[string]string{"🔺": "critical", "⏫": "high", "🔼": "medium", "🔽": "low", "⏬": "low",
		"highest": "critical", "high": "high", "medium": "medium", "low": "low", "lowest": "low"}
	tagWithin = pattern.Of(`(?:^|\s)#([^\s#!@$%^&*(),.?":{}|<>]+)`)
)

// fields takes the fields of a task from the end of its title, until something is none. It returns the task's id. Tags
// within the text stay in it.
func (v *vaultReader) fields(it *plan.ImportItem) (id string) {
	title, tags := strings.TrimSpace(it.Title), []string(nil)
	for title != "" {
		name, value, rest := lastField(title)
		switch name {
		case "":
		case "tag":
			tags = append(tags, value)
		case "id":
			id = value
		case "after":
			for d := range strings.SplitSeq(value, ",") {
				it.After = append(it.After, strings.TrimSpace(d))
			}
		case "priority":
			if p := taskPriorities[strings.ToLower(value)]; p != "" {
				it.Priority = &p
			}
		case "block":
			v.own(it, "blockId", value)
		default:
			v.setDate(it, name, value)
		}
		if name == "" || strings.TrimSpace(rest) == "" {
			break // a title remains
		}
		title = strings.TrimRight(rest, " \t")
	}
	for _, m := range tagWithin().FindAllStringSubmatch(title, -1) {
		tags = append(tags, m[1])
	}
	slices.Sort(tags)
	it.Title, it.Tags = title, append(it.Tags, slices.Compact(tags)...)
	return id
}

// lastField returns the field at the end of a line, and what stands before it.
func lastField(s string) (name, value, rest string) {
	if m := bracketed().FindStringSubmatchIndex(s); m != nil {
		at := 2
		if m[2] < 0 {
			at = 6
		}
		if name = bracketNames[s[m[at]:m[at+1]]]; name != "" {
			return name, s[m[at+2]:m[at+3]], s[:m[0]]
		}
	}
	for _, f := range taskFields {
		if m := f.form().FindStringSubmatchIndex(s); m != nil {
			return f.name, strings.TrimSpace(s[m[2]:m[3]]), s[:m[0]]
		}
	}
	return "", "", s
}
