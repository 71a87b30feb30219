package mdstore

import "arbor/mdstore/mdoc"

// AgentKind is the kind of agents, which lie in the vault itself: the whole body of a file is the system prompt.
var AgentKind = &Kind{
	Name: "agent", Named: true, Form: &mdoc.Form{}, Facts: pageFacts,
	Place: Place{Dir: "agents", Name: AnyMarkdown, Vault: true},
	Keys: []Key{
		{Name: KeyID, Help: "an id"},
		{Name: KeyName, Merge: MergeNoted, Help: "text of one line"},
		{Name: KeyDescription, Merge: MergeNoted, Help: "text"},
	},
}
