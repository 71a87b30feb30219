package mdstore

import (
	"regexp"
	"strings"
)

// ownForms match the log entries that Arbor writes by itself, without text from a caller. A status change is such an
// entry, unless a reason follows that is not one of ownReasons.
var ownForms = forms(
	ByCreation+`(; the workspace had no root)?`,
	`([a-z]+|`+ByHand+`): [a-z]+`+arrow+`[a-z]+(; `+ownReasons+`)?`,
	`workspace: [a-z]+`+arrow+`[a-z]+`,
	`moved: \S*`+arrow+`\S+`,
	`(deleted|restored): \S+ \(.*\), nodes: [0-9]+`,
	`archived [0-9]+ rules and [0-9]+ docs of \S+ \(.*\)`,
	`copied from \S+`,
)

// ownReasons are the reasons of changes that another change brought along.
const ownReasons = `(child \S+ (created|moved in)|(start|retry|reopen) of \S+|mended: it has children)`

func forms(all ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(` + strings.Join(all, "|") + `)$`)
}

// Own reports whether Arbor wrote the entry by itself, and it holds no text that somebody gave: no reason, no
// conclusion that was moved there, no problem.
func (e LogEntry) Own() bool { return e.Time != "" && ownForms.MatchString(e.Event) }
