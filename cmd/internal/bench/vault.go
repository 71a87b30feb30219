//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
	"arbor/statemachine"
)

const (
	workspaceID = "ws-mjwtyz28-bench0"
	epoch       = 1767225600000 // Unix milliseconds: when the root was made
	fanout      = 4             // children of a planning node: 10,000 nodes have eight levels
	document    = "docs/login.md"
)

var rules = []string{"Passwords are never logged", "所有错误信息都要中英双语"}

// A task is one node of the generated plan.
type task struct {
	id     mdstore.ID
	parent int
	status statemachine.Status
}

// ways are the transitions that lead to each status that occurs. Planning nodes are monitoring, the leaves all else.
var ways = map[statemachine.Status][]string{
	statemachine.Monitoring:   {"created", "start: pending → planning", "adopt: planning → monitoring"},
	statemachine.Pending:      {"created"},
	statemachine.Implementing: {"created", "start: pending → implementing"},
	statemachine.Validating:   {"created", "start: pending → implementing", "submit: implementing → validating"},
	statemachine.Completed:    {"created", "start: pending → implementing", "complete: implementing → completed"},
	statemachine.Failed:       {"created", "start: pending → implementing", "fail: implementing → failed"},
}

var leaves = []statemachine.Status{statemachine.Pending, statemachine.Implementing, statemachine.Validating, statemachine.Completed, statemachine.Failed}

// A vault is a generated one on the disk.
type vault struct {
	project string // the folder that holds the vault, a git repository if there is git
	dir     string // the vault
	nodes   string // the folder nodes/ of its workspace
	plan    []task
	git     bool
}

// generate writes a vault of n nodes and its project into a new folder. It writes the files as docs/format.md describes
// them, and asks nothing of Arbor, so that what is measured has not made what it is measured with.
func generate(project string, n int) *vault {
	v := &vault{project: project, dir: filepath.Join(project, mdstore.DefaultVault)}
	v.nodes = filepath.Join(v.dir, workspaceID, mdstore.NodesDir)
	write(filepath.Join(project, document), "# Sign-in\n\nWhat the form looks like.\n")
	write(filepath.Join(v.dir, mdstore.IgnoreFile), ".local/\nsessions.json\n")
	write(filepath.Join(v.dir, workspaceID, mdstore.WorkspaceFile), workspaceText(workspaceID, "Bench"))
	for i := range n {
		t := task{id: mdstore.Root, parent: (i - 1) / fanout, status: leaves[i%len(leaves)]}
		if i > 0 {
			t.id = mdstore.ID(fmt.Sprintf("node-%s-%06x", strconv.FormatInt(created(i), 36), i*2654435761%(1<<24)))
		}
		if i*fanout+1 < n {
			t.status = statemachine.Monitoring
		}
		v.plan = append(v.plan, t)
	}
	for i := range v.plan {
		write(v.file(i), v.text(i))
	}
	_, err := exec.LookPath("git")
	for _, args := range []string{"init -q", "config gc.auto 0", "add -A", "-c user.name=p -c user.email=p@example.org commit -q -m Plan"} {
		if v.git = err == nil; v.git {
			cmd := exec.Command("git", strings.Fields(args)...)
			cmd.Dir, cmd.Env = project, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
			check(cmd.Run())
		}
	}
	return v
}

// settle waits until the files are old enough for their stamps to prove something, and are on the disk.
func settle(age time.Duration) {
	unix.Sync()
	time.Sleep(age)
}

func (v *vault) file(i int) string {
	return filepath.Join(v.nodes, string(v.plan[i].id), mdstore.NodeFile)
}

func (v *vault) local() string { return filepath.Join(v.dir, mdstore.LocalDir) }

// other returns another node than the root each round, from all over the plan.
func (v *vault) other(round int) int { return 1 + round*7919%(len(v.plan)-1) }

// inWork returns at most so many leaves whose transitions change no other file.
func (v *vault) inWork(most int) (all []string) {
	for _, t := range v.plan {
		if t.status == statemachine.Implementing && len(all) < most {
			all = append(all, string(t.id))
		}
	}
	return all
}

func write(name, text string) {
	check(os.MkdirAll(filepath.Dir(name), 0o755))
	check(os.WriteFile(name, []byte(text), 0o644))
}

func created(i int) int64 { return epoch + int64(i)*1000 }

// entry returns a line of the log of the i-th node, some minutes after it was made.
func entry(i, minutes int, event string) string {
	at := time.UnixMilli(created(i)).UTC().Add(time.Duration(minutes) * time.Minute)
	return "- " + mdstore.FormatLog(at.Format(mdstore.TimeLayout), mdstore.OperatorAI, event) + "\n"
}

func workspaceText(id, name string) string {
	return fmt.Sprintf("---\nid: %s\nname: %s\ngoal: Measure what Arbor does\nstatus: active\nrulesHash: %s\nfocusedNodeId: null\n"+
		"createdAt: %d\nupdatedAt: %[4]d\n---\n\n## Rules\n\n- %s\n\n## Log\n\n%s", id, name, mdstore.RulesHash(rules), epoch,
		strings.Join(rules, "\n- "), entry(0, 0, "Created the workspace"))
}

var english = []string{
	"POST /login answers 200 and a cookie, or 401 and nothing else.",
	"What the form sends is checked twice, and the second time in the database.",
	"Five tries a minute are enough for anybody; the sixth one waits.",
	"- the text of the mail is in `mail.txt`, and **no person** has read it yet",
}

var chinese = []string{
	"登录接口只返回 200 和一个 cookie，或者 401，别无其他。",
	"表单提交的内容检查两次，第二次在数据库里进行。",
	"每分钟最多尝试五次，第六次需要等待。",
	"- 邮件的正文在 `mail.txt` 里，**还没有人**读过",
}

// text returns the Node.md of the i-th node, of about 1.6 kB. One of three is Chinese; every seventh title needs
// quotes.
func (v *vault) text(i int) string {
	t := v.plan[i]
	parent, kind, words := "null", statemachine.Planning, english
	if i > 0 {
		parent = string(v.plan[t.parent].id)
	}
	if t.status != statemachine.Monitoring {
		kind = statemachine.Execution
	}
	title, names := fmt.Sprint("Step ", i), strings.Fields("Requirement Conclusion Note Docs References Log Problem")
	if i%3 == 2 {
		words = chinese
		title, names = fmt.Sprintf("第 %d 步", i), strings.Fields("需求 结论 备注 文档 引用 日志 问题")
	} else if i%7 == 0 {
		title = fmt.Sprintf(`"Step: #%d"`, i)
	}
	var b strings.Builder
	section := func(name int, body string) { b.WriteString("\n## " + names[name] + "\n\n" + body + "\n") }
	fmt.Fprintf(&b, "---\nid: %s\ntitle: %s\ntype: %s\nstatus: %s\nrole: null\nparentId: %s\nisolated: %t\ncreatedAt: %d\nupdatedAt: %[7]d\n---\n",
		t.id, title, kind, t.status, parent, i%97 == 96, created(i))
	section(0, strings.Join([]string{words[0], words[1], words[2], words[3], words[0], words[1], words[2]}, "\n"))
	if statemachine.Terminal(t.status) {
		section(1, strings.Join(words, "\n"))
	} else {
		section(2, strings.Join(words, "\n")+"\n"+strings.Join(words, "\n"))
	}
	if i%25 == 5 {
		section(3, "- "+document+": what the form looks like")
	}
	if i%4 == 3 {
		section(4, fmt.Sprintf("- %s: the cookie is made there", v.plan[i-1].id))
	}
	log := ""
	for j, event := range ways[t.status] {
		log += entry(i, 2*j, event)
	}
	section(5, log+strings.TrimSuffix(entry(i, 9, "Looked at what the others do: 三种做法，各有利弊"), "\n"))
	if t.status == statemachine.Implementing {
		section(6, "The mail server of the test system is down.")
	}
	return b.String()
}
