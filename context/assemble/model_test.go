package assemble_test

import (
	"fmt"
	"strconv"
	"strings"

	"arbor/context/assemble"
	"arbor/mdstore"

	"pgregory.net/rapid"
)

// A modelNode is a node as plain data. The model answers from such data what a
// context holds, in the most obvious way, and knows nothing of documents.
type modelNode struct {
	id, parent, kind, status      string
	isolated                      bool
	requirement, conclusion, note string
	own, ownKey                   string // the text of a section of that name, and the value of a key
	problem, next                 string
	docs, refs                    []modelRef
	log                           []string // events
	created, updated              int
}

type modelRef struct {
	target, description string
	expired             bool
}

type model struct {
	rules         []string
	docs          []modelRef
	problem, next string
	nodes         []*modelNode // in the order of their creation
}

func (m *model) node(id string) *modelNode {
	for _, n := range m.nodes {
		if n.id == id {
			return n
		}
	}
	return nil
}

// files writes the model down as people would.
func (m *model) files() (workspace string, nodes map[string]string) {
	var w strings.Builder
	w.WriteString("---\nid: ws-1\nname: Login\ngoal: Users sign in\nstatus: active\n---\n")
	section(&w, "Rules", "- "+strings.Join(m.rules, "\n- "), len(m.rules) > 0)
	section(&w, "Docs", refLines(m.docs), len(m.docs) > 0)
	section(&w, "Problem", problemText(m.problem, m.next), m.problem+m.next != "")
	nodes = map[string]string{}
	for i, n := range m.nodes {
		var b strings.Builder
		fmt.Fprintf(
			&b,
			"---\nid: %s\ntitle: Title of %s\ntype: %s\nstatus: %s\nparentId: %s\nisolated: %t\ncreatedAt: %d\nupdatedAt: %d\nown: %q\n---\n",
			n.id,
			n.id,
			n.kind,
			n.status,
			n.parent,
			n.isolated,
			n.created,
			n.updated,
			n.ownKey,
		)
		name := func(english, chinese string) string {
			if i%2 == 1 {
				return chinese
			}
			return english
		}
		section(&b, name("Requirement", "需求"), n.requirement, n.requirement != "")
		section(&b, name("Log", "日志"), logLines(n.log), len(n.log) > 0)
		section(&b, name("Conclusion", "结论"), n.conclusion, n.conclusion != "")
		section(&b, "Own", n.own, true)
		section(&b, name("Note", "备注"), n.note, n.note != "")
		section(&b, name("Docs", "文档"), refLines(n.docs), len(n.docs) > 0)
		section(&b, name("References", "引用"), refLines(n.refs), len(n.refs) > 0)
		section(&b, name("Problem", "问题"), problemText(n.problem, n.next), n.problem+n.next != "")
		nodes[n.id] = b.String()
	}
	return w.String(), nodes
}

func section(b *strings.Builder, name, body string, there bool) {
	if there {
		b.WriteString("\n## " + name + "\n\n" + body + "\n")
	}
}

func refLines(refs []modelRef) string {
	var lines []string
	for _, r := range refs {
		s := "- " + r.target
		if r.description != "" {
			s += ": " + r.description
		}
		if r.expired {
			s += " (expired)"
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

const stamp = "2026-01-01 10:00:00"

func logLines(events []string) string {
	var lines []string
	for _, e := range events {
		lines = append(lines, "- ["+stamp+"] [AI] "+strings.ReplaceAll(e, "\n", "\n  "))
	}
	return strings.Join(lines, "\n")
}

func problemText(problem, next string) string {
	if next != "" {
		problem += "\n\n### Next Step\n\n" + next
	}
	return problem
}

// above returns the nodes from the top down to n, n included, and how the walk up ended.
func (m *model) above(n *modelNode) (chain []*modelNode, end string) {
	for {
		for _, c := range chain {
			if c == n {
				return chain, assemble.ReasonCycle
			}
		}
		chain = append([]*modelNode{n}, chain...)
		if n.id == "root" {
			return chain, ""
		}
		up := m.node(n.parent)
		if up == nil {
			return chain, assemble.ReasonMissing
		}
		n = up
	}
}

// shown and hidden part what is above a node at the lowest isolated one.
func (m *model) split(n *modelNode) (hidden, shown []*modelNode, end string) {
	chain, end := m.above(n)
	at := 0
	for i, c := range chain {
		if c.isolated {
			at = i
		}
	}
	return chain[:at], chain[at:], end
}

func terminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// total returns the bytes of all texts that belong to the context of n but the rules, the goal and its requirement.
func (m *model) total(n *modelNode) int {
	sum := len(m.problem) + len(m.next) + refBytes(m.docs)
	chain, _ := m.above(n)
	for _, c := range chain {
		sum += c.bytes()
	}
	for _, c := range m.nodes {
		if c.parent == n.id && terminal(c.status) {
			sum += len(c.conclusion)
		}
	}
	for _, r := range n.refs {
		sum += len(r.description)
		if r.expired {
			sum += len(r.target)
		} else if to := m.node(r.target); to != nil {
			sum += len(to.requirement) + len(to.conclusion)
		}
	}
	return sum - len(n.requirement) + len(n.own) + len("own") + len(n.ownKey)
}

func (n *modelNode) bytes() int {
	sum := len(
		n.requirement,
	) + len(
		n.conclusion,
	) + len(
		n.note,
	) + len(
		n.problem,
	) + len(
		n.next,
	) + len(
		"Own",
	) + refBytes(
		n.docs,
	)
	for _, e := range n.log {
		sum += len(stamp) + len("AI") + len(e)
	}
	return sum
}

func refBytes(refs []modelRef) int {
	sum := 0
	for _, r := range refs {
		sum += len(r.target) + len(r.description)
	}
	return sum
}

// lines are what texts are made of. None of them opens something that swallows what follows.
var lines = []string{
	"The quick brown fox jumps over the lazy dog.", "用户可以用密码登录系统。", "### A heading of its own", "#### Rules", "- an item", "> a quote",
	"    code", "| a | b |", "x", "<b>bold</b>", "[ref]: https://example.org", "emoji 👩‍💻 é", `C:\new\table "quoted"`, "tab\there", "",
}

func genText(t *rapid.T, label string, most int) string {
	n := rapid.IntRange(0, most).Draw(t, label)
	picked := rapid.SliceOfN(rapid.SampledFrom(lines), n, n).Draw(t, label+" lines")
	return strings.Trim(strings.Join(picked, "\n"), "\n")
}

func genLine(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"done", "需要检查", "a much longer description with `code` in it", "x → y"}).Draw(t, label)
}

func genRefs(t *rapid.T, label string, targets []string) []modelRef {
	n := rapid.IntRange(0, 4).Draw(t, label)
	refs := make([]modelRef, 0, n)
	for range n {
		refs = append(refs, modelRef{rapid.SampledFrom(targets).Draw(t, label+" target"), genLine(t, label+" description"), rapid.Bool().Draw(t, label+" expired")})
	}
	return refs
}

// genModel draws a workspace, one in six of them with a damaged tree. The last node is deep more often than not.
func genModel(t *rapid.T) *model {
	m := &model{
		rules: rapid.SliceOfN(rapid.SampledFrom([]string{"tests first", "规则一", "no `panic`"}), 0, 3).Draw(t, "rules"),
		docs:  genRefs(t, "workspace docs", []string{"docs/a.md", "docs/b.md"}), problem: genText(t, "workspace problem", 3),
	}
	if rapid.Bool().Draw(t, "workspace next") {
		m.next = genLine(t, "workspace next step")
	}
	damaged := rapid.IntRange(0, 5).Draw(t, "damaged") == 0
	count := rapid.IntRange(1, 12).Draw(t, "nodes")
	ids := []string{"root"}
	for i := 1; i < count; i++ {
		ids = append(ids, "n"+strconv.Itoa(i))
	}
	for i, id := range ids {
		n := &modelNode{id: id, kind: "planning", status: "monitoring", parent: "null", created: 100 + i, updated: rapid.IntRange(100, 130).Draw(t, "updated")}
		if i > 0 {
			n.parent = ids[max(0, i-1-rapid.IntRange(0, 2).Draw(t, "parent"))]
			n.status = rapid.SampledFrom([]string{"pending", "monitoring", "completed", "cancelled"}).Draw(t, "status")
			if rapid.Bool().Draw(t, "execution") {
				n.kind = "execution"
				n.status = rapid.SampledFrom([]string{"pending", "implementing", "completed", "failed"}).Draw(t, "status of execution")
			}
			if damaged && rapid.IntRange(0, 3).Draw(t, "damage") == 0 {
				n.parent = rapid.SampledFrom(append(ids[1:len(ids):len(ids)], "gone")).Draw(t, "damaged parent")
			}
		}
		n.isolated = rapid.IntRange(0, 7).Draw(t, "isolated") == 0
		n.requirement, n.conclusion, n.note = genText(t, "requirement", 6), genText(t, "conclusion", 5), genText(t, "note", 40)
		n.own, n.ownKey = genText(t, "own", 40), genText(t, "own key", 40)
		if n.problem = genText(t, "problem", 3); n.problem != "" && rapid.Bool().Draw(t, "has next") {
			n.next = genLine(t, "next step")
		}
		n.docs = genRefs(t, "docs", []string{"docs/a.md", "docs/b.md"})
		n.refs = genRefs(t, "refs", append([]string{"docs/c.md"}, ids...))
		for range rapid.IntRange(0, 6).Draw(t, "entries") {
			n.log = append(n.log, genLine(t, "event")+rapid.SampledFrom([]string{"", "\nsecond line"}).Draw(t, "more"))
		}
		m.nodes = append(m.nodes, n)
	}
	return m
}

func (m *model) vault() *vault {
	v := read(m.files())
	for i, n := range m.nodes { // what is tested is the selection, not the reading
		if got := v.nodes[mdstore.ID(n.id)]; got.Note() != n.note || len(got.Problems) > 0 {
			panic(fmt.Sprintf("node %d reads back as %q, %v, want %q", i, got.Note(), got.Problems, n.note))
		}
	}
	return v
}
