package mdstore

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
	SecCriteria    = "Acceptance Criteria"

	SecPurpose     = "Purpose" // the briefing of a workspace
	SecCurrentGoal = "Current Goal"
	SecWorkflows   = "Workflows"
	SecKeyFiles    = "Key Files"
	SecPreferences = "Preferences"
	SecRelated     = "Related"

	SecGoal  = "Goal" // of a session
	SecNotes = "Notes"

	SecActiveTask   = "Active Task" // of a state
	SecNextSteps    = "Next Steps"
	SecActiveFiles  = "Active Files"
	SecConversation = "Conversation Context"
	SecReasoning    = "Reasoning"
	SecWorkspaceWas = "Workspace Context"
	SecPlanMark     = "Plan Mark" // of a state, and of a session that has ended
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
	KeyParent    = "parentId"
	KeyRulesHash = "rulesHash"
	KeyFocus     = "focusedNodeId"
	KeyCreated   = "createdAt"
	KeyUpdated   = "updatedAt"
	KeyFormat    = "format"
	KeyImported  = "importedSum" // of a node

	KeyDescription = "description" // of a workspace, a session, a state
	KeyRootFolder  = "rootFolder"
	KeyAgent       = "agent"
	KeyIdentifier  = "identifier"

	KeyStarted  = "startedAt" // of a session
	KeyEnded    = "endedAt"
	KeyPrevious = "previous"
	KeySlot     = "slot"
	KeyAttached = "attached"
	KeyExternal = "externalId"

	KeyProvider = "provider" // of a transcript
	KeyModel    = "model"

	KeyPriority     = "priority" // of a slot
	KeyContributors = "contributors"
	KeyPhase        = "projectPhase"
	KeyKeywords     = "keywords"

	KeySession = "sessionId" // of a state
	KeyTags    = "tags"
	KeyNode    = "nodeId"
	KeyCommit  = "commit"

	KeyURI   = "uri" // of an environment
	KeyHost  = "host"
	KeyTrust = "trust"
	KeyOwner = "owner"
	KeyTools = "tools"
)

// The keys by which items of a list are matched: the whole text, or the target of a reference.
func itself(item string) string { return item }
func target(item string) string { return ParseRef(item).Target }

// WithUpdated returns a file's bytes with updatedAt set to now, in Unix milliseconds. A file without that key, or
// closed to edits, is returned unchanged.
func WithUpdated(p Path, data []byte, now int64) []byte {
	kind := AllKinds().Of(p)
	if kind == nil {
		return data
	}
	d, _ := ParseFile(p, data, kind.Form)
	if _, has := d.Field(KeyUpdated); !has {
		return data
	}
	patch, err := d.SetField(KeyUpdated, TimeIn(d, KeyUpdated, now))
	if err == nil {
		d, err = d.Apply(patch)
	}
	if err != nil {
		return data
	}
	return Stored(p, d.Bytes())
}
