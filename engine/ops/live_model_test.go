package ops_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/statemachine"
)

// Operations of two processes, people at editors and file managers, crashes and git change one vault in any order.
// After every step three agree: a model that knows nothing of the engine, an engine that is opened now, and one that
// follows the vault all the time.
func TestLiveFilesAgree(t *testing.T) {
	played, refused, steps := 0, 0, map[string]int{}
	enginetest.Check(t, 7, func(rt *rapid.T) {
		played++
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		l := newFollowed(t, rt, dir)
		defer func() { l.stop(); refused += l.refused }()
		l.agree("the beginning")
		for range rapid.IntRange(8, 40).Draw(rt, "steps") {
			l.now.Add(10)
			name, do := l.draw()
			rt.Log(name)
			do()
			l.agree(name)
			kind, _, _ := strings.Cut(name, " ")
			steps[kind]++
		}
	})
	t.Logf("%d sequences, steps %v, %d operations refused", played, steps, refused)
}

// An operation is a call by name, and what it is to do.
type operation struct {
	name   string
	args   map[string]any
	change func(*reference)
}

func chosen[T any](l *followed, name string, from ...T) T {
	return rapid.SampledFrom(from).Draw(l.rt, name)
}

// any draws an id, now and then of a node that does not exist.
func (l *followed) any(name string) string {
	if rapid.IntRange(0, 25).Draw(l.rt, name+" unknown") == 13 {
		return "node-unknown"
	}
	return chosen(l, name, l.model.ids()...)
}

func (l *followed) folder(name string) string {
	var dirs []string
	for d := range l.model.files {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	return chosen(l, name, dirs...)
}

// folderThere is folder, with the folders right below nodes/ that hold no node.
func (l *followed) folderThere(name string) string {
	met := map[string]bool{}
	for d := range l.model.files {
		met[d] = true
	}
	there, err := os.ReadDir(l.vault.at(mdstore.Path(l.model.dir).Join(mdstore.NodesDir)))
	l.must(err)
	for _, d := range there {
		met[d.Name()] = true
	}
	return chosen(l, name, slices.Sorted(maps.Keys(met))...)
}

func (l *followed) way() saver { return saving[rapid.IntRange(0, len(saving)-1).Draw(l.rt, "editor")] }

func (l *followed) name(prefix string) string {
	l.drawn++
	return fmt.Sprintf("%s-%d", prefix, l.drawn)
}

// call draws an operation.
func (l *followed) call() operation {
	do := rapid.SampledFrom([]string{"create", "create", "create", "transition", "transition", "transition", "transition", "move", "log", "update", "delete"}).Draw(l.rt, "operation")
	c := operation{args: map[string]any{"workspaceId": ws}}
	cascade := rapid.Bool().Draw(l.rt, "cascade")
	id := l.any("node")
	switch do {
	case "create":
		title, typ := l.name("T"), chosen(l, "type", statemachine.Planning, statemachine.Execution)
		next := l.newID("node")
		c.name, c.args["parentId"], c.args["type"], c.args["title"], c.args["requirement"], c.args["cascade"] = "node_create", id, typ, title, "r", cascade
		c.change = func(r *reference) { r.create(next, id, title, typ, cascade, l.now.Load()*1000) }
	case "transition":
		action := chosen(l, "action", statemachine.Start, statemachine.Start, statemachine.Submit, statemachine.Complete, statemachine.Complete, statemachine.Fail, statemachine.Retry, statemachine.Reopen, statemachine.Cancel)
		conclusion, reason := chosen(l, "conclusion", "", "done"), chosen(l, "reason", "", "because")
		c.name, c.args["nodeId"], c.args["action"], c.args["conclusion"], c.args["reason"], c.args["cascade"] = "node_transition", id, action, conclusion, reason, cascade
		c.change = func(r *reference) { r.transition(id, action, conclusion, reason, cascade) }
	case "move":
		parent := l.any("parent")
		c.name, c.args["nodeId"], c.args["newParentId"], c.args["cascade"] = "node_move", id, parent, cascade
		c.change = func(r *reference) { r.move(id, parent, cascade) }
	case "log":
		event := l.name("event")
		c.name, c.args["nodeId"], c.args["operator"], c.args["event"] = "log_append", id, "AI", event
		c.change = func(r *reference) { r.logged(r.sound(id), "%s", event) }
	case "update":
		text, title := l.name("note"), l.name("T")
		c.name, c.args["nodeId"], c.args["note"], c.args["title"] = "node_update", id, text, title
		c.change = func(r *reference) { r.edit(r.sound(id), func(n *ref) { n.note, n.title = text, title }) }
	case "delete":
		c.name, c.args["nodeId"] = "node_delete", id
		c.change = func(r *reference) { r.delete(id) }
	}
	return c
}

// do makes a call and compares whether it is refused with what the model says.
func (l *followed) do(env *ops.Env, c operation) {
	o, _ := ops.Find(c.name)
	after, why := l.model.try(c.change)
	_, err := o.Call(tctx, env, enginetest.Args(c.args))
	if (err != nil) != (why != "") || err != nil && errs.As(err).Class() == errs.Internal {
		l.rt.Fatalf("%s(%v): %v\nexpected is %q\n%s", c.name, c.args, err, why, l.model.outline())
	}
	if l.model = after; why != "" {
		l.refused++
	}
}

// crash kills a process in the middle of a call: after the next process has opened the vault, the call is made or not,
// never half.
func (l *followed) crash(c operation, at int, first bool) {
	after, why := l.model.try(c.change)
	life := &crashtest.Life{At: at}
	alive := false
	l.another(life, func(env *ops.Env) {
		alive = life.Lives(func() {
			o, _ := ops.Find(c.name)
			if _, err := o.Call(tctx, env, enginetest.Args(c.args)); (err != nil) != (why != "") {
				l.rt.Fatalf("%s(%v): %v\nexpected is %q\n%s", c.name, c.args, err, why, l.model.outline())
			}
		})
	})
	if first { // the engine that follows recovers
		if _, err := l.e.View(tctx, ws); err != nil {
			l.rt.Fatal(err)
		}
	}
	if got, _ := l.fresh(); alive || got == after.outline() {
		l.model = after
	}
}

// draw draws a step: what it is, and the doing of it.
func (l *followed) draw() (string, func()) {
	switch chosen(l, "step", "operation", "operation", "operation", "crash", "person", "person", "together", "folder", "other") {
	case "operation":
		return l.operate()
	case "crash":
		return l.crashes()
	case "person":
		return l.edit()
	case "together":
		return l.together()
	case "folder":
		return l.folders()
	}
	return l.others()
}

func (l *followed) operate() (string, func()) {
	c := l.call()
	if rapid.Bool().Draw(l.rt, "another process") {
		return c.name + " of another " + fmt.Sprint(c.args), func() { l.another(&crashtest.Life{}, func(env *ops.Env) { l.do(env, c) }) }
	}
	return c.name + " " + fmt.Sprint(c.args), func() {
		l.do(&ops.Env{Engine: l.e}, c)
		if got, _, err := statesOf(l.e); err != nil || got != l.model.outline() {
			l.rt.Fatalf("%s(%v) is not seen by the engine that did it: %v\n%s\nexpected is\n%s", c.name, c.args, err, got, l.model.outline())
		}
	}
}

func (l *followed) crashes() (string, func()) {
	c, at, first := l.call(), rapid.IntRange(1, 36).Draw(l.rt, "step"), rapid.Bool().Draw(l.rt, "the other comes first")
	return fmt.Sprintf("crash at %d of %s %v", at, c.name, c.args), func() { l.crash(c, at, first) }
}

// edit draws a save of one or more files by a person.
func (l *followed) edit() (string, func()) {
	var all []func()
	what := "save"
	for range rapid.IntRange(1, 3).Draw(l.rt, "files") {
		h, dir := l.way(), l.folder("file")
		var change func(string) string
		var effect func(*ref)
		n := l.model.files[dir]
		key := chosen(l, "what", "title", "status", "parent", "note", "order", "nothing")
		switch key {
		case "title":
			v := l.name("by hand")
			change, effect = field("title", v), func(n *ref) { n.title = v }
		case "status":
			v := chosen(l, "status", statemachine.Statuses(n.typ)...)
			change, effect = field("status", string(v)), func(n *ref) { n.status = v }
		case "parent":
			if n.id == "root" {
				continue
			}
			v := l.any("parent")
			change, effect = field("parentId", v), func(n *ref) { n.parent = v }
		case "note":
			v := l.name("a note")
			change, effect = noted(v), func(n *ref) { n.note = v }
		case "order":
			v := rapid.IntRange(-3, 3).Draw(l.rt, "order")
			change, effect = field("order", fmt.Sprint(v)), func(n *ref) { n.order = float64(v) }
		case "nothing":
			change, effect = func(s string) string { return s }, func(*ref) {}
		}
		what += fmt.Sprintf(" %s of %s %s;", key, dir, h.name)
		all = append(all, func() {
			l.save(l.nodeFile(dir), h, change)
			l.model.edit(dir, effect)
		})
	}
	return what, func() {
		for _, f := range all {
			f()
		}
	}
}

// folders draws what a person does in a file manager.
func (l *followed) folders() (string, func()) {
	dir := l.folder("folder")
	left := l.model.clone()
	left.removeFolder(dir)
	root := len(left.dirs("root")) == 0 // the last one; nearly every operation would be refused without it
	path := func(d string) string { return l.vault.at(mdstore.Path(l.model.dir).Join("nodes", d)) }
	to := l.name("folder")
	if inner := l.folderThere("in"); rapid.IntRange(0, 3).Draw(l.rt, "inside") == 0 && inner != dir && !strings.HasPrefix(inner, dir+"/") {
		to = inner + "/" + to
	}
	switch kind := chosen(l, "kind", "remove", "copy", "copy", "rename", "new", "file", "empty"); {
	case kind == "copy":
		return "copy folder " + dir + " to " + to, func() {
			l.must(os.CopyFS(path(to), os.DirFS(path(dir))))
			l.model.copyFolder(dir, to)
		}
	case kind == "rename":
		return "rename folder " + dir + " to " + to, func() {
			l.must(os.Rename(path(dir), path(to)))
			l.model.copyFolder(dir, to)
			l.model.removeFolder(dir)
		}
	case kind == "empty":
		return "empty folder " + to, func() { l.must(os.Mkdir(path(to), 0o755)) }
	case kind == "new":
		n := handMade(l.name("hand"), l.any("parent"), l.name("new"), chosen(l, "type", statemachine.Planning, statemachine.Execution), statemachine.Pending)
		return "new file " + to, func() {
			l.newFile(to, n)
		}
	case kind == "file" && !root && !l.nested(dir):
		return "remove file of " + dir, func() {
			l.must(os.Remove(l.nodeFile(dir)))
			l.must(os.RemoveAll(path(dir))) // there may be empty ones in it
			l.model.removeFolder(dir)
		}
	case root || len(l.model.dirs(l.model.files[dir].id)) == 1 && rapid.Bool().Draw(l.rt, "spare"):
		return "nothing", func() {}
	}
	return "remove folder " + dir, func() {
		l.must(os.RemoveAll(path(dir)))
		l.model.removeFolder(dir)
	}
}

// nested reports whether other nodes lie in a node's folder.
func (l *followed) nested(dir string) bool {
	for d := range l.model.files {
		if strings.HasPrefix(d, dir+"/") {
			return true
		}
	}
	return false
}

// others draws the rest: git, the workspace's own file and folder, a restart of the engine, a deleted .local/.
func (l *followed) others() (string, func()) {
	switch kind := chosen(l, "what", "commit", "checkout", "checkout", "goal", "workspace", "restart", "reload", "local"); kind {
	case "commit":
		return "commit to git", l.keep
	case "checkout":
		if len(l.past) == 0 {
			return "commit to git", l.keep
		}
		v, byGit := l.past[rapid.IntRange(0, len(l.past)-1).Draw(l.rt, "version")], rapid.Bool().Draw(l.rt, "by git")
		return fmt.Sprintf("checkout of %d files, by git %v", len(v.files), byGit), func() { l.checkout(v, byGit) }
	case "goal":
		v, h := l.name("goal"), l.way()
		return "goal", func() {
			l.save(l.vault.at(mdstore.Path(l.model.dir).Join("Workspace.md")), h, field("goal", v))
			l.model.goal = v
		}
	case "workspace":
		to := l.name("ws")
		return "workspace to " + to, func() {
			l.must(os.Rename(l.vault.at(mdstore.Path(l.model.dir)), l.vault.at(mdstore.Path(to))))
			l.model.dir = to
		}
	case "restart":
		return "restart", func() { l.stop(); l.open() }
	case "reload":
		return "reload", func() {
			l.e.Live().Stale()
			if _, err := l.e.View(tctx, ws); err != nil {
				l.rt.Fatal(err)
			}
		}
	}
	return "local folder goes", func() { l.must(l.vault.removeLocal()) }
}
