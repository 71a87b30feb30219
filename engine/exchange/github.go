package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// githubWords are states of issues, or reasons of those that are closed.
var githubWords = map[string]statemachine.Status{"open": "", "reopened": "", "closed": statemachine.Completed,
	"completed": statemachine.Completed, "not-planned": dropped, "duplicate": dropped}

func isGithub(s Source) bool {
	if s.Files != nil || s.Name != "" && !strings.HasSuffix(strings.ToLower(s.Name), ".json") {
		return false
	}
	data, err := s.Read("")
	data = bytes.TrimSpace(data)
	return err == nil && bytes.HasPrefix(data, []byte("[")) && bytes.Contains(data, []byte(`"number"`)) &&
		bytes.Contains(data, []byte(`"title"`))
}

// A githubRef is an issue as another one names it.
type githubRef struct {
	Number     int
	Title, URL string
	Repository struct{ NameWithOwner string }
}

var issueURL = pattern.Of(`^https?://[^/]+/([^/]+/[^/]+)/(?:issues|pull)/(\d+)`)

// key returns the key of an issue: repository#number.
func (g githubRef) key(repository string) string {
	if m := issueURL().FindStringSubmatch(g.URL); m != nil {
		return m[1] + "#" + m[2]
	}
	return cmp.Or(g.Repository.NameWithOwner, repository) + "#" + strconv.Itoa(g.Number)
}

// githubRefs returns a list of issues, also one that stands in an object as nodes.
func githubRefs(raw json.RawMessage) (all []githubRef) {
	var in struct{ Nodes []githubRef }
	if json.Unmarshal(raw, &all) != nil && json.Unmarshal(raw, &in) == nil {
		return in.Nodes
	}
	return all
}

// A github reads one list of issues.
type github struct {
	*jsonSource
	keys       map[string]bool   // of the issues of the list
	parents    map[string]string // by key
	milestones map[string]int    // how many issues have it
}

// readGithub reads what gh issue list --json prints: issues become nodes, below their parents or milestones.
func readGithub(r *reader) error {
	f, err := r.json("")
	if err != nil {
		return err
	}
	var list json.RawMessage
	if err := json.Unmarshal(f.data, &list); err != nil || !bytes.HasPrefix(list, []byte("[")) {
		return f.wrong(err, "the list that gh issue list --json prints")
	}
	g := &github{f, map[string]bool{}, map[string]string{}, map[string]int{}}
	all := g.objects(list, "the issues", "number", "title")
	refs := make([]githubRef, len(all))
	for i, x := range all {
		data, _ := json.Marshal(map[string]json.RawMessage{"number": x.members["number"], "url": x.members["url"]})
		if err := json.Unmarshal(data, &refs[i]); err != nil || refs[i].Number <= 0 {
			g.left(x.at, "an item is left out: its number is no number of an issue")
			refs[i].Number = 0
			continue
		}
		key := refs[i].key("")
		g.keys[key] = true
		for _, sub := range githubRefs(x.take("subIssues")) {
			g.parents[sub.key(repositoryOf(key))] = key
		}
		if title := milestoneOf(x).Title; title != "" {
			g.milestones[title]++
		}
	}
	for i, x := range all {
		if refs[i].Number == 0 {
			continue
		}
		g.issue(x, refs[i].key(""))
	}
	return nil
}

func repositoryOf(key string) string { return key[:strings.LastIndex(key, "#")] }

type githubMilestone struct{ Title, Description, DueOn string }

func milestoneOf(x *object) (m githubMilestone) {
	_ = json.Unmarshal(x.members["milestone"], &m)
	return m
}

func (g *github) issue(x *object, key string) {
	it := plan.ImportItem{Key: g.key(key, x.at), At: x.at}
	x.take("number")
	it.Title, it.Requirement = x.text("title"), strings.ReplaceAll(x.text("body"), "\r\n", "\n")
	state, reason := x.text("state"), x.text("stateReason")
	closed := x.text("closedAt")
	if it.Status = g.status(githubWords, state, x.at); it.Status != "" && reason != "" {
		it.Status = g.status(githubWords, reason, x.at)
	}
	if it.Status != "" {
		as := strings.ReplaceAll(word(cmp.Or(reason, "completed")), "-", " ")
		it.Conclusion = strings.TrimSpace("closed as " + as + " " + closed)
	}
	it.Tags, it.Assignee = names(x.take("labels"), "name"), names(x.take("assignees"), "login")
	it.Tags = append(it.Tags, names(x.take("issueType"), "name")...)
	it.CreatedAt, it.UpdatedAt = x.time("createdAt"), x.time("updatedAt")
	if who := names(x.take("author"), "login"); len(who) > 0 {
		x.members["author"] = quoted(who[0])
	}
	g.place(&it, x)
	for _, by := range githubRefs(x.take("blockedBy")) {
		if k := by.key(repositoryOf(key)); g.keys[k] {
			it.After = append(it.After, k)
		} else {
			ref := mdstore.Ref{Target: cmp.Or(by.URL, k), Description: "blocked by " + by.Title}
			it.References = append(it.References, ref)
		}
	}
	var comments []struct {
		Author          struct{ Login string }
		Body, CreatedAt string
	}
	_ = json.Unmarshal(x.take("comments"), &comments)
	for _, c := range comments {
		said(&it, c.Author.Login, c.CreatedAt, c.Body)
	}
	if url := x.text("url"); url != "" {
		g.docs(&it, "issue", []string{url})
	}
	for _, key := range []string{"id", "closed", "subIssuesSummary", "reactionGroups"} {
		x.take(key)
	}
	g.add(x.rest(g.reader, it))
}

// names returns the names in a list of objects, or in one.
func names(raw json.RawMessage, key string) (all []string) {
	var list []map[string]any
	if json.Unmarshal(raw, &list) != nil {
		list = make([]map[string]any, 1)
		_ = json.Unmarshal(raw, &list[0])
	}
	for _, x := range list {
		if name, _ := x[key].(string); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// place puts an issue below its parent, or below its milestone if other issues have that, too.
func (g *github) place(it *plan.ImportItem, x *object) {
	var parent githubRef
	_ = json.Unmarshal(x.take("parent"), &parent)
	repository := repositoryOf(it.Key)
	if parent.Number != 0 {
		g.parents[it.Key] = parent.key(repository)
	}
	if up := g.parents[it.Key]; g.keys[up] {
		it.Up = up
	} else if up != "" {
		ref := mdstore.Ref{Target: cmp.Or(parent.URL, up), Description: "parent " + parent.Title}
		it.References = append(it.References, ref)
	}
	m := milestoneOf(x)
	x.take("milestone")
	switch key := repository + "/milestone/" + m.Title; {
	case m.Title == "":
	case it.Up != "" || g.milestones[m.Title] < 2:
		x.members["milestone"] = quoted(m.Title)
	default:
		if it.Up = key; !g.keys[key] {
			g.keys[key] = true
			node := plan.ImportItem{Key: key, At: it.At}
			node.Title, node.Requirement = m.Title, m.Description
			node.Due = given(m.DueOn[:min(len(m.DueOn), len("2026-12-01"))])
			g.add(node)
		}
	}
}
