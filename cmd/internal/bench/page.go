package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/statemachine"
)

// rules are those of the generated workspace.
var rules = []string{"Passwords are never logged", "所有错误信息都要中英双语"}

// workspacePage returns Workspace.md.
func workspacePage() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nid: %s\nname: Bench\ngoal: Measure what Arbor does\nstatus: active\nrulesHash: %s\nfocusedNodeId: null\ncreatedAt: %d\nupdatedAt: %d\n---\n\n",
		workspaceID, mdstore.RulesHash(rules), epoch, epoch)
	b.WriteString("## Rules\n\n")
	for _, r := range rules {
		b.WriteString("- " + r + "\n")
	}
	b.WriteString("\n## Log\n\n- " + entry(0, 0, "Created the workspace") + "\n")
	return []byte(b.String())
}

// A page is the sections of one node's file, in order.
type page struct {
	b  strings.Builder
	in map[string]string // headings in the page's language; nil for English
}

var inChinese = map[string]string{"Requirement": "需求", "Conclusion": "结论", "Note": "备注", "Docs": "文档", "References": "引用", "Log": "日志", "Problem": "问题", "Next Step": "下一步"}

func (p *page) section(name, body string) {
	if local, ok := p.in[name]; ok {
		name = local
	}
	p.b.WriteString("\n## " + name + "\n\n" + body + "\n")
}

// nodePage returns the Node.md of the i-th node, of about 1.6 kB.
func nodePage(plan []task, i int) []byte {
	t, p := &plan[i], &page{}
	if chinese(i) {
		p.in = inChinese
	}
	parent, isolated := "null", "false"
	if i > 0 {
		parent = string(plan[t.parent].id)
	}
	if t.isolated() {
		isolated = "true"
	}
	name := title(i, t)
	if strings.ContainsAny(name, ":#") {
		name = `"` + name + `"`
	}
	fmt.Fprintf(&p.b, "---\nid: %s\ntitle: %s\ntype: %s\nstatus: %s\nrole: null\nparentId: %s\nisolated: %s\ncreatedAt: %d\nupdatedAt: %d\n---\n",
		t.id, name, t.kind, t.status, parent, isolated, created(i), created(i)+int64(len(t.way()))*60_000)
	p.section("Requirement", sentences(i, 13))
	if statemachine.Terminal(t.status) {
		p.section("Conclusion", sentences(i+1, 4))
	} else {
		p.section("Note", sentences(i+2, 4))
	}
	if t.documented() {
		p.section("Docs", "- "+document+": what the form looks like")
	}
	if t.refers() {
		p.section("References", fmt.Sprintf("- %s: the cookie is made there", plan[i-1].id))
	}
	p.section("Log", t.log(i))
	if t.status == statemachine.Implementing && i%5 == 0 {
		p.section("Problem", "The mail server of the test system is down.")
	}
	return []byte(p.b.String())
}

// isolated, documented and refers report which nodes are cut off from those above them, name a document, and refer to the node before them.
func (t *task) isolated() bool   { return t.place == 4 && t.part%16 == 1 }
func (t *task) documented() bool { return t.place == 5 && t.part%4 == 0 }
func (t *task) refers() bool     { return t.part >= 0 && t.place > 2 && t.place%4 == 3 }

// document is the one of the project that nodes name.
const document = "docs/login.md"

// way returns the actions that led a node to its status.
func (t *task) way() []string {
	step := func(do statemachine.Action, from, to statemachine.Status) string {
		return string(do) + ": " + string(from) + " → " + string(to)
	}
	way := []string{"created"}
	now := statemachine.Initial(t.kind)
	to := func(do statemachine.Action, next statemachine.Status) {
		way = append(way, step(do, now, next))
		now = next
	}
	if now == t.status {
		return way
	}
	if t.kind == statemachine.Planning {
		to(statemachine.Start, statemachine.InPlanning)
		if t.children > 0 {
			to(statemachine.Adopt, statemachine.Monitoring)
		}
	} else {
		to(statemachine.Start, statemachine.Implementing)
		if t.status == statemachine.Validating || t.place%2 == 0 && t.status == statemachine.Completed {
			to(statemachine.Submit, statemachine.Validating)
		}
	}
	switch t.status {
	case statemachine.Completed:
		to(statemachine.Complete, t.status)
	case statemachine.Failed:
		to(statemachine.Fail, t.status)
	case statemachine.Cancelled:
		to(statemachine.Cancel, t.status)
	}
	return way
}

// log returns the entries of a node: how it came to its status, and what somebody said in between.
func (t *task) log(i int) string {
	events := t.way()
	if len(events) > 1 {
		events = slices.Insert(events, 2, "Looked at what the others do: 三种做法，各有利弊")
	}
	lines := make([]string, len(events))
	for j, e := range events {
		lines[j] = "- " + entry(i, j, e)
	}
	return strings.Join(lines, "\n")
}

// entry returns the text of a log item of the i-th node, j minutes after it was made.
func entry(i, j int, event string) string {
	at := time.UnixMilli(created(i)).UTC().Add(time.Duration(j) * time.Minute)
	return mdstore.FormatLog(at.Format(mdstore.TimeLayout), mdstore.OperatorAI, event)
}

var words = [2][]string{
	{
		"POST /login answers 200 and a cookie, or 401 and nothing else.\n",
		"What the form sends is checked twice, and the second time in the database.\n",
		"Five tries a minute are enough for anybody; the sixth one waits.\n",
		"- the text of the mail is in `mail.txt`, and **nobody** has read it yet\n",
		"See what was said about the cookie, and write it down here.\n",
	},
	{
		"登录接口只返回 200 和一个 cookie，或者 401，别无其他。\n",
		"表单提交的内容检查两次，第二次在数据库里进行。\n",
		"每分钟最多尝试五次，第六次需要等待。\n",
		"- 邮件的正文在 `mail.txt` 里，**还没有人**读过\n",
		"把关于 cookie 的讨论结果写在这里。\n",
	},
}

// sentences returns n lines of text in the language of the node.
func sentences(i, n int) string {
	from := words[0]
	if chinese(i) {
		from = words[1]
	}
	var b strings.Builder
	for j := range n {
		b.WriteString(from[(i+j)%len(from)])
	}
	return strings.TrimSuffix(b.String(), "\n")
}
