package mcpserv

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"arbor/engine/ops"
)

// published returns the JSON schema of a shape: of arguments if taken, or else of replies. In it nothing may be null,
// every list has the type of its items, and there are no references, because strict clients drop a tool otherwise.
// within are the objects around the shape. If the shape is one of them, the schema has only the required members.
func published(s *ops.Shape, taken bool, on func(set string) bool, within ...*ops.Shape) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: string(s.Kind)}
	switch s.Kind {
	case ops.KindText:
		if !taken { // a later version may have more
			break
		}
		if len(within) > 1 { // in an object of a list: the parameter of the same name has the values
			break
		}
		for _, word := range s.Enum {
			out.Enum = append(out.Enum, word)
		}
	case ops.KindList:
		out.Items = published(s.Item, taken, on, within...)
	case ops.KindAny:
		out.Description = "any JSON"
	case ops.KindObject:
		if s.Members == nil && s.Item.Kind != ops.KindAny {
			out.AdditionalProperties = published(s.Item, taken, on, within...)
		}
		again := slices.Contains(within, s)
		if again {
			out.Description = "as above"
		}
		within = append(slices.Clip(within), s)
		var also []string // members that the outer schema describes
		for _, m := range s.Members {
			if inner := len(within) > 1 && len(m.Field.Index) > 1; taken && inner && inOuter(within[0], m.Name) {
				also = append(also, m.Name)
				continue
			}
			if again && !m.Required || taken && !inList(m, on) || !taken && m.Field.Tag.Get("only") != "" {
				continue
			}
			var member *jsonschema.Schema
			if like := m.Field.Tag.Get("like"); like != "" {
				member = &jsonschema.Schema{Type: "object", Description: "as " + like + " has it"}
			} else if member = published(m.Shape, taken, on, within...); taken && !again {
				member.Description = hints[m.Name]
			}
			instead := taken && slices.ContainsFunc(s.Members, func(o ops.Param) bool {
				return o.Name == m.Unless && inList(o, on)
			})
			if instead && !again { // as a rule this would be an anyOf at the top, which not every client takes
				member.Description = "needed unless " + m.Unless
			}
			add(out, m.Name, member, taken && m.Required && !instead)
		}
		if len(also) > 0 && !again {
			out.Description = "also " + strings.Join(also, ", ")
		}
	}
	return out
}

// inOuter reports whether an object has a member.
func inOuter(of *ops.Shape, name string) bool { return slices.Contains(of.Names(), name) }

// inList reports whether tools/list has a parameter. on reports whether a tool set is on.
func inList(p ops.Param, on func(set string) bool) bool {
	return p.Listed == "" || p.Listed != ops.NeverListed && on(p.Listed)
}

// add adds a property to the schema of an object.
func add(s *jsonschema.Schema, name string, p *jsonschema.Schema, required bool) {
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	s.Properties[name] = p
	s.PropertyOrder = append(s.PropertyOrder, name)
	if required {
		s.Required = append(s.Required, name)
	}
}

// output returns the schema of what an operation returns. It is open, because a later version may return more, and
// nothing in it is required, because replies leave out what is empty. Refusals have no data.
func output(o ops.Operation) *jsonschema.Schema { return published(ops.ShapeOf(o.Brief), false, nil) }
