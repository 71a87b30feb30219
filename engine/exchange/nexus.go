package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// nexusFiles returns the event logs in a folder: CATEGORY/ID/shard-000001.jsonl, with the copies that sync programs
// make of shards, whose events are their own; and CATEGORY/ID.jsonl, as older versions wrote them.
func nexusFiles(s Source) (files []string, conversations int) {
	for _, f := range s.Files {
		at := path.Join(s.Name, f)
		dir, name := path.Split(at)
		dir = path.Clean(dir)
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		if strings.HasPrefix(name, "shard-") {
			dir = path.Dir(dir)
		} else if path.Base(path.Dir(dir)) != ".nexus" && path.Base(s.Name) != ".nexus" {
			continue
		}
		switch path.Base(dir) {
		case "workspaces", "tasks":
			files = append(files, f)
		case "conversations":
			conversations++
		}
	}
	return files, conversations
}

func isNexus(s Source) bool {
	if s.Files != nil {
		files, _ := nexusFiles(s)
		return len(files) > 0
	}
	if !strings.HasSuffix(s.Name, ".jsonl") {
		return false
	}
	data, err := s.Read("")
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	var x nexusEvent
	return err == nil && json.Unmarshal(first, &x) == nil && x.DeviceID != "" && x.Type != ""
}

// A nexusEvent is a line of an event log.
type nexusEvent struct {
	ID, Type, DeviceID                                 string
	Timestamp                                          int64
	WorkspaceID, SessionID, StateID, ProjectID, TaskID string
	DependsOnTaskID, NotePath, LinkType                string
	Data                                               map[string]json.RawMessage

	at string
}

// subject returns what the event is about, that thing's id, and what happened to it.
func (e nexusEvent) subject() (what, id, verb string) {
	what, verb, _ = strings.Cut(e.Type, "_")
	switch verb {
	case "created", "saved", "added":
		id = scalarText(e.Data["id"])
	case "updated", "deleted":
		id = map[string]string{"workspace": e.WorkspaceID, "session": e.SessionID, "state": e.StateID,
			"project": e.ProjectID, "task": e.TaskID}[what]
	default:
		id = e.TaskID // of a dependency or a note
	}
	return what, id, verb
}

// A nexus is what event logs say at their end.
type nexus struct {
	*jsonSource
	all   map[string]map[string]*object // by what it is and its id
	waits map[string]map[string]bool    // the tasks that a task waits for
	notes map[string]map[string]string  // the paths of a task's notes, with what they are
}

// readNexus reads the event logs of one workspace of Nexus: the briefing, sessions and states, as those of
// Claudesidian, and projects with their tasks.
func readNexus(r *reader) error {
	files, conversations := nexusFiles(r.Source)
	r.count("conversation log(s), which are not read", conversations)
	if r.Files == nil {
		files = []string{""}
	}
	n := &nexus{jsonSource: &jsonSource{reader: r, here: spot{line: 1}}, all: map[string]map[string]*object{},
		waits: map[string]map[string]bool{}, notes: map[string]map[string]string{}}
	events, err := n.events(files)
	if err != nil {
		return err
	}
	for _, e := range events {
		n.replay(e)
	}
	if len(n.all["workspace"]) > 1 {
		var names []string
		for _, id := range slices.Sorted(maps.Keys(n.all["workspace"])) {
			names = append(names, fmt.Sprintf("%s (%s)", scalarText(n.all["workspace"][id].members["name"]), id))
		}
		return refused("%s has %d workspaces: %s; import the folders of one of them, workspaces/… and tasks/…, and each "+
			"workspace into one of its own", r.named(), len(names), strings.Join(names, ", "))
	}
	for id, w := range n.all["workspace"] {
		n.workspace(id, w)
	}
	n.projects()
	return nil
}

// events returns the events of logs in the order of time, each once.
func (n *nexus) events(files []string) (all []nexusEvent, err error) {
	met := map[string]bool{}
	for _, file := range files {
		data, err := n.Read(file)
		if err != nil {
			return nil, err
		}
		line := 0
		for text := range bytes.Lines(data) {
			if line++; len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			e := nexusEvent{at: n.at(file, line)}
			if err := json.Unmarshal(text, &e); err != nil || e.Type == "" {
				n.left(e.at, "the line is left out: it is no event")
			} else if e.ID == "" || !met[e.ID] {
				met[e.ID] = true
				all = append(all, e)
			}
		}
	}
	begins := func(e nexusEvent) int {
		if _, _, verb := e.subject(); verb == "created" || verb == "saved" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b nexusEvent) int {
		return cmp.Or(cmp.Compare(a.Timestamp, b.Timestamp), cmp.Compare(begins(a), begins(b)), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

func (n *nexus) replay(e nexusEvent) {
	what, id, verb := e.subject()
	known := n.all[what]
	if known == nil {
		known = map[string]*object{}
		n.all[what] = known
	}
	switch verb {
	case "created", "saved", "added":
		if id == "" || id == "undefined" || id == "null" {
			n.left(e.at, "the %s is left out: it has no id", what)
			return
		}
		x := &object{members: e.Data, at: e.at}
		for key, of := range map[string]string{"workspaceId": e.WorkspaceID, "sessionId": e.SessionID} {
			if of != "" {
				x.members[key] = quoted(of)
			}
		}
		if what == "trace" {
			x.members["timestamp"] = json.RawMessage(strconv.FormatInt(e.Timestamp, 10))
		}
		known[id] = x
	case "updated":
		if x := known[id]; x != nil {
			maps.Copy(x.members, e.Data)
		}
	case "deleted":
		delete(known, id)
	case "dependency_added":
		put(n.waits, id, e.DependsOnTaskID, true)
	case "dependency_removed":
		delete(n.waits[id], e.DependsOnTaskID)
	case "note_linked":
		put(n.notes, id, e.NotePath, cmp.Or(e.LinkType, "reference"))
	case "note_unlinked":
		delete(n.notes[id], e.NotePath)
	default:
		n.count("event(s) "+e.Type, 1)
	}
}

// put sets a value in a map of maps.
func put[V any](all map[string]map[string]V, a, b string, v V) {
	if all[a] == nil {
		all[a] = map[string]V{}
	}
	all[a][b] = v
}

// inner takes a member that is JSON in a text.
func (x *object) inner(key string) json.RawMessage {
	text := x.text(key)
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// workspace reads a workspace with its sessions, in the form that they had in Claudesidian.
func (n *nexus) workspace(id string, w *object) {
	if context := w.inner("contextJson"); context != nil {
		w.members["context"] = context
	}
	sessions := map[string]map[string]json.RawMessage{}
	inside := map[string]map[string]map[string]any{} // by session: memoryTraces and states
	of := func(x *object) string {
		session := x.text("sessionId")
		x.take("workspaceId")
		if sessions[session] == nil {
			sessions[session] = map[string]json.RawMessage{}
			if s := n.all["session"][session]; s != nil {
				s.take("workspaceId")
				sessions[session] = s.members
			}
			inside[session] = map[string]map[string]any{"memoryTraces": {}, "states": {}}
		}
		return session
	}
	for session := range n.all["session"] {
		of(&object{members: map[string]json.RawMessage{"sessionId": quoted(session)}})
	}
	for trace, t := range n.all["trace"] {
		session := of(t)
		if sessions[session]["startTime"] == nil {
			sessions[session]["startTime"] = t.members["timestamp"]
		}
		t.members["type"] = quoted(t.text("traceType"))
		if data := t.inner("metadataJson"); data != nil {
			t.members["metadata"] = data
		}
		inside[session]["memoryTraces"][trace] = t.members
	}
	for state, t := range n.all["state"] {
		session := of(t)
		if sessions[session]["startTime"] == nil {
			sessions[session]["startTime"] = t.members["created"]
		}
		content := &object{}
		if text := t.inner("stateJson"); json.Unmarshal(text, &content.members) != nil {
			n.left(t.at, "the content of the state %s is left out: it is no JSON", state)
		}
		for _, copied := range []string{"id", "name", "workspaceId", "created", "sessionId", "timestamp", "state"} {
			content.take(copied)
		}
		context := &object{}
		if json.Unmarshal(content.members["context"], &context.members) == nil && context.take("workspaceContext") != nil {
			content.members["context"], _ = json.Marshal(context.members)
		}
		t.members["state"], _ = json.Marshal(content.members)
		inside[session]["states"][state] = t.members
	}
	for session, parts := range inside {
		for part, all := range parts {
			sessions[session][part], _ = json.Marshal(all)
		}
	}
	w.members["sessions"], _ = json.Marshal(sessions)
	w.take("id")
	(&claudesidian{n.jsonSource, id}).workspace(w)
}

// nexusWords are the status words of tasks and projects.
var nexusWords = map[string]statemachine.Status{"todo": "", "active": "", "in-progress": statemachine.Implementing,
	"done": statemachine.Completed, "completed": statemachine.Completed, "cancelled": dropped, "archived": dropped}

// projects makes planning nodes of projects, and nodes of their tasks.
func (n *nexus) projects() {
	older := func(what string) []string {
		ids := slices.Collect(maps.Keys(n.all[what]))
		slices.SortFunc(ids, func(a, b string) int {
			made := func(id string) int64 {
				at, _ := strconv.ParseInt(scalarText(n.all[what][id].members["created"]), 10, 64)
				return at
			}
			return cmp.Or(cmp.Compare(made(a), made(b)), cmp.Compare(a, b))
		})
		return ids
	}
	for _, id := range older("project") {
		x := n.all["project"][id]
		it := n.item(id, x, "name")
		n.add(x.rest(n.reader, it))
	}
	for _, id := range older("task") {
		x := n.all["task"][id]
		project, up := x.text("projectId"), x.text("parentTaskId")
		if n.all["project"][project] == nil && project != "" {
			n.count("task(s) of deleted projects", 1)
			continue
		}
		it := n.item(id, x, "title")
		if it.Up = project; n.all["task"][up] != nil {
			it.Up = up
		}
		it.Priority = given(x.text("priority"))
		if due := when(x, "dueDate"); due != 0 {
			it.Due = given(time.UnixMilli(due).UTC().Format(mdstore.DayLayout))
		}
		it.Assignee = x.texts("assignee")
		tags := &object{members: map[string]json.RawMessage{"tags": x.inner("tagsJson")}}
		it.Tags = tags.texts("tags")
		it.After = slices.Sorted(maps.Keys(n.waits[id]))
		for _, note := range slices.Sorted(maps.Keys(n.notes[id])) {
			n.docs(&it, n.notes[id][note], []string{note})
		}
		if done := when(x, "completedAt"); done != 0 {
			x.members["completedAt"] = quoted(time.UnixMilli(done).UTC().Format(mdstore.TimeLayout))
		}
		n.add(x.rest(n.reader, it))
	}
}

// item returns the item of a project or task.
func (n *nexus) item(id string, x *object, title string) (it plan.ImportItem) {
	it.Key, it.At = n.key(id, x.at), x.at
	it.Title, it.Requirement = x.text(title), x.text("description")
	it.Status = n.status(nexusWords, x.text("status"), x.at)
	it.CreatedAt, it.UpdatedAt = when(x, "created"), when(x, "updated")
	if data := x.inner("metadataJson"); data != nil {
		x.members["metadata"] = data
	}
	x.take("id")
	x.take("workspaceId")
	return it
}
