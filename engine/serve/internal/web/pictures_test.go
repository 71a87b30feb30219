package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/engine/exchange"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// It saves the pictures of the documentation in the folder ARBOR_PICTURES. docs/pictures/page calls it.
func TestPictures(t *testing.T) {
	dir := os.Getenv("ARBOR_PICTURES")
	if dir == "" {
		t.Skip("ARBOR_PICTURES names no folder; bash docs/pictures/page makes the pictures")
	}
	r := newRelease(t)
	p := newBrowser(t).open(r.world, "/")
	for _, width := range []int{1440, 1024, 390} {
		for _, dark := range []bool{false, true} {
			p.size(width, map[int]int{1440: 800, 1024: 700, 390: 760}[width])
			p.dark(dark)
			for _, v := range r.views() {
				p.visit(v.path)
				p.until(`document.querySelector("#theme").textContent`)
				if v.then != nil {
					v.then(p)
				}
				colours := map[bool]string{false: "light", true: "dark"}[dark]
				p.picture(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.webp", v.name, width, colours)))
			}
		}
	}
}

// A release is the plan of the pictures: thirty nodes, two assistants at work, and things that wait for a person.
type release struct {
	*world
	ws string
	id map[string]string // of nodes, by their titles
}

// A viewed is a view of the pictures. then is done before the picture is taken.
type viewed struct {
	name, path string
	then       func(*page)
}

func (r *release) views() []viewed {
	node := r.id["Signed archives"]
	return []viewed{
		{"now", "/", nil}, {"plan", "/plan", nil}, {"node", "/node/" + node, nil}, {"board", "/board?by=branch", nil},
		{"graph", "/graph", nil}, {"activity", "/activity", nil}, {"memory", "/memory", nil},
		{"sessions", "/sessions", nil}, {"search", "/search?q=signed", nil}, {"approvals", "/approvals", nil},
		{"beside", "/plan?node=" + node, nil},
		{"context", "/node/" + node, func(p *page) {
			p.click(".tabs a|What an assistant gets")
			p.until(`document.querySelector("[name=budget]")`)
		}},
		{"dialog", "/node/root", func(p *page) {
			p.click("button|New node below")
			p.until(`document.querySelector("#ask")?.open`)
		}},
		{"palette", "/plan", func(p *page) {
			p.keys("Control+k")
			p.write("notes")
			p.until(`document.querySelectorAll("#palette li").length > 1`)
		}},
	}
}

const releasePlan = `- Programs
  - Signed archives
  - Homebrew formula
  - Debian package
  - Windows installer
  - Reproducible builds
- Documentation
  - Release notes
  - Upgrade guide
  - Pictures of the page
  - Comparison with other programs
  - Translation of the README
- Quality
  - Ten thousand nodes on a laptop
  - Tests on Windows
  - Crash tests on ext4 and APFS
  - Memory of the server after a week
  - Screen readers read the outline
- Page
  - Comments with mentions
  - Print style sheet
  - Offline reading on phones
  - Keyboard help in context
- Community
  - Announcement
  - Answer open issues
  - Example plans for teams
  - Roadmap until summer
`

func newRelease(t *testing.T) *release {
	t.Helper()
	r := &release{world: newWorld(t, nil), id: map[string]string{}}
	r.ws = r.do("workspace_init", map[string]any{"name": "Arbor 0.9", "goal": "The first version that teams install without help: " +
		"signed programs for all systems, a guide for upgrades, and a page that people like to work on."})["workspaceId"].(string)
	r.assistant("", "import", &ops.ImportIn{In: ops.In{WorkspaceID: r.ws}, Path: "-", From: "markdown", Into: "root", RulesRead: true,
		Source: exchange.Source{Read: func(string) ([]byte, error) { return []byte(releasePlan), nil }}})
	list := r.do("node_list", map[string]any{"workspaceId": r.ws})
	r.named(list["tree"].([]any))
	set := func(title string, fields map[string]any) {
		fields["workspaceId"], fields["nodeId"] = r.ws, r.id[title]
		r.do("node_update", fields)
	}
	day := func(n int) string { return time.Now().AddDate(0, 0, n).Format(time.DateOnly) }
	set("Signed archives", map[string]any{"priority": "critical", "due": day(3), "assignee": []string{"nia"}, "tags": []string{"security"},
		"requirement": "Each archive has a signature that `cosign verify-blob` accepts, and the checksums are signed, too.\n\n" +
			"- [x] key in the hardware token\n- [x] signature in the release script\n- [ ] the guide says how to verify\n\n" +
			"| Platform | Archive |\n|---|---|\n| Linux | tar.gz |\n| Windows | zip |\n\nSee [[Reproducible builds]]."})
	set("Homebrew formula", map[string]any{"dependencies": []string{r.id["Signed archives"]}, "assignee": []string{"tom"}})
	set("Debian package", map[string]any{"dependencies": []string{r.id["Signed archives"], r.id["Reproducible builds"]}})
	set("Announcement", map[string]any{"due": day(14), "priority": "high", "dependencies": []string{r.id["Release notes"], r.id["Homebrew formula"]}})
	set("Release notes", map[string]any{"due": day(-2), "priority": "high"})
	set("Upgrade guide", map[string]any{"dependencies": []string{r.id["Release notes"]}, "tags": []string{"docs"}})
	set("Tests on Windows", map[string]any{"tags": []string{"ci"}, "priority": "low"})
	r.work(t)
	return r
}

// work is what two assistants and a person did.
func (r *release) work(t *testing.T) {
	in := ops.In{WorkspaceID: r.ws}
	for _, s := range [][2]string{{"packager", "Packages of all systems"}, {"writer", "Guides and notes"}} {
		r.assistant(s[0], "session_start", &ops.SessionStartIn{SessionRef: ops.SessionRef{In: in, SessionID: s[0]}, Name: s[0], Goal: s[1]})
	}
	act := func(who, title, action, conclusion string) {
		r.assistant(who, "node_transition", &ops.NodeTransitionIn{In: in, NodeID: r.id[title], Action: action, Conclusion: conclusion})
	}
	log := func(who, title, event string, question bool) {
		r.assistant(who, "log_append", &ops.LogAppendIn{In: in, NodeID: r.id[title], Event: event, Question: question})
	}
	act("packager", "Reproducible builds", "start", "")
	act("packager", "Reproducible builds", "complete", "Two machines with two caches make the same bytes.")
	act("writer", "Comparison with other programs", "start", "")
	act("writer", "Comparison with other programs", "complete", "Five programs, measured on the same laptop.")
	for _, who := range []string{"packager", "writer"} {
		r.assistant(who, "node_next", &ops.NodeNextIn{In: in, Claim: true, SessionID: who})
	}
	act("packager", "Signed archives", "start", "")
	log("packager", "Signed archives", "The script signs all seven archives", false)
	log("packager", "Signed archives", "Which key signs the releases: the one of the project, or a new one?", true)
	act("writer", "Pictures of the page", "start", "")
	log("writer", "Pictures of the page", "Twelve views are taken; the graph is next", false)
	act("packager", "Windows installer", "start", "")
	act("packager", "Windows installer", "fail", "The certificate authority wants papers that the project has not got.")
	act("writer", "Release notes", "start", "")
	act("writer", "Release notes", "submit", "")
	r.do("problem_update", map[string]any{"workspaceId": r.ws, "nodeId": r.id["Tests on Windows"], "problem": "The runner has no symbolic links"})
	r.do("workspace_update_rules", map[string]any{"workspaceId": r.ws, "action": "add", "rule": "Every page works without a mouse"})
	r.do("workspace_update_rules", map[string]any{"workspaceId": r.ws, "action": "add", "rule": "No dependency without a reason in docs/decisions"})
	for slot, text := range map[string]string{"decisions": "We sign with cosign, **not** with GPG.", "glossary": "An archive is what a platform downloads.",
		"meetings/october": "Tom takes Homebrew, Nia the signatures."} {
		r.do("memory_save", map[string]any{"workspaceId": r.ws, "slot": strings.TrimPrefix(slot, "meetings/"), "text": text})
	}
	asks := &ops.Env{Engine: r.engine, Operator: mdstore.OperatorAI, Session: "writer"}
	_, _ = ops.EnvRegister(t.Context(), asks, ops.EnvRegisterIn{URI: "file:///srv", ID: "site", Trust: "restricted"})
	if len(r.site.waiting(t.Context())) != 1 {
		t.Fatal("no request waits")
	}
	r.site.noteWaits(t.Context())
}

// named notes the ids of the nodes of a tree.
func (r *release) named(tree []any) {
	for _, n := range tree {
		n := n.(map[string]any)
		r.id[n["title"].(string)] = n["id"].(string)
		if below, ok := n["children"].([]any); ok {
			r.named(below)
		}
	}
}
