package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// merges are ordinary merges of two people's work: what each does, what the files have to hold afterwards, what git
// does alone ("clean" or "conflict"), and what is left of a conflict once arbor check --fix has settled what it can
// prove.
const merges = "../../testdata/merges/*.txtar"

// plannedByAll is what both people begin with.
const plannedByAll = `git init -q -b main
arbor init Login --goal "People sign in" --rule "Write tests" -q
arbor add Sign-in --type planning -m "From the form to the cookie" -q
arbor add Endpoint --parent Sign-in -m "POST /sign-in" -q
arbor add Limit --parent Sign-in -m "Five tries a minute" -q
arbor add Docs --type planning -m "What to write" -q
arbor memory save decisions -m "We keep it small" -q`

const planMerged = `arbor check && test -z "$(git ls-files -u)" && ! grep -rq '^<<<<<<< ' .tanmi-workspace`

// TestMergesOfTwoPeople makes each merge with the driver, without it, and without it with check --fix.
func TestMergesOfTwoPeople(t *testing.T) {
	for _, program := range []string{"git", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	files, err := filepath.Glob(merges)
	if err != nil || len(files) < 12 {
		t.Fatalf("%s: %d merges, %v", merges, len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := func(name string) string {
				i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
				if i < 0 {
					t.Fatalf("%s has no part %q", file, name)
				}
				return string(a.Files[i].Data)
			}
			p := &peopleOfAMerge{T: t, dir: t.TempDir()}
			p.must(plannedByAll + "\ngit add -A; git commit -qm plan; git checkout -q -b theirs\n" + part("theirs") + "\ngit add -A; git commit -qm theirs\n" +
				"git checkout -q main\n" + part("ours") + "\ngit add -A; git commit -qm ours; git tag ours")
			holds := func(how string) {
				text := p.must("find .tanmi-workspace -name '*.md' -not -path '*/.local/*' -exec cat {} +")
				for line := range strings.Lines(part("holds")) {
					if !strings.Contains(text, strings.TrimSpace(line)) {
						t.Errorf("%s: no file holds %q:\n%s", how, line, text)
					}
				}
			}
			alone := "clean"
			if _, ok := p.run("git merge -q theirs -m both"); !ok {
				alone = "conflict"
				if out, ok := p.run("arbor check --fix; git add -A -- :/ && " + planMerged); !ok && part("after check --fix") == "clean\n" {
					t.Errorf("after check --fix:\n%s", out)
				} else if ok {
					holds("after check --fix")
				}
			}
			if alone+"\n" != part("git alone") {
				t.Errorf("git alone: %s, %s is expected", alone, part("git alone"))
			}
			p.must("git merge --abort 2>/dev/null || git reset -q --hard ours")
			p.must("arbor admin git install --yes && git add -A && git commit -qm driver; git merge -q theirs -m both && " + planMerged)
			holds("with the driver")
		})
	}
}

// peopleOfAMerge run commands in a folder of their own.
type peopleOfAMerge struct {
	*testing.T
	dir string
}

// run runs commands, and reports whether the last one succeeded.
func (p *peopleOfAMerge) run(script string) (out string, ok bool) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "PATH="+quickPath(p), "HOME="+p.dir+"/.git/home",
		"XDG_CONFIG_HOME=", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org", "ARBOR_GIT=ignore")
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

func (p *peopleOfAMerge) must(script string) string {
	p.Helper()
	out, ok := p.run("set -e\n" + script)
	if !ok {
		p.Fatalf("%s\n%s", script, out)
	}
	return out
}
