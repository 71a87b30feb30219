package mcpserv

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

func emptyEngine(t testing.TB) *engine.Engine {
	t.Helper()
	return enginetest.New(t, nil).Engine
}

// The workspaces of the large vault.
const (
	crowd = "ws-crowd" // 10,000 nodes
	brood = "ws-brood" // 2,000 finished children under one parent
	bulk  = "ws-bulk"  // texts and lists longer than any reply
)

// A scale is the size of a test vault.
type scale struct {
	groups int // of 101 nodes
	kids   int // of one parent
	levels int
	text   int // bytes of a requirement
	log    int // entries
	rules  int // as many documents
}

// The scales: grand has 10,000 nodes in the crowd, and takes the place of middling with ARBOR_HEAVY=1 in the
// environment.
var (
	grand    = scale{groups: 99, kids: 2000, levels: 60, text: 1000000, log: 5000, rules: 3000}
	middling = scale{groups: 2, kids: 120, levels: 60, text: 33000, log: 300, rules: 300}
	modest   = scale{groups: 2, kids: 30, levels: 60, text: 8000, log: 60, rules: 50}
)

// bulkTitles have 200 characters each.
var bulkTitles = []string{strings.Repeat("节点标题很长", 33) + "末尾", strings.Repeat(`"\`, 100), strings.Repeat("<&>'", 50), strings.Repeat("a b ", 50)}

func nodeFile(title, typ, status, parent, body string, at int) []byte {
	return enginetest.Node("ID", fmt.Sprintf("title: '%s'\ntype: %s\nstatus: %s\nparentId: %s\ncreatedAt: 17672256%05d\nupdatedAt: 17672256%05d", strings.ReplaceAll(title, "'", "''"), typ, status, parent, at, at), body)
}

type vaultFiles map[mdstore.Path][]byte

func (v vaultFiles) node(ws, id, title, typ, status, parent, body string) {
	v[mdstore.NodePath(mdstore.Path(ws), mdstore.ID(id))] = []byte(strings.Replace(string(nodeFile(title, typ, status, parent, body, len(v))), "id: ID\n", "id: "+id+"\n", 1))
}

func (v vaultFiles) workspace(ws, goal, body string) {
	v[mdstore.Path(ws).Join(mdstore.WorkspaceFile)] = []byte("---\nid: " + ws + "\nname: " + ws + "\ngoal: " + goal + "\nstatus: active\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n" + body)
}

func largeFiles(size scale) vaultFiles {
	v := vaultFiles{}
	v.workspace(crowd, "see the wood", "## Rules\n\n- one\n- two\n")
	v.node(crowd, "root", "The wood", "planning", "monitoring", "null", "")
	for i := range size.groups {
		group := fmt.Sprintf("group-%02d", i)
		v.node(crowd, group, "Group "+group, "planning", "monitoring", "root", "## Requirement\n\nAll of it.\n")
		for k := range 100 {
			body := ""
			if k%10 == 3 {
				body = "## Problem\n\nIt does not work.\n"
			}
			v.node(crowd, fmt.Sprintf("leaf-%02d-%02d", i, k), fmt.Sprintf("Leaf %d of group %d", k, i), "execution", []string{"pending", "implementing", "pending"}[k%3], group, body)
		}
	}
	v.workspace(brood, "g", "")
	v.node(brood, "root", "Brood", "planning", "monitoring", "null", "## Requirement\n\nHatch.\n")
	for i := range size.kids {
		v.node(brood, fmt.Sprintf("node-%04d", i), fmt.Sprintf("Egg %d", i), "execution", "completed", "root", "## Conclusion\n\nHatched \"well\", on <day> "+fmt.Sprint(i)+":\n\n```go\nfmt.Println(`\\n`)\n```\n")
	}
	var w strings.Builder
	w.WriteString("## Rules\n\n")
	for i := range size.rules {
		fmt.Fprintf(&w, "- rule %d: say \"%d\" & \\mean it\n", i, i)
	}
	w.WriteString("\n## Docs\n\n")
	for i := range size.rules {
		fmt.Fprintf(&w, "- docs/%d.md: document \"%d\"\n", i, i)
	}
	w.WriteString("\n## Log\n\n")
	for i := range size.log {
		fmt.Fprintf(&w, "- [2026-01-01 10:%02d:%02d] [AI] event %d\n", i/60%60, i%60, i)
	}
	v.workspace(bulk, "every text is long", w.String())
	v.node(bulk, "root", "Bulk", "planning", "monitoring", "null", "## Requirement\n\n"+strings.Repeat("The root wants \"much\".\n", size.text/24))
	parent := "root"
	for i := range size.levels {
		id := fmt.Sprintf("level-%02d", i)
		v.node(bulk, id, bulkTitles[i%len(bulkTitles)], "planning", "monitoring", parent, "## Requirement\n\nLevel "+id+".\n\n## Note\n\n"+strings.Repeat("note ", 50)+"\n")
		parent = id
	}
	v.node(bulk, "huge", bulkTitles[1], "execution", "implementing", "root", "## Requirement\n\n"+strings.Repeat("需求 <b>\"x\"</b> \\ \n", size.text/24)+"\n")
	var log strings.Builder
	for i := range size.log {
		fmt.Fprintf(&log, "- [2026-01-01 10:%02d:%02d] [AI] event %d with \"quotes\"\n", i/60%60, i%60, i)
	}
	v.node(bulk, "logged", "Logged", "execution", "implementing", parent, "## Requirement\n\nBe short.\n\n## Log\n\n"+log.String())
	v.node(bulk, "plain", "Plain", "execution", "pending", "root", "## Requirement\n\nBe plain.\n")
	return v
}

// large returns an engine over a large vault.
func large(t testing.TB, size scale) (*engine.Engine, *memstore.Store) {
	t.Helper()
	st := memstore.New(largeFiles(size))
	e, err := engine.Open(t.Context(), st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e, st
}

// much has the calls with the largest replies of every tool. They run in this order, since some need the results of
// others.
var much = map[string][]args{
	"workspace_init": {{"name": bulkTitles[1], "goal": strings.Repeat("g\"\\ ", 8000), "rules": slices.Repeat([]any{"a rule of <several> words"}, 1)},
		{"name": "n", "goal": "g", "rules": numbered("rule", 900), "dryRun": true}},
	"workspace_list":         {{"status": "all"}, {}},
	"workspace_get":          {{"workspaceId": bulk}, {"workspaceId": crowd}},
	"workspace_status":       {{"workspaceId": bulk}, {"workspaceId": crowd, "format": "box"}, {"workspaceId": crowd, "format": "markdown"}, {"workspaceId": brood}},
	"workspace_update":       {{"workspaceId": bulk, "goal": strings.Repeat("goal ", 8000), "dryRun": true}, {"workspaceId": bulk, "name": "Bulk"}},
	"workspace_update_rules": {{"workspaceId": bulk, "action": "add", "rules": numbered("new", 200), "dryRun": true}, {"workspaceId": bulk, "action": "add", "rule": "one more"}},
	"workspace_update_docs":  {{"workspaceId": bulk, "action": "add", "path": "more.md"}},
	"workspace_archive":      {{"workspaceId": "ws-spare"}},
	"workspace_restore":      {{"workspaceId": "ws-spare"}},
	"workspace_delete":       {{"workspaceId": bulk, "force": true, "dryRun": true}, {"workspaceId": "ws-spare", "force": true, "confirm": true}},
	"node_create":            {{"workspaceId": brood, "parentId": "root", "type": "execution", "title": bulkTitles[2], "requirement": strings.Repeat("<r>\n", 8000), "dryRun": true}},
	"node_get":               {{"workspaceId": bulk, "nodeId": "huge"}, {"workspaceId": bulk, "nodeId": "logged"}, {"workspaceId": bulk, "nodeId": "level-30"}, {"workspaceId": brood, "nodeId": "root"}, {"workspaceId": crowd, "nodeId": "root"}},
	"node_list": {{"workspaceId": crowd, "limit": -1}, {"workspaceId": crowd, "limit": 10000, "depth": 0}, {"workspaceId": crowd, "depth": 1}, {"workspaceId": brood, "limit": -1, "status": []any{"completed"}},
		{"workspaceId": bulk, "limit": -1}, {"workspaceId": bulk, "limit": -1, "cursor": "level-50"}, {"workspaceId": bulk, "type": "execution"}, {"workspaceId": bulk, "rootId": "level-20", "limit": -1}},
	"node_update": {{"workspaceId": bulk, "nodeId": "huge", "note": strings.Repeat("note \"x\"\n", 3000), "dryRun": true}, {"workspaceId": bulk, "nodeId": "level-59", "title": "deep"}},
	"node_move":   {{"workspaceId": bulk, "nodeId": "level-30", "newParentId": "root", "dryRun": true}, {"workspaceId": bulk, "nodeId": "plain", "newParentId": "level-58"}},
	"node_transition": {{"workspaceId": bulk, "nodeId": "huge", "action": "complete", "conclusion": strings.Repeat("结论 \"ok\"\n", 3000), "dryRun": true}, {"workspaceId": bulk, "nodeId": "logged", "action": "fail", "conclusion": strings.Repeat("c", 10000)},
		{"workspaceId": bulk, "nodeId": "level-59", "action": "complete", "conclusion": "c"}},
	"node_isolate":    {{"workspaceId": bulk, "nodeId": "level-40", "isolate": false}},
	"node_reference":  {{"workspaceId": bulk, "nodeId": "logged", "targetIdOrPath": "huge", "action": "add"}},
	"context_get":     contextsOf("huge", "logged", "plain", "level-59"),
	"search":          {{"query": "a", "limit": 10000}, {"query": "NOT zebra", "limit": 10000}},
	"context_focus":   {{"workspaceId": bulk, "nodeId": "huge"}},
	"log_append":      {{"workspaceId": bulk, "nodeId": "logged", "operator": "AI", "event": strings.Repeat("event\n", 10000), "dryRun": true}},
	"problem_update":  {{"workspaceId": bulk, "nodeId": "huge", "problem": strings.Repeat("a problem\n", 1000), "nextStep": strings.Repeat("n", 10000), "dryRun": true}},
	"problem_clear":   {{"workspaceId": crowd, "nodeId": "leaf-00-03"}},
	"session_bind":    {{"sessionId": "s", "workspaceId": bulk}},
	"session_status":  {{"sessionId": "s"}, {"sessionId": "nobody"}},
	"session_unbind":  {{"sessionId": "s"}},
	"changes_get":     {{"workspaceId": crowd, "since": "2000-01-01"}, {"workspaceId": bulk, "since": "2000-01-01"}, {"workspaceId": crowd}},
	"workspace_check": {{}, {"workspaceId": bulk}, {"fix": true, "dryRun": true}, {"fix": true}},
	"node_next":       {{"workspaceId": crowd, "count": 10000}, {"workspaceId": bulk, "count": 10000}, {"workspaceId": crowd, "count": 10000, "claim": true, "sessionId": strings.Repeat("s", 100)}},
	"node_delete":     {{"workspaceId": brood, "nodeId": "node-0001", "dryRun": true}, {"workspaceId": bulk, "nodeId": "level-00", "confirm": true}},
}

func numbered(what string, n int) (out []any) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s %d of \"many\"", what, i))
	}
	return out
}

func contextsOf(nodes ...string) (out []args) {
	for _, n := range nodes {
		for _, format := range []string{"json", "markdown"} {
			out = append(out, args{"workspaceId": bulk, "nodeId": n, "budget": 1000000, "maxLogEntries": 100000, "format": format})
		}
	}
	for _, format := range []string{"json", "markdown"} {
		out = append(out, args{"workspaceId": brood, "nodeId": "root", "format": format}, args{"workspaceId": crowd, "nodeId": "leaf-01-99", "format": format})
	}
	return append(out, args{"workspaceId": bulk, "nodeId": "logged", "reverseLog": true, "maxLogEntries": 100000, "budget": 7000})
}

// bounds are the tested limits of replies, in tokens.
var bounds = []int{DefaultMaxTokens, 2000, LeastMaxTokens}

// room converts a limit of replies from tokens to bytes.
func room(tokens int) int { return assemble.Bytes(tokens) }

// TestRepliesAreBounded asks every tool for everything, in a vault with more than a reply has room for.
func TestRepliesAreBounded(t *testing.T) {
	t.Parallel()
	for _, most := range bounds {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			t.Parallel()
			size := modest
			if most == DefaultMaxTokens {
				size = middling
			}
			if os.Getenv("ARBOR_HEAVY") != "" {
				size = grand
			}
			e, _ := large(t, size)
			l := openLine(t, e, Options{MaxTokens: most})
			j, err := newJudge()
			if err != nil {
				t.Fatal(err)
			}
			spare := l.do("workspace_init", args{"name": "n", "goal": "g"})["workspaceId"]
			largest := 0
			all := ops.Of(ops.SetPlan)
			slices.SortStableFunc(all, func(a, b ops.Operation) int { // tools that remove come last
				return cmp.Compare(strings.Index("falsetrue", fmt.Sprint(a.Destructive)), strings.Index("falsetrue", fmt.Sprint(b.Destructive)))
			})
			for _, o := range all {
				if len(much[o.Name]) == 0 {
					t.Errorf("%s is not asked for much", o.Name)
				}
				for _, a := range much[o.Name] {
					a = maps.Clone(a)
					if a["workspaceId"] == "ws-spare" {
						a["workspaceId"] = spare
					}
					s := l.call(o.Name, jsonOf(t, a))
					if s.size > room(most) {
						t.Errorf("%s %.200s: %d bytes, %d are the bound", o.Name, jsonOf(t, a), s.size, room(most))
					}
					if j.check(t, o.Name, s); s.wrong && !slices.Contains([]string{string(errs.IncompleteChildren), string(errs.InvalidContent)}, s.code()) {
						t.Errorf("%s %.200s: %s", o.Name, jsonOf(t, a), s.text)
					}
					largest = max(largest, s.size)
				}
			}
			if largest < room(most)*8/10 {
				t.Errorf("the largest reply has %d bytes of %d", largest, room(most))
			}
		})
	}
}

// TestACutPlanSaysWhereItIsWhole checks the hints for a cut diff of a dry run, which is in no file, and for a cut text
// of a file.
func TestACutPlanSaysWhereItIsWhole(t *testing.T) {
	t.Parallel()
	p := newWorld(t, Options{MaxTokens: LeastMaxTokens}).connect(nil)
	note := args{"nodeId": signIn, "note": strings.Repeat("a line of a long note\n", 1000), "dryRun": true}
	for _, tt := range []struct {
		tool       string
		in         args
		want, lack string
	}{
		{"node_update", note, "--dry-run at the command line", "resource arbor://"},
		{"node_get", args{"nodeId": signIn}, "resource arbor://WORKSPACE/nodes/NODE", "--dry-run"},
	} {
		cut, _ := p.do(tt.tool, tt.in)["cut"].([]any)
		if all := fmt.Sprint(cut); !strings.Contains(all, tt.want) || strings.Contains(all, tt.lack) {
			t.Errorf("%s: cut is %v, want %q in it", tt.tool, cut, tt.want)
		}
		delete(note, "dryRun")
		p.do("node_update", note)
	}
}
