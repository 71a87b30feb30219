package mdstore

import (
	"arbor/mdstore/mdoc"
)

// EnvironmentKind is the kind of environments, folders that tools may act in. Their files lie in the vault itself; the
// body describes the environment.
var EnvironmentKind = &Kind{
	Name: "environment", Named: true, Form: &mdoc.Form{}, Facts: pageFacts,
	Place: Place{Dir: "environments", Name: AnyMarkdown, Vault: true},
	Keys: []Key{
		{Name: KeyID, Help: "an id"},
		{Name: KeyURI, Help: "the folder: `file:FOLDER` in the project, or `file:///FOLDER`"},
		{Name: KeyHost, Needed: true, Rule: oneOf("server", "client", "session"),
			Help: "whose folder it is: `server`, `client` or `session`"},
		{Name: KeyTrust, Needed: true, Rule: oneOf("full", "restricted", "read_only"),
			Help: "what it asks for: `full`, `restricted` or `read_only`"},
		{Name: KeyOwner, Help: "text"},
		{Name: KeyTools, Rule: listRule, Help: "the only tools that act there; all where it is missing"},
		{Name: KeyCreated, Time: true, Help: "Unix milliseconds"},
	},
}

// ToolKind is the kind of tools that a vault defines: the front matter is the definition, and a block of JSON in the
// body the schema of the parameters.
var ToolKind = &Kind{
	Name: "tool", Named: true, Form: &mdoc.Form{}, Facts: pageFacts,
	Place: Place{Dir: "tools", Name: AnyMarkdown, Vault: true},
	Keys: []Key{
		{Name: KeyID, Help: "an id"},
		{Name: KeyName, Merge: MergeNoted, Help: "the name by which it is called"},
		{Name: KeyDescription, Merge: MergeNoted, Help: "text"},
		{Name: "command", Rule: listRule, Help: "the program and its arguments"},
		{Name: "env", Rule: listRule, Help: "variables of the program, each as `NAME=VALUE`"},
		{Name: "read", Rule: listRule, Help: "paths outside of its environment that it reads"},
		{Name: "requiresPermission", Rule: boolRule, Help: "`true`: a person is asked about each call"},
		{Name: "readOnly", Rule: boolRule, Help: "`true`: it says that it changes nothing"},
		{Name: "network", Rule: boolRule, Help: "`true`: it may use the network"},
		{Name: "timeout", Rule: wholeRule, Help: "the longest time of a call, in seconds"},
	},
}
