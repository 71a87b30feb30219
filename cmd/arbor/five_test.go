package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A person plans by hand; an assistant finds last week's decision, works in the project with the person's consent, and
// saves where it stands; on another machine the next one goes on; the person sees it all on one page. Each call but
// those that begin is one that a hint or the instructions name.
func TestOneDayUsesEveryPart(t *testing.T) {
	d := newDesk(t)
	d.sets = "default,environments"
	git := func(d *desk, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
		cmd.Dir, cmd.Env = d.dir, d.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git(d, "init", "-q")
	d.write("shop/pay.txt", "price = 10\n")
	d.arbor("init", "Shop", "--goal", "Customers pay by card")
	d.arbor("memory", "save", "decisions", "We chose Adyen: two days of work, and no monthly fee.")
	found, _ := filepath.Glob(filepath.Join(d.dir, ".tanmi-workspace", "ws-*"))
	nodes := ".tanmi-workspace/" + filepath.Base(found[0]) + "/nodes/"
	d.write(nodes+"Provider/Node.md", "---\nid: node-provider\ntitle: Connect the payment provider\ntype: execution\n"+
		"status: pending\nparentId: root\ntags: [pay]\n---\n\n## Requirement\n\nThe provider that we chose.\n")
	d.write(nodes+"Receipts/Node.md", "---\nid: node-receipts\ntitle: Send receipts\ntype: execution\n"+
		"status: pending\nparentId: root\ndependencies: [\"[[Provider/Node|the provider]]\"]\n---\n")
	git(d, "add", "-A")
	git(d, "commit", "-qm", "A plan")

	d.connect()
	d.call("workspace_load", `{}`, 250, `"title":"Connect the payment provider"`)
	d.call("search", `{"query":"chose"}`, 120, "The provider that we chose.", "We chose Adyen")
	d.call("node_transition", `{"nodeId":"node-provider","action":"start","context":true}`, 200, "The provider that we chose.")
	d.call("env_list", `{}`, 50, "env_register")
	d.call("env_register", `{"uri":"file:.","id":"shop"}`, 50, `"status":"active"`, "env_attach")
	d.call("env_attach", `{"id":"shop"}`, 20)
	d.call("file_read", `{"path":"shop/pay.txt"}`, 50, "price = 10")
	d.call("file_edit", `{"path":"shop/pay.txt","old":"price = 10","new":"price = 10\nprovider = adyen"}`, 50)
	d.call("node_transition", `{"nodeId":"node-provider","action":"complete","conclusion":"Adyen is connected in shop/pay.txt"}`, 100,
		`"unblocked":[{"nodeId":"node-receipts"`)
	d.call("memory_save", `{"slot":"decisions","text":"The key of Adyen is in the team's safe, in no file."}`, 30)
	d.call("state_save", `{"name":"Card payment connected","activeTask":"Receipts","nextSteps":["write the mail"],"activeFiles":["shop/pay.txt"]}`, 50)
	d.leave()
	if len(d.asked) != 2 || !strings.Contains(d.asked[0], "trust") || !strings.Contains(d.asked[1], "+provider = adyen") {
		t.Errorf("the person was asked %q; want for the folder once, and for the change", d.asked)
	}
	if text, err := os.ReadFile(filepath.Join(d.dir, "shop", "pay.txt")); err != nil || string(text) != "price = 10\nprovider = adyen\n" {
		t.Errorf("%v: the file holds %q", err, text)
	}
	git(d, "add", "-A")
	git(d, "commit", "-qm", "Card payment")

	other := newDesk(t)
	other.sets = "default"
	git(other, "clone", "-q", d.dir, ".")
	other.connect()
	loaded := other.call("workspace_load", `{}`, 400, "complete: Adyen is connected in shop/pay.txt", "Card payment connected", "state_load")
	other.call("tools_enable", `{"set":"briefing"}`, 700)
	state := loaded["states"].([]any)[0].(map[string]any)["id"].(string)
	other.call("state_load", `{"state":"`+state+`"}`, 200, "write the mail", `"status":"same"`)
	other.call("search", `{"query":"key of Adyen"}`, 80, "in the team's safe")
	other.call("node_next", `{"claim":true}`, 150, `"node-receipts execution pending `)
	other.call("node_transition", `{"nodeId":"node-receipts","action":"start","context":true}`, 250, "Adyen is connected in shop/pay.txt")
	other.call("node_transition", `{"nodeId":"node-receipts","action":"complete","conclusion":"Sent by mail"}`, 100)
	other.leave()

	page := other.arbor("load")
	for _, want := range []string{"complete: Sent by mail", "complete: Adyen is connected in shop/pay.txt", "Card payment connected", "2 of 2 done"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	other.arbor("check")
	t.Logf("%d tokens received in %d calls", d.spent+other.spent, 11+7)
	if d.spent+other.spent > 2000 {
		t.Errorf("the replies of the day have %d tokens", d.spent+other.spent)
	}
}
