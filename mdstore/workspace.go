package mdstore

import (
	"strconv"

	"arbor/mdstore/mdoc"
)

// WorkspaceKind is the kind of Workspace.md.
var WorkspaceKind = &Kind{
	Name: "workspace", Form: WorkspaceForm, Place: Place{Name: WorkspaceFile}, Check: checkWorkspace,
	Keys: []Key{
		{Name: KeyID, Help: "an id"},
		{Name: KeyName, Merge: MergeNoted, Help: "text of one line"},
		{Name: KeyGoal, Merge: MergeNoted, Help: "text"},
		{Name: KeyDescription, Merge: MergeNoted, Help: "text"},
		{Name: KeyRootFolder, Help: "a folder, relative to the project or absolute"},
		{Name: KeyAgent, Merge: MergeLater, Help: "the id of an agent"},
		{Name: KeyIdentifier, Help: "the session, device or folder that the workspace was created for"},
		{Name: KeyVerify, Rule: listRule, Merge: MergeUnite, Help: "a list of tools, for all execution nodes"},
		{Name: KeyStatus, Merge: MergeStatus, Help: "`active`, or `archived` in `archive/`"},
		{Name: KeyRulesHash, Merge: MergeHash, Help: "8 hex digits"},
		{Name: KeyFocus, Merge: MergeLater, Help: "the id of a node, or `null`"},
		{Name: KeyCreated, Time: true, Help: "Unix milliseconds"},
		{Name: KeyUpdated, Time: true, Merge: MergeNewest, Help: "Unix milliseconds"},
		{Name: KeyFormat, Rule: wholeRule, Help: "a whole number, absent for 1"},
	},
}

// WorkspaceForm is the form of Workspace.md.
var WorkspaceForm = &mdoc.Form{Sections: []mdoc.SectionForm{
	{Name: SecPurpose, Aliases: []string{"目的"}},
	{Name: SecCurrentGoal, Aliases: []string{"当前目标"}},
	{Name: SecWorkflows, Aliases: []string{"工作流"}},
	{Name: SecKeyFiles, Aliases: []string{"关键文件"}, Key: target},
	{Name: SecPreferences, Aliases: []string{"偏好"}},
	{Name: SecRelated, Aliases: []string{"相关"}, Key: target},
	{Name: SecRules, Aliases: []string{"规则"}, Key: itself},
	{Name: SecDocs, Aliases: []string{"文档"}, Key: target},
	{Name: SecLog, Aliases: []string{"日志"}, Key: itself},
	{Name: SecProblem, Aliases: []string{"问题"}},
}}

// The two statuses of a workspace.
const (
	StatusActive   = "active"
	StatusArchived = "archived"
)

// A Workspace is what a Workspace.md states. It never changes; its texts are read from the document when asked for.
type Workspace struct {
	ID         ID // from the front matter, or else the folder's name
	Name, Goal string
	Status     string // active or archived; where the folder lies decides
	StoredHash string // rulesHash as the file has it; see RulesHash
	Focus      ID     // "" for none
	CreatedAt  int64  // Unix milliseconds; 0 if the file says none
	UpdatedAt  int64

	Description string // of the briefing, like RootFolder and Agent; "" for none
	RootFolder  string // relative to the project, or absolute
	Agent       ID     // of a page of AgentKind
	Identifier  string // that the workspace was created for; "" for none

	Dir      Path // the workspace's folder
	Path     Path
	Version  Version
	Stamp    Stamp // of the file when it was read; zero if the store has none
	Doc      *mdoc.Doc
	Problems []mdoc.Diagnostic // problems of this file by itself
}

// ParseWorkspace reads a workspace from its file. It always returns one: what cannot be read has its zero value and a
// problem.
func ParseWorkspace(f File) *Workspace {
	doc, problems := f.parsed(WorkspaceForm)
	w := WorkspaceOf(f.Path, f.Version, doc, problems)
	w.Stamp = f.Stamp
	return w
}

// WorkspaceOf returns the workspace that a document at that path states; problems are those of its parsing.
func WorkspaceOf(path Path, version Version, doc *mdoc.Doc, problems []mdoc.Diagnostic) *Workspace {
	r := reader{doc: doc, problems: problems}
	w := &Workspace{Dir: path.Dir(), Path: path, Version: version, Doc: doc}
	w.ID = r.id(w.Dir.Base())
	w.Name = r.text(KeyName)
	if w.Name == "" {
		w.Name = string(w.ID)
	}
	w.Goal = r.text(KeyGoal)
	w.StoredHash = r.text(KeyRulesHash)
	w.Focus = ID(r.text(KeyFocus))
	w.CreatedAt = r.integer(KeyCreated)
	w.UpdatedAt = r.integer(KeyUpdated)
	w.Description, w.RootFolder, w.Agent = r.text(KeyDescription), r.text(KeyRootFolder), ID(r.text(KeyAgent))
	w.Identifier = r.text(KeyIdentifier)
	w.Status = StatusActive
	if Archived(w.Dir) {
		w.Status = StatusArchived
	}
	if s := r.text(KeyStatus); len(problems) == 0 && s != w.Status {
		r.complain(KeyStatus, CodeStatusInvalid, "status is "+quoted(s)+", but the folder's place says "+w.Status)
		r.problems[len(r.problems)-1].Fix = "write the status that the folder's place says"
	}
	if f, ok := doc.Field(KeyFormat); ok && f.Kind != mdoc.Null {
		if v, err := strconv.Atoi(f.Value); err != nil || v < 1 {
			r.complain(KeyFormat, CodeFieldInvalid, "format is "+quoted(f.Value)+"; it is a whole number, absent for 1")
		} else if v > FormatVersion {
			r.complain(KeyFormat, CodeFormatNewer, "this workspace has format "+f.Value+", and this program writes up to format "+
				strconv.Itoa(FormatVersion)+": it can be read, not changed; a newer arbor can change it")
		}
	}
	w.Problems = r.problems
	return w
}

// Newer reports whether the workspace has a format that this program can read but must not write.
func (w *Workspace) Newer() bool {
	for _, p := range w.Problems {
		if p.Code == CodeFormatNewer {
			return true
		}
	}
	return false
}

// Rules returns the rules that all work in the workspace must follow.
func (w *Workspace) Rules() []string {
	var out []string
	for _, it := range w.Doc.Items(SecRules) {
		if it.Listed && it.Text != "" {
			out = append(out, it.Text)
		}
	}
	return out
}

// RulesHash returns the hash of the present rules, whatever hash the file has. It is empty if the file is closed to
// edits, as in an unfinished merge: then we cannot tell the rules.
func (w *Workspace) RulesHash() string {
	if w.Doc.Editable() != nil {
		return ""
	}
	return RulesHash(w.Rules())
}

// Docs returns the workspace's documents, expired ones too.
func (w *Workspace) Docs() []Ref { return refs(w.Doc, SecDocs) }

// Log returns the entries in the order of the file, oldest first.
func (w *Workspace) Log() []LogEntry { return logEntries(w.Doc) }

// Problem returns what is wrong now; the zero Problem when nothing is.
func (w *Workspace) Problem() Problem { return problemOf(w.Doc) }
