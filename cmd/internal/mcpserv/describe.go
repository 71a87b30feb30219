package mcpserv

import (
	_ "embed"
	"strings"

	"arbor/engine/ops"
)

// instructions teach the way of working. A model reads them in every conversation, so they are short.
//
//go:embed instructions.md
var instructions string

// hints say of a parameter what its name does not. They are few: a model reads each byte in every conversation.
var hints = map[string]string{
	"requirement": "Markdown",
	"since":       "time or duration, e.g. 2h",
	"budget":      "tokens",
	"ifMatch":     "version read",
	"cascade":     "reopen finished ancestors",
	"depth":       "0: all",
	confirm:       "a person agreed",
}

// describe returns what a model reads about an operation.
func describe(o ops.Operation) string {
	return strings.TrimSpace(strings.ToUpper(o.Summary[:1]) + o.Summary[1:] + ". " + o.Advice)
}
