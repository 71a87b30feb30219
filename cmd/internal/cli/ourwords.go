package cli

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore/pattern"
)

// What the engine says names operations and parameters, and the commands in parentheses behind them. At the command
// line only the commands are said.
var (
	commandBehind = pattern.Of(`\b[a-z]+_[a-z_]+(?: [a-z ]+)? \((arbor [^()]*)\)`)
	commandAmong  = pattern.Of(`\((?:[a-z]+_[a-z_]+|[a-z]+[A-Z]\w*|release)[^()]*?[,;] ` +
		`(?:at the command line: )?((?:arbor |--)[^()]*)\)`)
	flagBehind = pattern.Of(`\b[a-zA-Z]+: true \((--[a-z-]+)\)`)
	actionOf   = pattern.Of(`\bnode_transition (\S+) (start|submit|complete|fail|retry|reopen|cancel)\b`)
)

// inOurWords returns a sentence of the engine with commands instead of operations, and flags instead of parameters.
func inOurWords(s string) string {
	s = commandAmong().ReplaceAllString(s, "($1)")
	s = commandBehind().ReplaceAllString(s, "$1")
	s = flagBehind().ReplaceAllString(s, "$1")
	s = actionOf().ReplaceAllString(strings.ReplaceAll(s, "node_transition can:", "it can:"), "arbor $2 $1")
	return ourWords().Replace(s)
}

var ourWords = sync.OnceValue(func() *strings.Replacer {
	all := slices.Concat(ops.All(), ops.Commands())
	slices.SortFunc(all, func(a, b ops.Operation) int { return cmp.Compare(len(b.Name), len(a.Name)) }) // the longest wins
	pairs := []string{
		"context_get without nodeId", "arbor context without NODE", "node_list with this node as rootId", "arbor list NODE",
		"node_transition what is done", "arbor complete what is done", "workspace_check with fix", "arbor check --fix",
		"the call without dryRun", "the command without --dry-run", "with nodeId", "with --node",
		"node_get, workspace_get", "arbor show, arbor ws get", "context_get, workspace_get, ", "",
		"rulesHash", "--rules-hash", "workspaceId", "--workspace", "dryRun", "--dry-run", "ifMatch", "--if-match",
		"sessionId", "--session", "leaseSeconds", "--lease", "maxLogEntries", "--log", "nodeId", "NODE",
	}
	for _, o := range all {
		if strings.Contains(o.Name, "_") { // ask and search are words as others, and commands
			pairs = append(pairs, o.Name, commandLine(o))
		}
	}
	return strings.NewReplacer(pairs...)
})

// ourError returns an error of the engine in the words of the command line.
func ourError(e *errs.Error) *errs.Error {
	ours := *e
	ours.Message = aboutInOurWords(e.Message)
	return &ours
}

// aboutInOurWords is inOurWords for a message, which may begin with what it is about: that was given, and stays. A colon
// in parentheses ends no subject.
func aboutInOurWords(message string) string {
	subject, rest, found := strings.Cut(message, ": ")
	if !found || strings.Count(subject, "(") > strings.Count(subject, ")") {
		return inOurWords(message)
	}
	return subject + ": " + inOurWords(rest)
}
