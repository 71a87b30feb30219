package importtanmi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A graph is what a graph.json holds.
type graph struct {
	focus string
	nodes []*graphNode // in the order of the file
	memos []*memo      // in the order of the file
	rest  []member     // what the original does not know
}

// A graphNode is what graph.json says of a node.
type graphNode struct {
	key                  string // what other nodes call it
	dirName              string
	kind, status, role   string
	parent               string
	hasParent            bool
	children, references []string
	isolated             bool
	conclusion           string
	createdAt, updatedAt int64
	criteria             []criterion
	rest                 []member
	orphan               bool // known only by its folder
}

// A memo is what graph.json says of a memo.
type memo struct {
	key, dirName, title, summary string
	tags                         []string
	created, updated             string
	rest                         []member
}

// readGraph reads a graph.json as far as it can be read; damage is a warning, and whole is false.
func readGraph(path string, data []byte, rep *report) (g *graph, whole bool) {
	list, err := members(bytes.TrimPrefix(data, bom))
	if err != nil {
		rep.warn(path, "is damaged: %v; what stands before the damage is taken, nodes that are missing come from their folders", err)
	}
	o := newObject(path, "", list, rep)
	g = &graph{focus: o.line("currentFocus")}
	var version string
	if raw, ok := o.raw("version"); ok {
		version = strings.Trim(string(raw), `" `)
		o.taken["version"] = true
	}
	if major, _, _ := strings.Cut(version, "."); len(major) > 1 || major > "5" {
		rep.warn(path, "has version %s, and 5.0 is the newest that is known here: read as well as that goes", quote(version))
	}
	for _, m := range o.children("nodes") {
		g.nodes = append(g.nodes, readNode(m))
	}
	for _, m := range o.children("memos") {
		g.memos = append(g.memos, readMemo(m))
	}
	g.rest = o.rest()
	return g, err == nil
}

// children returns the members of a value that is an object of objects, each of them as an object.
func (o *object) children(key string) []*object {
	raw, ok := o.raw(key)
	if !ok {
		return nil
	}
	list, err := members(raw)
	if list == nil && err != nil {
		o.mismatch(key, "an object")
		return nil
	}
	o.taken[key] = true
	var all []*object
	var odd []member
	for _, m := range list {
		inner, err := members(m.raw)
		if err != nil && inner == nil {
			if json.Valid(m.raw) {
				odd = append(odd, m)
			}
			o.rep.warn(o.path, "%s in %s is no object", quote(m.key), key)
			continue
		}
		all = append(all, newObject(o.path, m.key, inner, o.rep))
	}
	if odd != nil { // keep what is no object under a name of its own
		o.members = append(o.members, member{key: key + " (no objects)", raw: marshalMembers(odd), said: true})
	}
	return all
}

func readNode(o *object) *graphNode {
	n := &graphNode{
		key: o.name, dirName: o.line("dirName"), kind: o.line("type"), status: o.line("status"), role: o.line("role"),
		children: o.list("children"), references: o.list("references"), isolated: o.flag("isolate"),
		conclusion: trimBlank(o.text("conclusion")), createdAt: o.millis("createdAt"), updatedAt: o.millis("updatedAt"),
	}
	if o.decode("parentId", "a text", &n.parent) {
		n.hasParent = n.parent != ""
	}
	if id := o.line("id"); id != "" && id != n.key {
		o.rep.warn(o.path, "%s says that its id is %s: the name under which it stands counts", quote(n.key), quote(id))
		o.taken["id"], o.members[o.at["id"]].said = false, true
	}
	if raw, ok := o.raw("acceptanceCriteria"); ok && criteriaOf(raw, &n.criteria) {
		o.taken["acceptanceCriteria"] = true
	}
	n.rest = o.rest()
	return n
}

// criteriaOf reads acceptance criteria; it fails where they hold more than conditions and expectations.
func criteriaOf(raw json.RawMessage, into *[]criterion) bool {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	var list []criterion
	if dec.Decode(&list) != nil {
		return false
	}
	*into = slices.DeleteFunc(list, func(c criterion) bool { return c == criterion{} })
	return true
}

func readMemo(o *object) *memo {
	m := &memo{
		key: o.name, dirName: o.line("dirName"), title: o.line("title"), summary: o.text("summary"), tags: o.list("tags"),
		created: o.line("createdAt"), updated: o.line("updatedAt"),
	}
	o.taken["contentLength"] = true
	if o.line("id") != m.key && o.line("id") != "" {
		o.taken["id"] = false
	}
	m.rest = o.rest()
	return m
}
