package mdstore

import "arbor/mdstore/mdoc"

// SessionKind is the kind of Session.md, one for each session.
var SessionKind = &Kind{
	Name: "session", Named: true, Quiet: true, Form: SessionForm, Facts: pageFacts,
	Place: Place{Dir: sessionsDir, Name: sessionFile, Deep: true},
	Keys: []Key{
		{Name: KeyID, Help: "an id"},
		{Name: KeyName, Merge: MergeNoted, Help: "text of one line"},
		{Name: KeyDescription, Merge: MergeNoted, Help: "text"},
		{Name: KeyStarted, Time: true, Help: "when it began, in Unix milliseconds"},
		{Name: KeyEnded, Time: true, Merge: MergeLater, Help: "when it ended; `null` while it is open"},
		{Name: KeyPrevious, Help: "the id of the session that it goes on from"},
		{Name: KeyAgent, Merge: MergeLater, Help: "the id of an agent"},
		{Name: KeySlot, Merge: MergeLater, Help: "the memory slot of the session"},
		{Name: KeyAttached, Rule: listRule, Merge: MergeUnite, Help: "environments, each as `id folder=SUB tools=A,B`"},
		{Name: KeyTags, Rule: listRule, Merge: MergeUnite, Help: "a list"},
		{Name: KeyExternal, Help: "what the caller calls it, if that cannot name a folder; of a conversation, whose it is"},
		{Name: KeyCommit, Help: "the commit of git at its end"},
	},
}

// SessionLogKind is the kind of the older parts of a long session log.
var SessionLogKind = &Kind{
	Name: "session log", Quiet: true, Form: SessionForm, Facts: pageFacts,
	Place: Place{Dir: sessionsDir, Name: "Session-*.md", Deep: true},
	Keys: []Key{
		{Name: KeyCreated, Time: true, Help: "when it was made"},
		{Name: KeyPrevious, Help: "the part before it"},
	},
}

// SessionForm is the form of Session.md.
var SessionForm = &mdoc.Form{Sections: []mdoc.SectionForm{
	{Name: SecGoal, Aliases: []string{"目标"}},
	{Name: SecNotes, Aliases: []string{"笔记"}},
	{Name: SecLog, Aliases: []string{"日志"}, Key: itself},
	{Name: SecPlanMark, Aliases: []string{"计划标记"}, Key: itself},
}}
