package assemble

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// passages are what a document brings into a bundle, as bundles show it unless told otherwise. They are found once and
// kept with the document; all bundles share them.
type passages struct {
	at        *located
	rules     []string // of a workspace
	rulesHash string

	docs         []Doc // active ones
	expired      int   // the others
	expiredBytes int
	problem      mdstore.Problem
	log          []LogEntry // the last DefaultLogEntries
	older        int        // entries before them
	olderBytes   int

	size    int // bytes of all of them on a page
	version mdstore.Version
	spelled string // version
}

type passagesKey struct{}

// passagesOf returns those of a node whose document and version these are.
func passagesOf(n *mdstore.Node, doc *mdoc.Doc, version mdstore.Version) *passages {
	return doc.Found(passagesKey{}, func() any {
		at, n := locate(doc), n.Holding(doc)
		own := &passages{at: at, docs: []Doc{}, log: []LogEntry{}, version: version, spelled: version.String()}
		if at.has.docs {
			own.divide(n.Docs())
		}
		if at.has.problem {
			own.problem = n.Problem()
		}
		if at.has.log {
			own.log, own.older, own.olderBytes = newest(n.Log(), DefaultLogEntries)
		}
		p := ChainPart{Requirement: at.requirement, Conclusion: at.conclusion, Note: at.note, Docs: own.docs, LogEntries: own.log, Problem: own.trouble(), Lines: at.lines}
		own.size = counted(p.passages)
		return own
	}).(*passages)
}

// ownPassages returns those of the workspace's own file.
func ownPassages(w *mdstore.Workspace) *passages {
	return w.Doc.Found(passagesKey{}, func() any {
		at := locate(w.Doc)
		own := &passages{at: at, rules: []string{}, docs: []Doc{}, version: w.Version, spelled: w.Version.String()}
		if at.has.rules {
			if r := w.Rules(); r != nil {
				own.rules = r
			}
			own.rulesHash = w.RulesHash()
		}
		if at.has.docs {
			own.divide(w.Docs())
		}
		if at.has.problem {
			own.problem = w.Problem()
		}
		p := WorkspacePart{Goal: w.Goal, Rules: own.rules, RulesHash: own.rulesHash, Docs: own.docs, Problem: own.trouble(), Lines: at.lines}
		own.size = counted(p.passages)
		return own
	}).(*passages)
}

// divide parts the active documents from the expired ones.
func (own *passages) divide(refs []mdstore.Ref) {
	own.docs = make([]Doc, 0, len(refs))
	for _, r := range refs {
		if r.Expired {
			own.expired++
			own.expiredBytes += len(r.Target) + len(r.Description)
			continue
		}
		own.docs = append(own.docs, Doc{Path: r.Target, Description: r.Description})
	}
}

// trouble returns the problem, nil for none.
func (own *passages) trouble() *mdstore.Problem {
	if own.problem.IsZero() {
		return nil
	}
	return &own.problem
}

// text returns the text of a version, which is that of the document as a rule.
func (own *passages) text(v mdstore.Version) string {
	if v == own.version {
		return own.spelled
	}
	return v.String()
}

// newest returns the last entries of a log, and how many there are before them with how many bytes.
func newest(all []mdstore.LogEntry, keep int) (out []LogEntry, older, bytes int) {
	older = max(len(all)-keep, 0)
	for _, e := range all[:older] {
		bytes += len(e.Time) + len(e.Operator) + len(e.Event)
	}
	out = make([]LogEntry, 0, len(all)-older)
	for _, e := range all[older:] {
		out = append(out, LogEntry{Timestamp: e.Time, Operator: e.Operator, Event: e.Event})
	}
	return out, older, bytes
}

type referencesKey struct{}

// referencesOf returns what a node refers to. Nobody may modify it.
func referencesOf(n *mdstore.Node) []mdstore.Ref {
	doc := n.Doc()
	return doc.Found(referencesKey{}, func() any { return n.Holding(doc).References() }).([]mdstore.Ref)
}

// whole returns the bytes that the bundle takes while it states no tokens, as it was gathered.
func (g *gatherer) whole(m measure) int {
	if _, page := m.(onPage); !page {
		return m.whole(g.b)
	}
	c := &counter{}
	g.b.layout(c, g.own, g.sizes)
	return c.n
}
