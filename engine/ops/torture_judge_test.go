package ops_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arbor/engine/check"
	"arbor/engine/enginetest"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// judged is a torture with the reports of its workers and the files after it.
type judged struct {
	*testing.T
	*herd
	files map[string]string // by path, those in the trash too
	found map[string][]string
	nodes map[mdstore.ID]*mdstore.Node // by id, those in the trash too
	snap  *view.View

	damage []mdoc.Diagnostic // of the view

	spared map[mdstore.ID]bool // nodes that once does not look at

	lost, half, twice int
}

var mark = regexp.MustCompile(`\b(said|made|because|rule|problem|note|refers|typed) (w\d+g\d+n\d+|e\d+);`)

// judge opens a vault after a torture, which recovers it from the last kills, and reads all of it.
func judge(t *testing.T, h *herd) *judged {
	t.Helper()
	for _, b := range h.broken {
		t.Error(b)
	}
	e := enginetest.Open(t, enginetest.OpenDir(t, h.dir))
	j := &judged{T: t, herd: h, files: map[string]string{}, found: map[string][]string{}, nodes: map[mdstore.ID]*mdstore.Node{}}
	var err error
	err = e.Read(t.Context(), func(ctx context.Context) error {
		if j.snap, err = e.View(ctx, ws); err == nil {
			j.damage = check.Diagnostics(check.View(j.snap))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(h.dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(h.dir, p)
		rel = filepath.ToSlash(rel)
		if rel == ".local/cache" {
			return fs.SkipDir // it holds titles too
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		spare := isSpared(rel)
		if !spare {
			j.files[rel] = string(data)
		}
		for _, m := range mark.FindAllString(string(data), -1) {
			if !spare || strings.HasPrefix(m, "typed ") {
				j.found[m] = append(j.found[m], rel)
			}
		}
		if filepath.Base(p) == mdstore.NodeFile && !spare {
			n := mdstore.ParseNode(mdstore.File{Path: mdstore.Path(rel), Data: data, Version: mdstore.VersionOf(data)})
			if twin, ok := j.nodes[n.ID]; ok {
				j.half++
				t.Errorf("%s is both %s and %s", n.ID, twin.Path, n.Path)
			}
			j.nodes[n.ID] = n
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// sound reports the findings of the vault: each is half of an operation.
func (j *judged) sound() {
	for _, d := range j.damage {
		j.half++
		j.Errorf("diagnostic: %v", d)
	}
}

// text is what an attempt leaves in the files once.
func (a *attempt) text() string {
	form := a.Kind
	if form == ruled {
		form = because
	}
	return string(form) + " " + a.Key + ";"
}

// once checks that an acknowledged operation is in the files once, a refused one not at all, and one that was cut short
// at most once.
func (j *judged) once(kinds ...kind) {
	for _, a := range j.tries {
		if !slices.Contains(kinds, a.Kind) || j.spared[a.Node] {
			continue
		}
		where := j.found[a.text()]
		if a.Kind == made {
			where = slices.DeleteFunc(slices.Compact(slices.Clone(where)), func(p string) bool { return !strings.Contains(j.files[p], "\ntitle: "+a.text()+"\n") })
			if slices.ContainsFunc(where, func(p string) bool { return j.spared[mdstore.ID(path.Base(path.Dir(p)))] }) {
				continue // the worker that made it died before it reported the node
			}
		}
		n := len(where)
		switch {
		case a.done && n == 0:
			j.lost++
			j.Errorf("lost: %s %q of %s", a.Kind, a.text(), a.Node)
		case a.refused && n > 0:
			j.half++
			j.Errorf("refused, but there: %q in %v", a.text(), j.found[a.text()])
		case n > 1:
			j.twice++
			j.Errorf("duplicated: %q in %v", a.text(), j.found[a.text()])
		}
	}
}

// registers checks that each place of one value holds the last acknowledged one, or one that was tried after it.
func (j *judged) registers() {
	type register struct {
		node mdstore.ID
		kind kind
	}
	may := map[register]map[string]bool{}
	for _, a := range j.tries {
		if a.refused {
			continue
		}
		switch a.Kind {
		case problem, note, parent, isolate:
			r := register{a.Node, a.Kind}
			if may[r] == nil || a.done {
				first := may[r] == nil && !a.done
				may[r] = map[string]bool{"": first, "false": first}
				if first {
					may[r]["*"] = a.Kind == parent // where it was made is not known
				}
			}
			may[r][a.Value] = true
		case because, ruled: // completing and cancelling clear the problem
			if m := may[register{a.Node, problem}]; m != nil {
				m[""] = true
			}
		}
	}
	for r, values := range may {
		n, ok := j.nodes[r.node]
		if !ok {
			j.lost++
			j.Errorf("lost: node %s", r.node)
			continue
		}
		got := ""
		switch r.kind {
		case problem:
			got = n.Problem().Text
		case note:
			got = n.Note()
		case parent:
			got = string(n.Parent)
		case isolate:
			got = "false"
			if mdstore.ValueOf(n.Isolated) {
				got = "true"
			}
		}
		if got = strings.TrimSpace(got); !values[got] && !values["*"] {
			j.lost++
			j.Errorf("lost: the %s of %s is %q, may be %v", r.kind, r.node, got, slices.Sorted(maps.Keys(values)))
		}
	}
}

// atomic checks that an operation in several files is made in all of them or in none.
func (j *judged) atomic() {
	rules := map[string]bool{}
	for _, r := range j.snap.Workspace().Rules() {
		rules[r] = true
	}
	inLog := map[mdstore.ID]bool{} // nodes that a parent's log calls deleted
	for _, text := range j.files {
		for _, m := range regexp.MustCompile(`\] deleted: (\S+) \(`).FindAllStringSubmatch(text, -1) {
			inLog[mdstore.ID(m[1])] = true
		}
	}
	below := map[mdstore.ID]bool{} // nodes in the trash whose deletion was their own, or one further up
	for _, a := range j.tries {
		switch {
		case a.Kind == ruled:
			log, there := len(j.found[a.text()]) > 0, rules["rule "+a.Key+";"]
			if log != there {
				j.half++
				j.Errorf("half: %s: in the node's log %v, the rule in the workspace %v", a.Key, log, there)
			}
		case a.Kind == gone:
			n, ok := j.nodes[a.Node]
			trashed := ok && n.Path.Under(mdstore.LocalDir)
			if a.done && !trashed {
				j.lost++
				j.Errorf("lost: the deletion of %s", a.Node)
			}
			below[a.Node] = below[a.Node] || trashed
			if inLog[a.Node] && !trashed {
				j.half++
				j.Errorf("half: %s is called deleted and is not in the trash", a.Node)
			}
		}
	}
	for id := range below {
		if n := j.nodes[id]; below[id] && !inLog[id] && !below[n.Parent] {
			if p, ok := j.nodes[n.Parent]; !ok || !p.Path.Under(mdstore.LocalDir) {
				j.half++
				j.Errorf("half: %s is in the trash, and its parent %s does not say so", id, n.Parent)
			}
		}
	}
	for _, n := range j.snap.Walk(mdstore.Root) {
		up, whole := j.snap.Ancestors(n.ID)
		if !whole {
			j.half++
			j.Errorf("half: %s hangs nowhere", n.ID)
		}
		for i, a := range up {
			begun := i == 0 || !statemachine.Terminal(n.Status) && n.Status != statemachine.Initial(n.Type)
			reopened := slices.ContainsFunc(j.nodes[a.ID].Log(), func(l mdstore.LogEntry) bool { return strings.HasPrefix(l.Event, "reopen: ") })
			if begun && !reopened && (a.Status == statemachine.Pending || a.Status == statemachine.InPlanning) {
				j.half++
				j.Errorf("half: %s is %s, and %s above it %s", n.ID, n.Status, a.ID, a.Status)
			}
		}
	}
}

// isSpared reports whether a file is one that a commit replaced, one that keeps a replaced text, or a save of a node
// that was deleted meanwhile: it may hold any line besides.
func isSpared(p string) bool {
	return strings.HasPrefix(p, ".local/displaced/") || strings.HasPrefix(p, ".local/replaced/") ||
		strings.HasPrefix(p, ".local/trash/late-")
}

// clean reports records and temporaries, which a crash must not leave, and conflict copies unless saves is set.
// Temporaries of notes in .local/ stay until check --fix clears them away.
func (j *judged) clean(saves bool) {
	for p := range j.files {
		name := filepath.Base(p)
		copied := strings.Contains(name, ".conflict-")
		switch {
		case strings.HasPrefix(p, ".local/journal/"):
			j.half++
			j.Errorf("left: %s", p)
		case strings.HasPrefix(p, ".local/") && strings.HasPrefix(name, dirstore.TempPrefix):
		case strings.HasPrefix(name, dirstore.TempPrefix), copied && !saves:
			j.half++
			j.Errorf("left: %s", p)
		}
	}
}
