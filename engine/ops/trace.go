package ops

import (
	"reflect"
	"slices"
	"strings"
)

const (
	tracedTitle = 40 // characters of an argument in a line of a trace
	tracedMost  = 5  // arguments in it
)

// untraced are parameters that a line of a trace does not tell: who calls and how.
var untraced = []string{"workspaceId", "sessionId", "operator", "ifMatch", "format", "cursor"}

// tracedNames are the parameters besides ids and those of few values that a line of a trace tells.
var tracedNames = []string{"title", "name", "path", "targetIdOrPath", "before", "after", "release"}

// trace tells a call in one line: the operation, then the arguments that choose from few values, then ids and titles. Texts are never
// told.
func (o Operation) trace(in any) string {
	words := []string{o.Name}
	var named []string
	for _, p := range o.Params {
		value := reflect.Indirect(reflect.Indirect(reflect.ValueOf(in)).FieldByIndex(p.Field.Index))
		if !value.IsValid() || value.Kind() != reflect.String || value.Len() == 0 || slices.Contains(untraced, p.Name) {
			continue
		}
		switch {
		case p.Enum != nil:
			words = append(words, value.String())
		case strings.HasSuffix(p.Name, "Id") || p.Field.Tag.Get("is") != "":
			named = append(named, inShort(value.String()))
		case slices.Contains(tracedNames, p.Name):
			named = append(named, `"`+inShort(value.String())+`"`)
		}
	}
	words = append(words, named...)
	return strings.Join(words[:min(len(words), 1+tracedMost)], " ")
}

// inShort returns the beginning of a text in one line.
func inShort(s string) string {
	all := []rune(strings.Join(strings.Fields(s), " "))
	if len(all) > tracedTitle {
		return string(all[:tracedTitle]) + "…"
	}
	return string(all)
}
