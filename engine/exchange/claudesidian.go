package exchange

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// claudesidianFiles returns the files of a folder that can be workspaces.
func claudesidianFiles(s Source) (files []string) {
	for _, f := range s.Files {
		dir, name := path.Split(f)
		in := dir == ".workspaces/" || dir == "" && s.Name == ".workspaces"
		if in && strings.HasSuffix(name, ".json") && name != "index.json" && !strings.Contains(name, "schema") {
			files = append(files, f)
		}
	}
	return files
}

func isClaudesidian(s Source) bool {
	if s.Files != nil {
		return len(claudesidianFiles(s)) > 0
	}
	var x struct {
		RootFolder *string
		Sessions   map[string]json.RawMessage
	}
	data, err := s.Read("")
	return err == nil && strings.HasSuffix(s.Name, ".json") && json.Unmarshal(data, &x) == nil && x.RootFolder != nil
}

// A claudesidian reads one workspace.
type claudesidian struct {
	*jsonSource
	id string // of the workspace
}

// readClaudesidian reads a workspace of Claudesidian (Nexus before its events): the briefing, sessions with their
// traces, and states. Checkpoints become nodes.
func readClaudesidian(r *reader) error {
	files := claudesidianFiles(r.Source)
	if r.Files != nil && len(files) != 1 {
		return refused("%s has %d workspaces in .workspaces; import one of its files, each into a workspace of its own",
			r.named(), len(files))
	}
	f, err := r.json(strings.Join(files, ""))
	if err != nil {
		return err
	}
	x := &object{at: f.at(f.file, 1)}
	if err := json.Unmarshal(f.data, &x.members); err != nil {
		return f.wrong(err, "a workspace of Claudesidian")
	}
	(&claudesidian{f, x.text("id")}).workspace(x)
	return nil
}

// workspace reads a workspace: the briefing, sessions with their traces, and states.
func (c *claudesidian) workspace(x *object) {
	c.left(x.at, "the name of the workspace, %q, is not taken; yours keeps its name", x.text("name"))
	b := &plan.Briefing{Description: given(x.text("description")), RootFolder: given(x.text("rootFolder"))}
	c.context(b, x)
	c.out.Briefing = b
	sessions := c.members(x.take("sessions"), "sessions")
	for _, key := range slices.Sorted(maps.Keys(sessions)) {
		c.session(key, sessions[key])
	}
	for _, key := range []string{"created", "lastAccessed", "isActive"} {
		x.take(key)
	}
	if scalarText(x.members["isArchived"]) == "false" {
		x.take("isArchived")
	}
	for _, own := range x.rest(c.reader, plan.ImportItem{}).Own {
		c.left(x.at, "%s of the workspace, %s, is left out", own.Key, own.Value)
	}
}

// context reads the member context: the briefing and the nodes.
func (c *claudesidian) context(b *plan.Briefing, x *object) {
	y := &object{at: x.at}
	_ = json.Unmarshal(x.take("context"), &y.members)
	b.Purpose = given(y.text("purpose"))
	agent := &object{}
	_ = json.Unmarshal(y.take("dedicatedAgent"), &agent.members)
	preferences := y.texts("preferences")
	id := cmp.Or(agent.text("agentId"), x.text("dedicatedAgentId"))
	if x.take("dedicatedAgentId"); id != "" {
		name := agent.text("agentName")
		preferences = append(preferences, strings.TrimSpace("Agent: "+name+" "+id))
	}
	b.Preferences = given(strings.Join(preferences, "\n"))
	for _, w := range c.objects(y.take("workflows"), "the workflows") {
		steps := strings.Join(w.texts("steps"), "\n")
		if s := w.text("schedule"); s != "" && s != "{}" {
			steps += "\n\nSchedule: " + s
		}
		name := strings.Join(strings.Fields(w.text("name")), " ")
		if name == "" {
			name = "Workflow " + strconv.Itoa(len(b.Workflows)+1)
		}
		b.Workflows = append(b.Workflows, mdstore.Workflow{Name: name, When: w.text("when"), Steps: steps})
	}
	it := plan.ImportItem{}
	for _, target := range y.texts("keyFiles") {
		if ref := (mdstore.Ref{Target: target}); fits(ref) {
			addDoc(&it, ref)
		} else {
			c.left(c.at(c.Name, 0), "a key file is left out: %q", target)
		}
	}
	b.KeyFiles = it.Docs
	for _, p := range c.objects(y.take("checkpoints"), "the checkpoints", "description") {
		k := plan.ImportItem{At: p.at}
		if k.Title = p.text("description"); scalarText(p.members["date"]) != "" {
			if ms := when(p, "date"); ms != 0 {
				k.Due = given(time.UnixMilli(ms).UTC().Format(mdstore.DayLayout))
			}
		}
		k.Key = c.unique(c.id + "/" + k.Title)
		if p.text("completed") == "true" {
			k.Status = statemachine.Completed
		}
		c.add(p.rest(c.reader, k))
	}
	goal := joined(y.text("projectPlan"), it.Note)
	for _, key := range slices.Sorted(maps.Keys(y.members)) {
		if text := y.text(key); text != "" && text != "{}" && text != "[]" {
			goal = joined(goal, under(key, text))
		}
	}
	b.CurrentGoal = given(goal)
}

// members returns the objects in an object, by their names.
func (c *claudesidian) members(raw json.RawMessage, what string) map[string]*object {
	var all map[string]json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &all) != nil {
		c.left(c.at(c.file, 0), "the %s are left out: an object of them is expected", what)
	}
	out := map[string]*object{}
	for key, member := range all {
		x := &object{at: c.at(c.file, 0)}
		if err := json.Unmarshal(member, &x.members); err != nil {
			c.left(x.at, "%s of %s is left out: %v", key, what, err)
			continue
		}
		out[key] = x
	}
	return out
}

// when takes a time, in Unix milliseconds or as text.
func when(x *object, key string) int64 {
	if ms, err := strconv.ParseInt(scalarText(x.members[key]), 10, 64); err == nil {
		x.take(key)
		return ms
	}
	return x.time(key)
}

func (c *claudesidian) session(id string, x *object) {
	page := plan.ImportPage{Key: c.id + "/" + id, Name: x.text("name"), At: x.at, Kind: mdstore.SessionKind}
	if x.take("id"); page.Name == "" {
		page.Name = id
	}
	start, end := when(x, "startTime"), when(x, "endTime")
	x.take("isActive")
	traces := c.members(x.take("memoryTraces"), "memoryTraces")
	type line struct {
		at   int64
		item string
	}
	var log []line
	for _, key := range slices.Sorted(maps.Keys(traces)) {
		t := traces[key]
		at, kind := when(t, "timestamp"), t.text("type")
		if kind == "" {
			kind = plan.TraceNote
		}
		t.take("id")
		text := lead(kind, t.text("content"))
		for _, own := range t.rest(c.reader, plan.ImportItem{}).Own {
			text += "\n" + own.Key + ": " + own.Value.String()
		}
		stamp := time.UnixMilli(at).UTC().Format(mdstore.TimeLayout)
		log = append(log, line{at, mdstore.FormatLog(stamp, mdstore.OperatorAI, text)})
		end = max(end, at)
	}
	slices.SortStableFunc(log, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var items []string
	for _, l := range log {
		items = append(items, l.item)
	}
	states := c.members(x.take("states"), "states")
	page.Fields = []mdoc.FieldValue{{Key: mdstore.KeyStarted, Value: mdoc.Integer(start)},
		{Key: mdstore.KeyEnded, Value: mdoc.Integer(max(end, start))}}
	page.Fields = append(page.Fields, x.rest(c.reader, plan.ImportItem{}).Own...)
	page.Sections = []mdoc.SectionText{{Name: mdstore.SecLog, Items: append([]string{}, items...)}}
	c.out.Pages = append(c.out.Pages, page)
	for _, key := range slices.Sorted(maps.Keys(states)) {
		c.state(page.Key, key, states[key])
	}
}

func (c *claudesidian) state(session, id string, x *object) {
	page := plan.ImportPage{Key: session + "/" + id, Session: session, Name: x.text("name"), At: x.at}
	page.Kind = mdstore.StateKind
	if x.take("id"); page.Name == "" {
		page.Name = id
	}
	inner, y := &object{}, &object{}
	_ = json.Unmarshal(x.take("state"), &inner.members)
	_ = json.Unmarshal(inner.take("context"), &y.members)
	s := mdstore.State{ActiveTask: y.text("activeTask"), Conversation: y.text("conversationContext"),
		NextSteps: y.texts("nextSteps")}
	for _, f := range y.texts("activeFiles") {
		s.ActiveFiles = append(s.ActiveFiles, mdstore.ActiveFile{Path: f})
	}
	for _, o := range []*object{y, inner} {
		for _, key := range slices.Sorted(maps.Keys(o.members)) {
			if text := o.text(key); text != "" {
				s.Reasoning = joined(s.Reasoning, under(key, text))
			}
		}
	}
	page.Fields = []mdoc.FieldValue{{Key: mdstore.KeyCreated, Value: mdoc.Integer(when(x, "created"))}}
	if tags := x.texts("tags"); len(tags) > 0 {
		page.Fields = append(page.Fields, mdoc.FieldValue{Key: mdstore.KeyTags, Value: mdoc.List(tags...)})
	}
	page.Fields = append(page.Fields, x.rest(c.reader, plan.ImportItem{}).Own...)
	page.Sections = s.Sections()
	c.out.Pages = append(c.out.Pages, page)
}
