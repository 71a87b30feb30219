package ops_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"arbor/statemachine"
)

// A ref is what one Node.md states.
type ref struct {
	id, parent, title string
	typ               statemachine.Type
	status            statemachine.Status
	order             float64 // NaN for none
	created           int64
	note, conclusion  string
	log               []string
}

// A reference is a workspace as a test expects it: a plain map, with the rules of operations written down a second
// time. It uses nothing of the engine but the table of transitions.
type reference struct {
	files map[string]ref // by the folder below nodes/
	focus string
	goal  string
	dir   string // of the workspace
}

func (r reference) clone() reference {
	out := r
	out.files = maps.Clone(r.files)
	for dir, n := range out.files {
		n.log = slices.Clone(n.log)
		out.files[dir] = n
	}
	return out
}

// outline tells all that is expected, in the words of outlineOf.
func (r reference) outline() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: goal %q, focus %q\n", r.dir, r.goal, r.focus)
	for _, dir := range slices.SortedFunc(maps.Keys(r.files), func(a, b string) int { return cmp.Compare(a+"/Node.md", b+"/Node.md") }) {
		n := r.files[dir]
		fmt.Fprintf(&b, "%s: %s under %q: %s %s %q note %q conclusion %q log %q\n", dir, n.id, n.parent, n.typ, n.status, n.title, n.note, n.conclusion, n.log)
	}
	parents := map[string]bool{"root": true}
	for _, n := range r.files {
		parents[n.parent] = true
	}
	delete(parents, "")
	for _, p := range slices.Sorted(maps.Keys(parents)) {
		fmt.Fprintf(&b, "%s > %v\n", p, r.children(p))
	}
	return b.String()
}

// dirs returns the folders that say an id, in order.
func (r reference) dirs(id string) (out []string) {
	for dir, n := range r.files {
		if n.id == id {
			out = append(out, dir)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(a+"/Node.md", b+"/Node.md") })
	return out
}

// node returns the node that stands in the tree for an id.
func (r reference) node(id string) (ref, bool) {
	if dirs := r.dirs(id); len(dirs) > 0 {
		return r.files[dirs[0]], true
	}
	return ref{}, false
}

func (r reference) ids() []string {
	met := map[string]bool{}
	for _, n := range r.files {
		met[n.id] = true
	}
	return slices.Sorted(maps.Keys(met))
}

func (n ref) place() float64 {
	switch {
	case !math.IsNaN(n.order):
		return n.order
	case n.created > 0:
		return float64(n.created)
	}
	return math.Inf(1)
}

func (r reference) children(id string) (out []string) {
	var kids []ref
	for _, kid := range r.ids() {
		if n, _ := r.node(kid); kid != "root" && n.parent == id {
			kids = append(kids, n)
		}
	}
	slices.SortFunc(kids, func(a, b ref) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	for _, k := range kids {
		out = append(out, k.id)
	}
	return out
}

// above returns the ancestors, the parent first; whole is false where they do not lead to the root.
func (r reference) above(id string) (up []string, whole bool) {
	for n, ok := r.node(id); ; {
		if !ok || slices.Contains(up, n.parent) || n.id != "root" && n.parent == id {
			return up, false
		}
		if n.id == "root" {
			return up, true
		}
		up = append(up, n.parent)
		n, ok = r.node(n.parent)
	}
}

// below returns a node and all under it.
func (r reference) below(id string) []string {
	out := []string{id}
	for i := 0; i < len(out); i++ {
		for _, k := range r.children(out[i]) {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// refusal is why something is not to be done.
type refusal string

func refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }

// try makes a change to a copy and returns it, or the reason why it is refused.
func (r reference) try(change func(*reference)) (after reference, why refusal) {
	after = r.clone()
	defer func() {
		if p := recover(); p != nil {
			after, why = r, p.(refusal)
		}
	}()
	change(&after)
	return after, ""
}

// own returns the only folder of an id, or refuses.
func (r reference) own(id string) string {
	switch dirs := r.dirs(id); len(dirs) {
	case 0:
		refuse("%s does not exist", id)
	case 1:
		return dirs[0]
	}
	refuse("%s exists more than once", id)
	return ""
}

// sound returns the folder of a node that may be changed: it has a parent, and is not below itself.
func (r reference) sound(id string) string {
	dir := r.own(id)
	n := r.files[dir]
	if id == "root" {
		return dir
	}
	if _, ok := r.node(n.parent); !ok {
		refuse("%s has no parent", id)
	}
	if up, _ := r.above(id); slices.Contains(up, id) || n.parent == id || r.circular(id) {
		refuse("%s is below itself", id)
	}
	return dir
}

func (r reference) circular(id string) bool {
	n, _ := r.node(id)
	for range r.files {
		var ok bool
		if n, ok = r.node(n.parent); !ok || n.id == "root" {
			return false
		}
		if n.id == id {
			return true
		}
	}
	return false
}

func (r *reference) edit(dir string, f func(*ref)) {
	n := r.files[dir]
	f(&n)
	r.files[dir] = n
}

func (r *reference) logged(dir, format string, args ...any) {
	r.edit(dir, func(n *ref) { n.log = append(n.log, fmt.Sprintf(format, args...)) })
}

// frozen goes by the status alone: a person may have put a node below an execution node that is completed.
func frozen(n ref) bool {
	return n.status == statemachine.Completed || n.status == statemachine.Cancelled
}

// step moves a node along one row of the table.
func (r *reference) step(dir string, row statemachine.Rule, why string) {
	if why != "" {
		why = "; " + why
	}
	r.edit(dir, func(n *ref) {
		n.status = row.To
		if statemachine.Terminal(row.From) && n.conclusion != "" {
			why, n.conclusion = why+"\nconclusion until then:\n"+n.conclusion, ""
		}
	})
	r.logged(dir, "%s: %s → %s%s", row.Do, row.From, row.To, why)
}

func row(t statemachine.Type, from statemachine.Status, do statemachine.Action) (statemachine.Rule, bool) {
	for _, x := range statemachine.Rules() {
		if x.Type == t && x.From == from && x.Do == do {
			return x, true
		}
	}
	return statemachine.Rule{}, false
}

// thaw refuses a change below a frozen node, unless cascade says that the node is to be reopened.
func (r *reference) thaw(up []string, cascade bool) (any bool) {
	for _, id := range up {
		n, _ := r.node(id)
		if frozen(n) && !cascade {
			refuse("%s is frozen", id)
		}
		any = any || frozen(n)
	}
	return any
}

// raise brings ancestors into monitoring.
func (r *reference) raise(up []string, cascade bool, why string) {
	for _, id := range up {
		n, _ := r.node(id)
		if n.typ != statemachine.Planning || n.status == statemachine.Monitoring || !slices.Contains(statemachine.Statuses(n.typ), n.status) {
			continue
		}
		dir := r.own(id)
		for _, do := range []statemachine.Action{statemachine.Start, statemachine.Reopen, statemachine.Adopt} {
			if x, ok := row(n.typ, r.files[dir].status, do); ok {
				r.step(dir, x, why)
			}
		}
	}
}

// under returns the ancestors that a new child of a node concerns.
func (r *reference) under(parent string, kid ref, cascade bool) []string {
	n, ok := r.node(parent)
	if !ok {
		refuse("%s does not exist", parent)
	}
	r.own(parent)
	if n.typ != statemachine.Planning {
		refuse("%s has no children", parent)
	}
	above, whole := r.above(parent)
	if !whole {
		refuse("%s does not hang below the root", parent)
	}
	up := append([]string{parent}, above...)
	thawed := r.thaw(up, cascade)
	if waits := kid.status == statemachine.Pending || statemachine.Terminal(kid.status); waits && !thawed {
		return up[:1]
	}
	return up
}

func (r *reference) create(id, parent, title string, typ statemachine.Type, cascade bool, now int64) {
	n := ref{id: id, parent: parent, title: title, typ: typ, status: statemachine.Pending, order: math.NaN(), created: now, log: []string{"created"}}
	up := r.under(parent, n, cascade)
	r.files[id] = n
	r.raise(up, cascade, "child "+id+" created")
}

func (r *reference) move(id, parent string, cascade bool) {
	dir := r.own(id)
	n := r.files[dir]
	above, _ := r.above(parent)
	switch _, ok := r.node(parent); {
	case id == "root":
		refuse("the root stays")
	case parent == id || ok && slices.Contains(above, id):
		refuse("%s is below %s", parent, id)
	case !ok:
		refuse("%s does not exist", parent)
	case n.parent == parent:
		return
	}
	up := r.under(parent, n, cascade)
	was := n.parent
	r.edit(dir, func(n *ref) { n.parent = parent })
	r.logged(dir, "moved: %s → %s", was, parent)
	r.raise(up, cascade, "child "+id+" moved in")
}

func (r *reference) transition(id string, do statemachine.Action, conclusion, reason string, cascade bool) {
	dir := r.sound(id)
	up, whole := r.above(id)
	if !whole {
		refuse("%s does not hang below the root", id)
	}
	n := r.files[dir]
	x, ok := row(n.typ, n.status, do)
	if !ok || do == statemachine.Adopt {
		refuse("%s cannot %s", n.status, do)
	}
	if x.Need&statemachine.NeedConclusion != 0 && conclusion == "" && n.conclusion == "" {
		refuse("no conclusion")
	}
	if x.Need&statemachine.NeedChildrenTerminal != 0 {
		for _, k := range r.children(id) {
			if kid, _ := r.node(k); !statemachine.Terminal(kid.status) {
				refuse("%s is open", k)
			}
		}
	}
	thawed := r.thaw(up, cascade)
	r.step(dir, x, reason)
	if conclusion != "" {
		r.edit(dir, func(n *ref) { n.conclusion = conclusion })
	}
	runs := do == statemachine.Start || do == statemachine.Retry || do == statemachine.Reopen
	if runs || thawed {
		r.raise(up, cascade, string(do)+" of "+id)
	}
}

func (r *reference) delete(id string) {
	dir := r.own(id)
	n := r.files[dir]
	if id == "root" {
		refuse("the root stays")
	}
	gone := r.below(id)
	for _, k := range r.files {
		if len(r.dirs(k.id)) > 1 && (slices.Contains(gone, k.id) || slices.Contains(gone, k.parent)) {
			refuse("%s exists more than once", k.id)
		}
	}
	for _, g := range gone {
		delete(r.files, r.dirs(g)[0])
	}
	up := r.dirs(n.parent)
	if slices.Contains(gone, r.focus) {
		r.focus = "root"
		if len(up) > 0 {
			r.focus = n.parent
		}
	}
	if len(up) == 1 {
		r.logged(up[0], "deleted: %s (%s), nodes: %d", id, n.title, len(gone))
	}
}

// What people do to folders.

func (r *reference) removeFolder(dir string) {
	maps.DeleteFunc(r.files, func(d string, _ ref) bool { return d == dir || strings.HasPrefix(d, dir+"/") })
}

func (r *reference) copyFolder(from, to string) {
	for d, n := range maps.Clone(r.files) {
		if d == from || strings.HasPrefix(d, from+"/") {
			n.log = slices.Clone(n.log)
			r.files[path.Join(to, d[len(from):])] = n
		}
	}
}
