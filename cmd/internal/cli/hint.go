package cli

import (
	"slices"
	"strings"
	"sync"

	"arbor/engine/ops"
)

// inOurWords returns a hint with commands in place of operations. One that names a command already stays as it is.
func inOurWords(hint string) string {
	if strings.Contains(hint, "(arbor ") {
		return hint
	}
	return ourWords().Replace(hint)
}

var ourWords = sync.OnceValue(func() *strings.Replacer {
	all := ops.All()
	slices.SortFunc(all, func(a, b ops.Operation) int { return len(b.Name) - len(a.Name) }) // the longest match wins
	var pairs []string
	for _, o := range all {
		pairs = append(pairs, o.Name, commandLine(o))
	}
	pairs = append(pairs, "rulesHash", "--rules-hash", "workspaceId", "--workspace", "dryRun", "--dry-run")
	return strings.NewReplacer(pairs...)
})

// commandLine returns the command of an operation without its words: "arbor node move".
func commandLine(o ops.Operation) string {
	path, words := splitUse(o.Use)
	if strings.HasPrefix(words, "--") {
		path += " " + words
	}
	return "arbor " + path
}
