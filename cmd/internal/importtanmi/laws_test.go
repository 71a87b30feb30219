package importtanmi

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"arbor/engine/plan"
	"arbor/mdstore"

	"pgregory.net/rapid"
)

func optionsOf(t *testing.T, comment string) Options {
	t.Helper()
	var opt Options
	for _, line := range strings.Split(comment, "\n") {
		if name, ok := strings.CutPrefix(line, "vault: "); ok {
			opt.VaultName = name
		}
		if name, ok := strings.CutPrefix(line, "zone: "); ok {
			d, err := time.ParseDuration(name)
			if err != nil {
				t.Fatal(err)
			}
			opt.Zone = time.FixedZone("the caller's zone", int(d.Seconds()))
		}
	}
	return opt
}

// check is what holds of every result, whatever the files hold.
func check(t rapid.TB, imports []plan.Import, warnings []string) {
	t.Helper()
	for _, w := range warnings {
		if strings.ContainsFunc(w, unicode.IsControl) || !utf8.ValidString(w) || w == "" || len(w) > 10_000 {
			t.Errorf("a warning is no short line of text: %q", w)
		}
	}
	workspaces := map[mdstore.ID]bool{}
	for _, imp := range imports {
		if !imp.ID.Valid() || workspaces[imp.ID] {
			t.Errorf("workspace id %q is no id, or is there twice", imp.ID)
		}
		workspaces[imp.ID] = true
		checkTree(t, imp)
		checkTexts(t, imp)
	}
}

func checkTree(t rapid.TB, imp plan.Import) {
	t.Helper()
	before := map[mdstore.ID]bool{} // parents stand before their children, so there are no cycles
	for i, n := range imp.Nodes {
		if (i == 0) != (n.ID == mdstore.Root) || (i == 0) != (n.Parent == "") {
			t.Errorf("node %d is %q with parent %q: the root, and only it, is first and has none", i, n.ID, n.Parent)
		}
		if !n.ID.Valid() || before[n.ID] || i > 0 && !before[n.Parent] {
			t.Errorf("node %q with parent %q: the id is none or there twice, or the parent does not stand before it", n.ID, n.Parent)
		}
		before[n.ID] = true
	}
	if imp.Focus != "" && !before[imp.Focus] {
		t.Errorf("the focus %q is no node", imp.Focus)
	}
	places := map[mdstore.ID]map[float64]bool{}
	for _, n := range imp.Nodes {
		if places[n.Parent] == nil {
			places[n.Parent] = map[float64]bool{}
		}
		if n.Order == nil {
			continue
		}
		if places[n.Parent][*n.Order] {
			t.Errorf("two children of %q have the order %v", n.Parent, *n.Order)
		}
		places[n.Parent][*n.Order] = true
	}
}

func checkTexts(t rapid.TB, imp plan.Import) {
	t.Helper()
	line := func(what, s string) {
		if s == "" || utf8.RuneCountInString(s) > maxName || strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) {
			t.Errorf("%s is no line of 1 to %d characters: %q", what, maxName, s)
		}
	}
	text := func(what, s string) {
		if strings.ContainsAny(s, "\r\x00") || !utf8.ValidString(s) {
			t.Errorf("%s is no clean text: %q", what, s)
		}
	}
	refs := func(what string, all []mdstore.Ref) {
		for _, r := range all {
			if _, ok := r.Format(); !ok || len(r.Target) > 4096 || len(r.Description) > mdstore.MaxEvent || strings.ContainsFunc(r.Target+r.Description, unicode.IsControl) {
				t.Errorf("%s: no form holds %+v", what, r)
			}
		}
	}
	log := func(what string, all []mdstore.LogEntry) {
		for _, e := range all {
			text(what, e.Event)
			if got := mdstore.ParseLog(mdstore.FormatLog(e.Time, e.Operator, e.Event)); e.Time != "" && got != e {
				t.Errorf("%s: %+v reads back as %+v", what, e, got)
			}
		}
	}
	line("name", imp.Name)
	text("goal", imp.Goal)
	for _, r := range imp.Rules {
		text("rule", r)
	}
	refs("docs", imp.Docs)
	log("log", imp.Log)
	for _, n := range imp.Nodes {
		id := string(n.ID)
		line("title of "+id, n.Title)
		text(id, n.Requirement+n.Conclusion+n.Note+n.Problem.Text+n.Problem.NextStep)
		refs(id, n.Docs)
		refs(id, n.References)
		log(id, n.Log)
		if n.CreatedAt < 0 || n.UpdatedAt < n.CreatedAt {
			t.Errorf("%s: created at %d, updated at %d", id, n.CreatedAt, n.UpdatedAt)
		}
	}
	for name, data := range imp.Files {
		if p := mdstore.Path("ws").Join(name); !p.Valid() || len(data) > mdstore.MaxFileSize {
			t.Errorf("file %q of %d bytes cannot be in a vault", name, len(data))
		}
	}
}
