//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleVault makes the project in which the examples of help pages are run.
const exampleVault = `
git init -q --template= . && git config user.name You && git config user.email you@example.org
mkdir docs web src && echo api >docs/api.md && echo old >docs/old.md && echo limits >docs/limits.md
echo form >web/form.ts && echo '- [ ] plan' >plan.md && echo "No new dependencies" >rules.txt && echo text >limits.md
echo done >conclusion.md && echo what >requirement.md && echo "Fine. We met. We agreed on it." >minutes.txt
echo answer >answer.md && printf '## Met\n\nMine.\n' >notes.md
arbor init Login --goal "Users sign in" --rule "Tests first" --rule "No new dependencies"
arbor ws docs add docs/old.md
id() { mv .tanmi-workspace/ws-*/nodes/$2 .tanmi-workspace/tmp && mv .tanmi-workspace/tmp $(echo .tanmi-workspace/ws-*/nodes)/$1
	sed -i.bak "s/$2/$1/" .tanmi-workspace/ws-*/nodes/*/Node.md && rm .tanmi-workspace/ws-*/nodes/*/*.bak; }
arbor add Backend -t planning -m "The server"
id node-mj2hz4gy-aaaaaa $(arbor add "Rate limits" -q -p Backend -m "POST" --criterion "the limit" --criterion b --criterion c)
id node-mj2hzz01-bbbbbb $(arbor add "Sign-in page" -q -m "A form")
arbor add "Sign-in endpoint" -p Backend -m "POST" --criterion "the limit" --criterion b --criterion c
arbor add Limits -m "limits" && arbor add "Release template" -t planning -m r
arbor start "Sign-in endpoint" && arbor focus "Sign-in endpoint"
git add . && git commit -qm one && git tag v1 && git branch -M main
arbor log Limits "token bucket: Why was the invoice given up? 不用 Redis" && git commit -qam two && git tag v2
arbor session start Sign-in --session alice && arbor session start s1 --session s1
arbor session state save "Before the review" -m "The form" --next "Go on" --session alice
arbor session state save v2 -m "The form" --next "Go on" --session alice
for slot in decisions scratch meetings monday tuesday old-plans; do arbor memory save $slot -m "Said on $slot."; done
for i in $(seq 60); do echo "Line $i of what was said."; done | arbor memory save meetings -
arbor env add . --id app && arbor env add web --id site && arbor env attach app --session s1
arbor admin config set provider=acme
git gc -q # into few files, as each example has a copy
`

// before is what is done before the examples of a page, and of those below it.
var before = map[string]string{
	"restore":            `arbor rm node-mj2hz4gy "Sign-in endpoint" --yes`,
	"start":              "sed -i.bak 's/^status: implementing/status: pending/' .tanmi-workspace/ws-*/nodes/*/Node.md",
	"retry":              "arbor start node-mj2hz4gy; arbor fail node-mj2hz4gy -m x",
	"complete":           "arbor start node-mj2hz4gy; arbor tick node-mj2hz4gy 1 2 3",
	"submit":             "arbor start node-mj2hz4gy",
	"reopen":             "arbor start node-mj2hz4gy; arbor tick node-mj2hz4gy 1 2 3; arbor complete node-mj2hz4gy -m x",
	"fail":               "arbor start node-mj2hz4gy",
	"log":                `arbor log "Sign-in endpoint" -m "Which?" --question --as AI`,
	"ref":                "arbor ref add node-mj2hz4gy docs/old.md",
	"ref rm":             "arbor ref add node-mj2hz4gy docs/api.md",
	"ref set":            "arbor ref add node-mj2hz4gy docs/api.md",
	"ws docs rm":         "arbor ws docs add docs/api.md",
	"ws docs set":        "arbor ws docs add docs/api.md",
	"ws load":            `arbor init "Job Search" --goal g; arbor use Login`,
	"ws restore":         "arbor ws archive Login",
	"memory restore":     "arbor memory archive scratch",
	"memory use":         "export ARBOR_SESSION=alice",
	"session end":        "export ARBOR_SESSION=alice",
	"session note":       "export ARBOR_SESSION=alice",
	"session transcript": "export ARBOR_SESSION=alice; arbor session transcript append user hi",
	"undo":               "arbor log Limits a; arbor log Limits b",
	"export":             "arbor init Website --goal g; arbor use Login",
	"import": `at=../old/.tanmi-workspace; mkdir -p $at/nodes/root; printf -- '---\ntitle: One\n---\n' >$at/nodes/root/Info.md
		echo '{"id": "ws-mwpt3ok8-aaaaaa", "name": "One", "status": "active", "rootNodeId": "root"}' >$at/workspace.json
		echo '{"version": "5.0", "nodes": {"root": {"id": "root", "dirName": "root", "type": "planning", "parentId": null,
		"children": [], "status": "pending"}}}' >$at/graph.json`,
	"adopt":             "mkdir notes; echo x >ideas.md; echo x >notes/paint.md; echo x >notes/door.md",
	"admin config show": "arbor admin config set providers.acme.model=x",
	"admin git":         "arbor admin git install --yes",
	"changes":           "arbor session bind Login --session alice",
	"blame":             "arbor set . conclusion=x; git commit -qam x",
	"conflicts":         "true",
}

// failing are the examples that cannot succeed without a terminal, a person or another machine, with what they say.
var failing = map[string]string{
	"arbor complete . -e":                                                         "an editor needs a terminal",
	"arbor set . --section note -e":                                               "an editor needs a terminal",
	"arbor sync --continue":                                                       "no sync waits for a decision",
	"arbor env trust app":                                                         "only a person trusts an environment",
	"arbor env clients --remove laptop":                                           "no client has this name",
	"arbor env undo k2v8m4qe":                                                     "no change has this id",
	"arbor env grants --revoke x3k9qa":                                            "no grant has this id",
	"arbor env approve x3k9qa --dry-run":                                          "no request waits under this id",
	"arbor env run test package=./engine":                                         "the caller has no session with environments",
	"arbor env restore site --uri file:///srv/new":                                "only a person moves an environment",
	"arbor env add file:///srv/site --id site --trust read_only":                  "no such file or directory",
	"arbor env approve x3k9qa --for-session --paths 'src/**/*.go'":                "only a person decides",
	"arbor memory import ~/memcord/memory_slots":                                  "the file cannot be read",
	"arbor memory summarize meetings --entry entry-lr3k2a00-x81bq0":               "has no such entry",
	"arbor admin people add ann":                                                  "only a person at a terminal",
	"arbor admin people add bob --rights read --expires 30d":                      "only a person at a terminal",
	"arbor admin people grant bob --rights work":                                  "only a person at a terminal",
	"arbor admin people grant ann --programs":                                     "only a person at a terminal",
	"arbor admin people revoke k3f9q2mx":                                          "no token has this id",
	"arbor admin people tokens ann":                                               "there is no person of this name",
	"arbor admin people rm bob":                                                   "there is no person of this name",
	"arbor admin people redeem https://plans.example/#token=… --assistant claude": "the server is not there",
	"arbor conflicts \"Sign-in endpoint\" --theirs":                               "nothing in the vault is in conflict",
	"arbor conflicts \"Sign-in endpoint\" --field Conclusion --ours":              "nothing in the vault is in conflict",
	`arbor admin vault copy . "postgres://ann@db.example/plans"`:                  "the server cannot be reached",
	`arbor admin vault copy "postgres://ann@db.example/plans" ../plan-in-files`:   "the server cannot be reached",
	"arbor conflicts \"plan/ws-login/memory/decisions (1).md\" --merge":           "nothing in the vault is in conflict",
	"arbor conflicts \"Sign-in endpoint\" -e":                                     "nothing in the vault is in conflict",
}

// lasting are the examples that run until they are interrupted. With --help only their flags are read.
var lasting = regexp.MustCompile(`arbor (serve|watch|ui|env connect|mcp)\b[^|&>]*`)

// TestExamplesOfHelp runs every example of every page of help, each in a project of its own.
func TestExamplesOfHelp(t *testing.T) {
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here", program)
		}
	}
	project, bin := filepath.Join(t.TempDir(), "project"), t.TempDir()
	for _, dir := range []string{bin, project, filepath.Join(project, "../home/.local/share/bash-completion/completions")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"dot", "jq", "curl"} { // which may be missing
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexec cat\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	run := func(dir, script string) (string, error) {
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader("")
		cmd.Env = []string{"PATH=" + bin + ":" + quickPath(t), "HOME=" + filepath.Join(dir, "../home"), "TERM=dumb", "LC_ALL=C.UTF-8", "EDITOR=true",
			"GIT_CONFIG_SYSTEM=/dev/null", "GORACE=" + os.Getenv("GORACE")}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(project, "set -e\n"+exampleVault); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	help, err := run(project, "arbor help all")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z][a-z -]*?) {2,}[A-Z]`).FindAllStringSubmatch(help, -1) {
		page, err := run(project, "arbor "+m[1]+" --help")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range examplesIn(page) {
			n++
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				above := t.TempDir()
				if out, err := run(above, "cp -R "+project+" "+project+"/../home ."); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if at := lasting.FindString(line); at != "" {
					line = at + " --help"
				}
				out, err := run(filepath.Join(above, "project"), "{ true; "+prepared(m[1])+"\n} >/dev/null 2>&1\nset -o pipefail\n"+line)
				if want, fails := failing[line]; fails && !strings.Contains(out, want) {
					t.Errorf("it says %q, want %q", out, want)
				} else if !fails && (err != nil || strings.Contains(out, "arbor: ")) {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
	if n < 200 {
		t.Errorf("%d examples were found", n)
	}
}

// prepared returns what is done before the examples of a page: of it, or of the noun above it.
func prepared(page string) string {
	for ; page != ""; page = page[:max(0, strings.LastIndexByte(page, ' '))] {
		if script, ok := before[page]; ok {
			return script
		}
	}
	return ""
}

// examplesIn returns the examples of a page of help: a line each, with those before that set a variable.
func examplesIn(page string) (all []string) {
	_, rest, found := strings.Cut(page, "\nExamples\n")
	if !found {
		return nil
	}
	block, _, _ := strings.Cut(rest, "\n\n")
	set := ""
	for _, line := range strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n") {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "export "):
			set += line + "; "
		default:
			all = append(all, fmt.Sprint(set, line))
		}
	}
	return all
}
