package ops

import (
	"reflect"
	"slices"
	"strings"

	"arbor/mdstore"
)

const (
	tracedTitle = 40 // most characters of an argument in a line of a trace
	tracedMost  = 5  // most arguments in a line
)

// untraced are parameters that a line of a trace leaves out: they say who calls, and how.
var untraced = []string{"workspaceId", "sessionId", "operator", "ifMatch", "format", "cursor"}

// tracedNames are the parameters that a line of a trace has besides ids and parameters with an enum.
var tracedNames = []string{"title", "name", "path", "targetIdOrPath", "before", "after", "release"}

// trace returns a call in one line: the operation, then the arguments with an enum, then ids and titles. It never has
// the texts of a call.
func (o Operation) trace(in any) string {
	words, named, _ := o.words(in)
	words = append([]string{o.Name}, append(words, named...)...)
	return strings.Join(words[:min(len(words), 1+tracedMost)], " ")
}

// deed returns a call in the form of the record of operations: the words of its command, and its arguments as in a
// trace.
func (o Operation) deed(env *Env, in any) *mdstore.Operation {
	words, named, refs := o.words(in)
	if o.Name != "node_transition" { // its action tells more than its name
		use := strings.Fields(o.Use)
		end := slices.IndexFunc(use, func(w string) bool { return w[0] < 'a' || w[0] > 'z' })
		if end < 0 {
			end = len(use)
		}
		words = append(slices.Clone(use[:end]), words...)
	}
	text := strings.Join(append(words, named...), " ")
	return &mdstore.Operation{Name: o.Name, Text: text, Session: env.Session, Operator: env.act(Write{}, Match{}).By(),
		Who: env.Who.String(), Refs: refs}
}

// words returns the arguments of a call that a trace shows: choices from few values, and names. refs are the names
// that are nodes' names.
func (o Operation) words(in any) (words, named, refs []string) {
	for _, p := range o.Params() {
		value := reflect.Indirect(reflect.Indirect(reflect.ValueOf(in)).FieldByIndex(p.Field.Index))
		if !value.IsValid() || value.Kind() != reflect.String || value.Len() == 0 || slices.Contains(untraced, p.Name) {
			continue
		}
		is := p.Field.Tag.Get("is")
		switch {
		case p.Enum != nil:
			words = append(words, value.String())
		case strings.HasSuffix(p.Name, "Id") || is != "":
			named = append(named, inShort(value.String()))
			if is == "node" || is == "planning" {
				refs = append(refs, inShort(value.String()))
			}
		case slices.Contains(tracedNames, p.Name):
			named = append(named, `"`+inShort(value.String())+`"`)
		}
	}
	if several, ok := in.(interface{ Further() *[]string }); ok {
		for _, ref := range *several.Further() {
			named, refs = append(named, inShort(ref)), append(refs, inShort(ref))
		}
	}
	return words, named, refs
}

// inShort returns the beginning of a text, in one line.
func inShort(s string) string {
	all := []rune(strings.Join(strings.Fields(s), " "))
	if len(all) > tracedTitle {
		return string(all[:tracedTitle]) + "…"
	}
	return string(all)
}
