package check

import (
	"fmt"
	"maps"
	"slices"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Store has the facts about a workspace that only the store knows.
type Store struct {
	Strays   []mdstore.Stray
	Equal    map[mdstore.Path]mdstore.Version // for conflict copies that equal the file beside them: the version of both
	Missing  map[string]string                // targets of documents that the project does not have: the one meant, or ""
	Unusable []mdoc.Diagnostic                // why files cannot be written, conflict copies not be read, or settings do not count
}

// Targets returns the targets of documents to look for in the project: the active ones of the workspace and its nodes
// that do not name a node.
func Targets(v *view.View) []string {
	all := map[string]bool{}
	add := func(target string) {
		if _, ok := v.Node(mdstore.ID(target)); !ok {
			all[target] = true
		}
	}
	for _, r := range v.Workspace().Docs() {
		if !r.Expired {
			add(r.Target)
		}
	}
	for n := range v.All() {
		for t := range n.Facts().Docs() {
			add(t)
		}
		for t := range n.Facts().References() {
			if _, ok := v.Referred(n, t); !ok && !view.NamesNode(t) {
				add(t)
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// All returns the findings of View and those about store facts, and the view without empty folders, to which the
// findings refer.
func All(v *view.View, st Store, off ...string) (*view.View, []Finding) {
	v, vacant := vacated(v, st.Strays)
	out := slices.Concat(View(v, off...), vacant)
	emptyWorkspace(v, out, st.Strays)
	out = append(out, missingDocs(v, st.Missing)...)
	for _, d := range st.Unusable {
		out = append(out, Finding{Diagnostic: d})
	}
	out = append(out, slices.DeleteFunc(Strays(st), func(f Finding) bool { // those that are pages may be named already
		same := func(o Finding) bool { return o.Code == CodeStray && o.File == f.File }
		return f.mend == nil && slices.ContainsFunc(out, same)
	})...)
	sortFindings(out)
	if v.Workspace().Newer() {
		out = LeftAlone(out)
	}
	return v, out
}

// missingDocs returns a finding for each active document that the project does not have, at its place in the file.
func missingDocs(v *view.View, missing map[string]string) []Finding {
	if len(missing) == 0 {
		return nil
	}
	c := checker{v: v}
	c.missing(v.Workspace().Doc, v.Workspace().Docs(), missing)
	for n := range v.All() {
		lacks := func(targets func(func(string) bool)) bool {
			for t := range targets {
				if _, ok := missing[t]; ok {
					return true
				}
			}
			return false
		}
		if n.Editable() != nil || lacks(n.Facts().Docs()) || lacks(n.Facts().References()) {
			c.missing(n.Doc(), n.Docs(), missing)
			c.missing(n.Doc(), n.References(), missing)
		}
	}
	return c.out
}

// missing adds a finding for each active reference of a document whose target the project lacks.
func (c *checker) missing(d *mdoc.Doc, refs []mdstore.Ref, missing map[string]string) {
	for _, r := range refs {
		meant, lacks := missing[r.Target]
		switch {
		case !lacks || bool(r.Expired):
		case meant != "":
			c.at(d, itemAt(d, r.Span), CodeDocMissing, repair{},
				"document %s is not in the project, but %s is; write it so, with the same case", r.Target, meant)
		default:
			c.at(d, itemAt(d, r.Span), CodeDocMissing, repair{},
				"document %s is not in the project; correct its path, expire it, or remove it", r.Target)
		}
	}
}

// clearAway is the repair of leftovers, which the store does by itself.
const clearAway = "clear it away"

// ClearedByStore reports whether the store itself mends the finding, by Sweep.
func (f Finding) ClearedByStore() bool { return f.Code == CodeStray && f.Fix == clearAway }

// ConflictCopy is how the texts of findings about conflict copies begin.
const ConflictCopy = "a conflict copy"

// strayCopy returns the diagnostic of a copy of the file beside it.
func strayCopy(p, of mdstore.Path) mdoc.Diagnostic {
	d := mdoc.Diagnostic{File: string(p), Code: CodeStray, CopyOf: string(of)}
	if d.Text = ConflictCopy + ": take over what is missing in its file, and delete it"; of != "" {
		d.Text = fmt.Sprintf(ConflictCopy+": compare it with %s, and end it (arbor conflicts shows both)", of.Base())
	}
	return d
}

// Strays returns a finding for each stray file in a vault.
func Strays(st Store) []Finding {
	var out []Finding
	for _, s := range st.Strays {
		if s.Kind == mdstore.StrayFolder {
			continue // this finding alone is not worth reporting
		}
		f := Finding{Diagnostic: mdoc.Diagnostic{File: string(s.Path), Code: CodeStray}}
		switch s.Kind {
		case mdstore.StrayConflictCopy:
			f.Diagnostic = strayCopy(s.Path, s.Of)
			if same, ok := st.Equal[s.Path]; ok {
				f.Text = fmt.Sprintf(ConflictCopy+" that equals %s", s.Of.Base())
				f.Fix, f.mend = "move it to the trash", func(d *plan.Draft) (bool, error) {
					d.Keep(s.Of, same)
					d.Discard(s.Path)
					return true, nil
				}
			}
		case mdstore.StrayBackup:
			f.Text = "a backup or swap file of an editor or a merge: delete it when that has ended"
		case mdstore.StrayTemporary:
			f.Text = "a temporary file of another program: delete it when that has ended"
		case mdstore.StrayMarkdown:
			f.Text = "a Markdown file among the nodes that is none: a node is a folder with " +
				mdstore.NodeKind.Place.Name + "; make it one (arbor adopt), or move it elsewhere"
		case mdstore.StrayUnfit:
			f.Text = fmt.Sprintf("a node that is not read: its path %q has a control character, a backslash or a byte that "+
				"is no UTF-8; rename the folder", string(s.Path))
		case mdstore.StrayHidden:
			f.Text = "a node that is not read: the name of a folder above it begins with a dot; rename that folder"
		case mdstore.StrayBindings:
			f.Text = "bindings of sessions that could not be read: take over what you need, then delete the file"
		case mdstore.StrayLeftover:
			f.Text = "a temporary file that a commit which was cut short has left"
			f.Fix = clearAway
		default:
			f.Text = string(s.Kind)
		}
		out = append(out, f)
	}
	return out
}
