package exchange

import (
	"encoding/json"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// todoFile matches the names of files of todo.txt.
var todoFile = pattern.Of(`(?i)^(.*[-_.])?(todo|done)\.txt$`)

func isTodotxt(s Source) bool {
	return s.Files == nil && todoFile().MatchString(s.Name) || slices.Contains(s.Files, "todo.txt")
}

var (
	todoLine  = pattern.Of(`^(?:(x)\s+(?:(\d{4}-\d\d-\d\d)\s+)?|\(([A-Z])\)\s+)?(?:(\d{4}-\d\d-\d\d)\s+)?(.*)$`)
	todoValue = pattern.Of(`^([A-Za-z][\w-]*):([^\s:/]\S*)$`)
)

// readTodotxt reads a file of todo.txt, or those of a folder: a task a line.
func readTodotxt(r *reader) error {
	files := []string{""}
	if r.Files != nil {
		files = []string{"todo.txt"}
		if slices.Contains(r.Files, "done.txt") {
			files = append(files, "done.txt")
		}
	}
	r.out.Scope = r.Name + "#"
	ids := map[string]string{} // keys by what id: says
	var all []plan.ImportItem
	for _, f := range files {
		data, err := r.Read(f)
		if err != nil {
			return err
		}
		at := 0
		for line := range strings.Lines(strings.ToValidUTF8(strings.TrimPrefix(string(data), "\uFEFF"), "\uFFFD")) {
			if at++; strings.TrimSpace(line) != "" {
				all = append(all, r.todo(strings.TrimSpace(line), r.at(f, at), ids))
			}
		}
	}
	for _, it := range all {
		it.Up = keyOr(ids, it.Up)
		for i, id := range it.After {
			it.After[i] = keyOr(ids, id)
		}
		r.add(it)
	}
	return nil
}

// keyOr returns the key for an id, and the id itself if it has none, which an import then names.
func keyOr(keys map[string]string, id string) string {
	if key, ok := keys[id]; ok {
		return key
	}
	return id
}

// identified notes the id of an item. Of several items with one id, the first has it.
func (r *reader) identified(it *plan.ImportItem, ids map[string]string, id string) {
	if ids[id] == "" {
		ids[id] = it.Key
	} else {
		r.left(it.At, "%s is the id of another item, too; what names it is that one", id)
	}
	r.own(it, "id", id)
}

// todo returns the item of a line. Its parent and dependencies are ids as the line has them.
func (r *reader) todo(line, at string, ids map[string]string) (it plan.ImportItem) {
	m := todoLine().FindStringSubmatch(line)
	it.At = at
	letter, id := m[3], ""
	if m[1] != "" {
		it.Status, it.Conclusion = statemachine.Completed, ended[statemachine.Completed]
		r.setDate(&it, "done", m[2])
	}
	r.setDate(&it, "created", m[4])
	var title []string
	for _, word := range strings.Fields(m[5]) {
		v := todoValue().FindStringSubmatch(word)
		if v == nil {
			title = append(title, word)
			continue
		}
		switch key, value := strings.ToLower(v[1]), v[2]; key {
		case "due":
			r.setDate(&it, key, value)
		case "pri":
			letter = strings.ToUpper(value)
		case "id":
			id = value
		case "p":
			it.Up = value
		case "dep":
			it.After = append(it.After, strings.Split(value, ",")...)
		case "t":
			r.setDate(&it, "start", value)
		case "rec":
			r.own(&it, "repeat", value)
		default:
			r.own(&it, v[1], value)
		}
	}
	if letter != "" {
		it.Priority = new([]string{"critical", "high", "medium", "low"}[min(int(letter[0]-'A'), 3)])
	}
	// projects and contexts at the end are tags alone, those within the text stay in it, too
	for i, word := range slices.Backward(title) {
		if len(word) < 2 || word[0] != '+' && word[0] != '@' {
			continue
		}
		it.Tags = slices.Insert(it.Tags, 0, word[1:])
		if i == len(title)-1 && i > 0 {
			title = title[:i]
		}
	}
	it.Title = strings.Join(title, " ")
	if it.Key = r.unique(r.out.Scope + it.Title); id != "" {
		r.identified(&it, ids, id)
	}
	return it
}

// setDate sets a date of an item by its name: due, created, done or dropped; all others are keys of its own.
func (r *reader) setDate(it *plan.ImportItem, name, date string) {
	if date == "" {
		return
	}
	at, ok := mdstore.ParseTime(date)
	switch {
	case name == "due" && ok:
		date = strings.TrimSpace(date)
		if day := date[:len(mdstore.DayLayout)]; day != date { // a time stays as a key
			r.own(it, "dueTime", date)
			date = day
		}
		it.Due = &date
	case name == "created" && ok:
		it.CreatedAt = at.UnixMilli()
	case (name == "done" || name == "dropped") && ok:
		it.UpdatedAt = at.UnixMilli()
		it.Conclusion = "was " + name + " on " + date
	default:
		if !ok && name == "due" {
			r.left(it.At, "its due date %q is no date; it is a key of the node", date)
		}
		r.own(it, name, date)
	}
}

// own adds a key of an item's own. One that Arbor has gets the kind before it.
func (r *reader) own(it *plan.ImportItem, key, value string) {
	x := object{members: map[string]json.RawMessage{key: quoted(value)}}
	*it = x.rest(r, *it)
}
