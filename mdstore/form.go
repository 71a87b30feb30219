package mdstore

import "arbor/mdstore/mdoc"

// The standard names of the sections.
const (
	SecRules       = "Rules"
	SecDocs        = "Docs"
	SecLog         = "Log"
	SecProblem     = "Problem"
	SecRequirement = "Requirement"
	SecConclusion  = "Conclusion"
	SecNote        = "Note"
	SecReferences  = "References"
)

// NextStep and its Chinese alias are the level-3 headings inside Problem that name what to do about it.
const (
	NextStep      = "Next Step"
	nextStepAlias = "下一步"
)

// The keys of the front matter.
const (
	KeyID        = "id"
	KeyName      = "name"
	KeyGoal      = "goal"
	KeyTitle     = "title"
	KeyType      = "type"
	KeyStatus    = "status"
	KeyRole      = "role"
	KeyParent    = "parentId"
	KeyIsolated  = "isolated"
	KeyOrder     = "order"
	KeyRulesHash = "rulesHash"
	KeyFocus     = "focusedNodeId"
	KeyCreated   = "createdAt"
	KeyUpdated   = "updatedAt"
	KeyFormat    = "format"
)

// WorkspaceForm is the form of Workspace.md.
var WorkspaceForm = &mdoc.Form{Sections: []mdoc.SectionForm{
	{Name: SecRules, Aliases: []string{"规则"}},
	{Name: SecDocs, Aliases: []string{"文档"}},
	{Name: SecLog, Aliases: []string{"日志"}},
	{Name: SecProblem, Aliases: []string{"问题"}},
}}

// NodeForm is the form of Node.md.
var NodeForm = &mdoc.Form{Sections: []mdoc.SectionForm{
	{Name: SecRequirement, Aliases: []string{"需求"}},
	{Name: SecConclusion, Aliases: []string{"结论"}},
	{Name: SecNote, Aliases: []string{"备注"}},
	{Name: SecDocs, Aliases: []string{"文档"}},
	{Name: SecReferences, Aliases: []string{"引用"}},
	{Name: SecLog, Aliases: []string{"日志"}},
	{Name: SecProblem, Aliases: []string{"问题"}},
}}
