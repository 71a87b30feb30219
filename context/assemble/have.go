package assemble

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"arbor/mdstore"
)

// HaveWorkspace is the id of the workspace in Have.
const HaveWorkspace = "workspace"

// known replaces the parts that the reader has (see Options.Have) by their ids, and lists the versions of the others
// in b.Have. Rules, goal, and head, requirement and criteria of the focus stay.
func (b *Bundle) known(opt Options) {
	has := func(v version) bool {
		return slices.Contains(opt.Have, v.text(nil)) || slices.Contains(opt.Have, v.text(opt.Name))
	}
	for _, p := range b.versions() {
		if !has(p) {
			b.Have = append(b.Have, p.text(opt.Name))
			continue
		}
		p.leave()
	}
}

// stillHave leaves in b.Have the versions of the parts that are there whole.
func (b *Bundle) stillHave(opt Options) {
	if len(b.Have) == 0 {
		return
	}
	now := map[string]bool{}
	for _, p := range b.versions() {
		now[p.text(opt.Name)] = true
	}
	b.Have = slices.DeleteFunc(slices.Clone(b.Have), func(v string) bool { return !now[v] })
}

// A version is a part of a bundle with the digest of its content in the bundle.
type version struct {
	id, digest string
	leave      func() // leaves only the id, and what always stays
}

// text returns the version as Have lists it.
func (v version) text(name func(mdstore.ID) string) string {
	if name != nil {
		return name(mdstore.ID(v.id)) + "@" + v.digest
	}
	return v.id + "@" + v.digest
}

// versions returns the parts of the bundle that a reader may have. References to documents are none of them.
func (b *Bundle) versions() (all []version) {
	add := func(id mdstore.ID, part any, leave func()) {
		data, err := json.Marshal(part)
		if err != nil {
			panic("a part cannot be encoded: " + err.Error()) // it holds strings and numbers only
		}
		sum := sha256.Sum256(data)
		all = append(all, version{string(id), hex.EncodeToString(sum[:3]), leave})
	}
	w := b.Workspace
	add(HaveWorkspace, []any{w.Name, w.RulesHash, w.Docs, w.Problem}, func() {
		b.Workspace = WorkspacePart{ID: w.ID, Goal: w.Goal, Rules: w.Rules, Docs: []Doc{}, File: w.File, Version: w.Version,
			Lines: w.Lines}
	})
	for i, p := range b.Chain {
		p.File, p.Version, p.Lines = "", "", Lines{}
		add(p.NodeID, p, func() {
			left := ChainPart{NodeID: p.NodeID, Docs: []Doc{}, LogEntries: []LogEntry{}}
			if i == len(b.Chain)-1 {
				left.Head, left.Requirement, left.Criteria, left.file = p.Head, p.Requirement, p.Criteria, p.file
			}
			b.Chain[i] = left
		})
	}
	for i, p := range b.ChildConclusions {
		p.File, p.Version, p.Lines = "", "", Lines{}
		add(p.NodeID, p, func() { b.ChildConclusions[i] = ChildPart{NodeID: p.NodeID, known: true} })
	}
	for i, p := range b.Dependencies {
		p.File, p.Version, p.Lines = "", "", Lines{}
		add(mdstore.ID(p.NodeID), p, func() { b.Dependencies[i] = DependencyPart{NodeID: p.NodeID} })
	}
	for i, p := range b.References {
		if p.Type != RefNode {
			continue
		}
		p.File, p.Version, p.Lines, p.Line = "", "", Lines{}, 0
		add(mdstore.ID(p.TargetID), p, func() { b.References[i] = RefPart{TargetID: p.TargetID, Type: RefNode} })
	}
	return all
}

// Named returns the bundle with ids as name has them, for a page that people read.
func (b *Bundle) Named(name func(mdstore.ID) string) *Bundle {
	c := *b
	short := func(id *mdstore.ID) { *id = mdstore.ID(name(*id)) }
	c.Chain, c.ChildConclusions = slices.Clone(b.Chain), slices.Clone(b.ChildConclusions)
	c.Dependencies, c.References = slices.Clone(b.Dependencies), slices.Clone(b.References)
	c.Omitted = slices.Clone(b.Omitted)
	for i := range c.Chain {
		short(&c.Chain[i].NodeID)
	}
	for i := range c.ChildConclusions {
		short(&c.ChildConclusions[i].NodeID)
	}
	for i := range c.Dependencies {
		c.Dependencies[i].NodeID = name(mdstore.ID(c.Dependencies[i].NodeID))
	}
	for i := range c.References {
		c.References[i].TargetID = name(mdstore.ID(c.References[i].TargetID))
	}
	for i := range c.Omitted {
		short(&c.Omitted[i].NodeID)
	}
	return &c
}
