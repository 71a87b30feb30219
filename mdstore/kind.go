package mdstore

import (
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

// A Kind is one kind of file of a vault. The table of kinds is the one place that knows where files lie and what they
// hold: stores scan, cache, watch and name strays by it, merges and checks ask it, and a new kind needs no code in
// them. Each kind is a variable in a file of its own, such as SessionKind in session.go.
type Kind struct {
	Name  string     // "node"
	Place Place      // where its files lie
	Form  *mdoc.Form // its sections; nil: it has no sections with fixed names
	Keys  []Key      // of its front matter
	Named bool       // each file says its id
	Quiet bool       // sessions are not told of changes to such files: they only record what was done

	// Facts returns what is kept of a sound document beside its front matter, so that its body need not be read again.
	// It depends on the document alone. nil: the digests of its fields and sections.
	Facts func(*Kind, Path, *mdoc.Doc) Facts

	// Check returns the problems of one document by itself, besides those of parsing it. nil: there are no such checks.
	Check func(Path, *mdoc.Doc) []mdoc.Diagnostic
}

// A Place says where the files of a kind lie in a workspace's folder.
type Place struct {
	Dir   string // the folder below the workspace's own; "" is the workspace's folder itself
	Name  string // the file's name, or a pattern with one "*" in it, such as AnyMarkdown
	Deep  bool   // files lie at any depth below Dir, not only in it
	Each  bool   // each folder directly below Dir must have such a file, at any depth; a missing one is reported
	Vault bool   // Dir lies in the vault itself, not in a workspace's folder
}

// AnyMarkdown is the name in a Place of every Markdown file.
const AnyMarkdown = "*.md"

// Kinds is a table of kinds. A path is of the first kind whose place holds it.
type Kinds []*Kind

var allKinds Kinds

func init() { // the kinds of slots refer to functions that refer to the table
	allKinds = Kinds{WorkspaceKind, NodeKind, AgentKind, EnvironmentKind, ToolKind, SessionKind, SessionLogKind, TranscriptKind, StateKind,
		SlotKind, ZippedSlotKind, ArchivedSlotKind}
}

// AllKinds returns the table of kinds, which must not be modified.
func AllKinds() Kinds { return allKinds }

// FormOfFacts returns a text that identifies the form of facts, and the kinds with their places. Facts that were kept
// under another text are of no use.
func (ks Kinds) FormOfFacts() string {
	empty, _ := mdoc.Parse("", nil, NodeForm)
	form := fmt.Sprintf("facts %q", DigestsOf(empty))
	for _, k := range ks {
		form += fmt.Sprintf(", %s %v", k.Name, k.Place)
	}
	return form
}

// Folder returns the folder of a workspace in which the files of the kind lie.
func (k *Kind) Folder(workspace Path) Path {
	switch {
	case k.Place.Vault:
		return Path(k.Place.Dir)
	case k.Place.Dir == "":
		return workspace
	}
	return workspace.Join(k.Place.Dir)
}

// In returns the kinds whose files a listing of a folder of the vault yields: a workspace's, or the folder of one kind.
func (ks Kinds) In(dir Path) Kinds {
	vault := func(k *Kind) bool { return k.Place.Vault && Path(k.Place.Dir) == dir }
	if i := slices.IndexFunc(ks, vault); i >= 0 {
		return ks[i : i+1 : i+1]
	}
	return slices.DeleteFunc(slices.Clone(ks), func(k *Kind) bool { return k.Place.Vault })
}

// File returns the path of the kind's file in a folder of its own, as a node has one.
func (k *Kind) File(folder Path) Path { return folder.Join(k.Place.Name) }

// FileFor returns the path of the kind's file in a folder, with text in place of the "*" in the pattern of its names.
func (k *Kind) FileFor(folder Path, text string) Path {
	return folder.Join(strings.Replace(k.Place.Name, "*", text, 1))
}

// Top returns the folder right below the kind's Folder in which p lies; ok is false for a path that does not lie in
// such a folder.
func (k *Kind) Top(workspace, p Path) (top Path, ok bool) {
	dir := k.Folder(workspace)
	rest, below := strings.CutPrefix(string(p), string(dir)+"/")
	name, _, deeper := strings.Cut(rest, "/")
	return dir.Join(name), below && deeper
}

// Of returns the kind of the file at p, or nil for a path where no file of any kind lies.
func (ks Kinds) Of(p Path) *Kind {
	dir := WorkspaceDir(p)
	if dir == "" || dir == p {
		return nil
	}
	for _, k := range ks {
		if k.Place.Vault && k.Place.holds(p) || !k.Place.Vault && k.Place.holds(p[len(dir)+1:]) {
			return k
		}
	}
	return nil
}

// holds reports whether a file at rel, relative to the workspace's folder, lies in the place.
func (pl Place) holds(rel Path) bool {
	if pl.Dir != "" {
		rest, ok := strings.CutPrefix(string(rel), pl.Dir+"/")
		if !ok {
			return false
		}
		rel = Path(rest)
	}
	if in := rel.Dir(); in != "" && (!pl.Deep || hiddenIn(in)) {
		return false
	}
	return pl.Names(rel.Base())
}

// Names reports whether a file of that name can be of the kind.
func (pl Place) Names(name string) bool {
	if before, after, many := strings.Cut(pl.Name, "*"); many {
		return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) &&
			!strings.HasPrefix(name, ".") && !strings.Contains(name, ".conflict-") && !strings.Contains(name, ".sync-conflict-")
	}
	return name == pl.Name
}

// Many reports whether files of several names are of the kind.
func (pl Place) Many() bool { return strings.Contains(pl.Name, "*") }

// WorkspaceDir returns the folder of the workspace that p lies in, if it lies in one: the first element of p, or the
// first two in the archive. It is "" for a folder that is left alone. Of a file that belongs to the vault
// itself it is that file's first element, such as "agents".
func WorkspaceDir(p Path) Path {
	first, rest, _ := strings.Cut(string(p), "/")
	switch {
	case LeftAlone(first):
		return ""
	case first != ArchiveDir:
		return Path(first)
	case rest == "":
		return ""
	}
	second, _, _ := strings.Cut(rest, "/")
	if LeftAlone(second) {
		return ""
	}
	return Path(first).Join(second)
}

func hiddenIn(dir Path) bool {
	for name := range strings.SplitSeq(string(dir), "/") {
		if LeftAlone(name) {
			return true
		}
	}
	return false
}
