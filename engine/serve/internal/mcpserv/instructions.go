package mcpserv

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/mdstore/pattern"
)

// instructions teach the way of working. A model reads them in every conversation, so they are short.
//
//go:embed instructions.md
var instructions string

var (
	clauses = pattern.Of(`.+?(?:[;.] |$)`)
	numbers = pattern.Of(`^\d+\. `)
)

// taught returns the instructions without the clauses that name a tool which is not offered.
func (f offer) taught() string {
	var lines []string
	step := 0
	for line := range strings.Lines(strings.TrimSpace(instructions)) {
		line = strings.TrimSuffix(line, "\n")
		number := numbers().FindString(line)
		kept := slices.DeleteFunc(clauses().FindAllString(line[len(number):], -1), f.namesOthers)
		text := strings.TrimSuffix(strings.TrimSpace(strings.Join(kept, "")), ";")
		switch {
		case text == "" && line != "":
			continue
		case text != "" && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ":"):
			text += "."
		}
		if number != "" {
			step++
			text = fmt.Sprintf("%d. %s", step, text)
		}
		lines = append(lines, text)
	}
	if step == 0 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasSuffix(line, ":") })
	}
	return strings.Join(lines, "\n")
}

// namesOthers reports whether a text names a tool that is not offered.
func (f offer) namesOthers(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
	return slices.ContainsFunc(words, func(w string) bool {
		o, ok := ops.Find(w)
		return ok && !f.has(o) || w == enableName && !f.enables()
	})
}
