package layers

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The table is no better than what it refuses: to every package that exists,
// each import that its row does not allow is added in turn, and must be found.
func TestEveryForbiddenImportIsFound(t *testing.T) {
	tr, err := load(os.DirFS(moduleRoot(t)), module.reasons)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	found := func(r row, file string, pkg string, want ...rule) {
		tried++
		added := source{path: r.name + "/" + file, dir: r.name, test: strings.HasSuffix(file, "_test.go"), imports: []use{{pkg: pkg, line: 7}}}
		c := &checker{tree: tr, policy: module}
		c.source(added)
		if len(c.found) != 1 || !slices.Contains(want, c.found[0].rule) || c.found[0].line != 7 {
			t.Errorf("%s imports %s: reported %v, want one of %v", added.path, pkg, c.found, want)
		}
	}
	for _, r := range module.rows {
		for _, to := range module.rows {
			if !listed(r.may, to.name) {
				found(r, "added.go", tr.module+"/"+to.name, ruleDown)
			}
			if to.floor > r.floor && !to.helper && !listed(r.tests, to.name) {
				found(r, "added_test.go", tr.module+"/"+to.name, ruleTestsDown)
			}
		}
		for _, h := range module.homes {
			if h.name == inTests && !r.forTests {
				found(r, "added.go", h.module+"/sub", ruleTestsOnly)
			}
			if h.name != inTests && !h.holds(r.name) {
				found(r, "added.go", h.module, ruleHome)
				if !listed(h.judges, r.name) {
					found(r, "added_test.go", h.module, ruleHome)
				}
			}
		}
		found(r, "added.go", "example.org/unheard/of", ruleHome)
		if r.std != "" {
			for _, pkg := range []string{"os", "os/exec", "net/http", "syscall", "math/rand", "math/rand/v2", "log", "embed"} {
				if !listed(r.std, pkg) {
					found(r, "added.go", pkg, ruleClosed)
				}
			}
		}
		if !r.forTests {
			found(r, "added.go", "testing", ruleTestsOnly)
			found(r, "added.go", "testing/fstest", ruleTestsOnly)
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// No closed package can take what is banned, under any name and in any form;
// the file that may name the clock can do only that.
func TestEveryBannedNameIsFound(t *testing.T) {
	tried := 0
	for _, r := range module.rows {
		if r.std == "" {
			continue
		}
		for _, b := range bans {
			for _, name := range strings.Fields(b.names) {
				for _, at := range [][2]string{{r.name + "/added.go", ""}, {r.name + "/added.go", "(0)"}, {r.clock, ""}, {r.clock, "(0)"}} {
					file, tail := at[0], at[1]
					if file == "" {
						continue
					}
					tried++
					text := "package p\n\nimport other " + strconv.Quote(b.pkg) + "\n\nvar v = []any{other." + name + tail + "}\n"
					c := &checker{tree: &tree{module: "arbor"}, policy: module}
					c.source(parse(file, []byte(text)))
					reported := slices.ContainsFunc(c.found, func(v violation) bool { return v.rule == b.breaks && v.line == 5 })
					if excepted := file == r.clock && b.breaks == ruleClock && tail == ""; reported == excepted {
						t.Errorf("%s uses %s.%s%s: reported %v", file, b.pkg, name, tail, c.found)
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// The sealed packages stay without a clock, a disk, a network and randomness,
// whatever their rows come to say.
func TestSealedRowsStaySealed(t *testing.T) {
	for _, name := range []string{"statemachine", "mdstore/mdoc", "context/assemble", "context/render"} {
		r, ok := (&checker{policy: module}).row(name)
		if !ok || r.std == "" || r.clock != "" {
			t.Errorf("%s is not closed: %+v", name, r)
		}
		for _, pkg := range strings.Fields(expanded(r.std)) {
			top, _, _ := strings.Cut(pkg, "/")
			if top == "os" || pkg == "path/filepath" || top == "net" || top == "syscall" || top == "log" || strings.HasSuffix(pkg, "/rand") || pkg == "io/fs" {
				t.Errorf("%s is sealed, but its row allows %s", name, pkg)
			}
		}
	}
	if r, _ := (&checker{policy: module}).row("statemachine"); r.std != "fmt slices" || r.may != "" {
		t.Errorf("statemachine imports fmt and slices and nothing else, but its row says %+v", r)
	}
}
