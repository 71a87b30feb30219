package mdstore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// StateKind is the kind of states, one file for each.
var StateKind = &Kind{
	Name: "state", Named: true, Form: StateForm, Facts: pageFacts, Place: Place{Dir: "states", Name: AnyMarkdown},
	Keys: []Key{
		{Name: KeyID, Help: "an id"},
		{Name: KeyName, Merge: MergeNoted, Help: "text of one line"},
		{Name: KeyDescription, Merge: MergeNoted, Help: "text"},
		{Name: KeySession, Help: "the id of the session that saved it"},
		{Name: KeyCreated, Time: true, Help: "when it was saved, in Unix milliseconds"},
		{Name: KeyTags, Rule: listRule, Merge: MergeUnite, Help: "a list"},
		{Name: KeyNode, Help: "the id of the node that had the focus"},
		{Name: KeyCommit, Help: "the commit of git at that time"},
	},
}

// StateForm is the form of a state.
var StateForm = &mdoc.Form{Sections: []mdoc.SectionForm{
	{Name: SecActiveTask, Aliases: []string{"当前任务"}},
	{Name: SecNextSteps, Aliases: []string{"后续步骤"}, Key: itself},
	{Name: SecActiveFiles, Aliases: []string{"相关文件"}, Key: func(item string) string { return parseActiveFile(item).Path }},
	{Name: SecConversation, Aliases: []string{"对话背景"}},
	{Name: SecReasoning, Aliases: []string{"思路"}},
	{Name: SecWorkspaceWas, Aliases: []string{"工作区背景"}},
	{Name: SecPlanMark, Aliases: []string{"计划标记"}, Key: itself},
}}

// A State is the saved state of some work, to continue from later. This struct has what is read from the document; for
// the front matter see Page.Field.
type State struct {
	ActiveTask   string
	NextSteps    []string
	ActiveFiles  []ActiveFile
	Conversation string
	Reasoning    string
	Workspace    string   // the briefing of the workspace as it was, with a heading of level 3 for each section
	Mark         []string // the state of the plan; it is not read, see PlanMark
}

// PlanMark returns how the plan stood when a state was saved or a session ended, an item for each fact. In files of
// earlier versions it is the key plan.
func PlanMark(p *Page) []string {
	if items := p.List("plan"); len(items) > 0 {
		return items
	}
	var out []string
	for _, it := range p.Doc().Items(SecPlanMark) {
		if it.Text != "" {
			out = append(out, it.Text)
		}
	}
	return out
}

// StateOf reads the document of a page of StateKind.
func StateOf(p *Page) State {
	doc := p.Doc()
	s := State{ActiveTask: doc.Text(SecActiveTask), Conversation: doc.Text(SecConversation),
		Reasoning: doc.Text(SecReasoning), Workspace: doc.Text(SecWorkspaceWas)}
	for _, it := range doc.Items(SecNextSteps) {
		if it.Text != "" {
			s.NextSteps = append(s.NextSteps, it.Text)
		}
	}
	for _, it := range doc.Items(SecActiveFiles) {
		if it.Listed && it.Text != "" {
			s.ActiveFiles = append(s.ActiveFiles, parseActiveFile(it.Text))
		}
	}
	return s
}

// Sections returns the sections of a new document, without those that are empty.
func (s State) Sections() []mdoc.SectionText {
	var files []string
	for _, f := range s.ActiveFiles {
		files = append(files, f.Format())
	}
	all := []mdoc.SectionText{{Name: SecActiveTask, Text: s.ActiveTask}, {Name: SecNextSteps, Items: s.NextSteps},
		{Name: SecActiveFiles, Items: files}, {Name: SecConversation, Text: s.Conversation},
		{Name: SecReasoning, Text: s.Reasoning}, {Name: SecWorkspaceWas, Text: s.Workspace},
		{Name: SecPlanMark, Items: s.Mark}}
	return slices.DeleteFunc(all, func(x mdoc.SectionText) bool {
		return strings.TrimSpace(x.Text) == "" && len(x.Items) == 0
	})
}

// BriefingText returns a workspace's briefing as one text, with a heading of level 3 for each section.
func BriefingText(w *Workspace) (string, error) {
	var parts []string
	for _, name := range []string{SecPurpose, SecCurrentGoal, SecWorkflows, SecKeyFiles, SecPreferences} {
		text, _, err := mdoc.Nest(w.Doc.Text(name), 3)
		if err != nil {
			return "", err
		}
		if text != "" {
			parts = append(parts, "### "+name+"\n\n"+text)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// An ActiveFile is a file of the project that a state names, as it was when the state was saved.
type ActiveFile struct {
	Path string // relative to the project
	Hash string // the first 12 hex digits of its SHA-256; "" if it was missing or could not be read
	Size int64  // bytes
}

// ActiveFileOf returns the active file at a path that holds data.
func ActiveFileOf(path string, data []byte) ActiveFile {
	sum := sha256.Sum256(data)
	return ActiveFile{Path: path, Hash: hex.EncodeToString(sum[:6]), Size: int64(len(data))}
}

var activeFile = pattern.Of(`(?s)^(.*) \(([0-9a-f]{12}), ([0-9]{1,18})\)$`)

// Format returns the text of a list item, `path (hash, size)`, from which ParseActiveFile reads the same. A path that
// would not read back as the same, or that has a meaning in Markdown, is quoted as in Go and JSON.
func (f ActiveFile) Format() string {
	facts := ""
	if f.Hash != "" {
		facts = fmt.Sprintf(" (%s, %d)", f.Hash, f.Size)
	}
	plain := f.Path + facts
	item, _, err := mdoc.ItemText(plain)
	if err == nil && item == plain && !strings.Contains(plain, "\n") && parseActiveFile(plain) == f {
		return plain
	}
	return strconv.Quote(f.Path) + facts
}

// parseActiveFile reads the text of a list item. Text of another form, as a person may write it, is all path.
func parseActiveFile(item string) ActiveFile {
	f := ActiveFile{Path: item}
	if m := activeFile().FindStringSubmatch(item); m != nil {
		f.Path, f.Hash = m[1], m[2]
		f.Size, _ = strconv.ParseInt(m[3], 10, 64) // 18 digits at most
	}
	if path, err := strconv.Unquote(f.Path); err == nil && strings.HasPrefix(f.Path, `"`) {
		f.Path = path
	}
	return f
}
