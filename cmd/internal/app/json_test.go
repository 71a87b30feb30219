package app

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// TestJSONPage holds the lists in docs/json.md to the types of the catalogue.
func TestJSONPage(t *testing.T) {
	s := schema{objects: map[string]string{}}
	out, wrote := ops.ShapeOf(reflect.TypeFor[ops.Out]()), ops.ShapeOf(reflect.TypeFor[ops.Wrote]())
	table := fmt.Sprintf("\n## Commands\n\nEvery document may also have:\n%s.\n\nThose of commands that write (w) may have, too:\n%s.\n\n"+
		"| command | | members |\n|---|---|---|\n", s.members(out.Members, nil), s.members(wrote.Members, out.Names()))
	var rows []string
	for _, o := range slices.Concat(ops.All(), ops.Commands()) {
		mark, common, shape := "", out.Names(), ops.ShapeOf(o.Out)
		if _, writes := shape.Member("changed"); writes {
			mark, common = "w", wrote.Names()
		}
		name := o.CommandLine()
		switch o.Name {
		case "node_transition":
			name = "arbor start, complete, drop, …"
		case "node_list":
			name = "arbor tree"
		case "approve":
			name += " ID"
		case "resolve_conflict":
			name += " NODE"
		}
		row := fmt.Sprintf("| `%s` | %s | %s |\n", name, mark, s.members(shape.Members, common))
		if o.Use != "" && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	table += strings.Join(rows, "")
	table += "\n## Objects\n\n| object | members |\n|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		table += fmt.Sprintf("| %s | %s |\n", name, s.objects[name])
	}
	generated(t, "../../../docs/json.md", "schema", "TestJSONPage", table+"\n")
}

// A schema collects the objects that documents have, by their names.
type schema struct{ objects map[string]string }

// members lists members with their types, without some.
func (s schema) members(all []ops.Param, without []string) string {
	var list []string
	head := ops.ShapeOf(reflect.TypeFor[mdstore.Head]())
	_, ofNode := (&ops.Shape{Members: all}).Member("verify")
	for _, m := range all {
		if ofNode && len(all) > len(head.Members) && m.Name == head.Names()[0] {
			list = append(list, "*"+s.object(head)+"*")
		}
		if !slices.Contains(without, m.Name) && !(ofNode && len(all) > len(head.Members) && slices.Contains(head.Names(), m.Name)) {
			list = append(list, strings.TrimSpace("`"+m.Name+"` "+s.typeOf(m)))
		}
	}
	if list == nil {
		return "—"
	}
	return strings.Join(list, ", ")
}

// typeOf says what a member holds. Texts are the rule, and need no word.
func (s schema) typeOf(m ops.Param) string {
	switch t := m.Type; {
	case t == reflect.TypeFor[mdstore.Owns]():
		return "keys with any values"
	case t.Kind() == reflect.Int64 && m.Name != "tookMs" && m.Name != "size":
		return "time"
	}
	return s.shape(m.Shape)
}

func (s schema) shape(x *ops.Shape) string {
	switch {
	case x.Members != nil:
		return s.object(x)
	case x.Kind == ops.KindList:
		return strings.TrimSpace("[" + s.shape(x.Item) + "]")
	case x.Kind == ops.KindObject && x.Item != nil && x.Item.Kind != ops.KindAny:
		return strings.TrimSpace("{name: " + cmp.Or(s.shape(x.Item), "text") + "}")
	case x.Kind == ops.KindObject, x.Kind == ops.KindAny:
		return "any"
	case x.Kind == ops.KindWhole, x.Kind == ops.KindNumber:
		return "number"
	case x.Kind == ops.KindBool:
		return "bool"
	}
	return ""
}

// object adds an object to the list, and returns its name.
func (s schema) object(x *ops.Shape) string {
	name := strings.TrimSuffix(x.Type.Name(), "Out")
	for _, known := range []string{name, strings.ToUpper(x.Type.PkgPath()[strings.LastIndex(x.Type.PkgPath(), "/")+1:][:1]) + name} {
		if at, is := typesOf[known]; !is || at == x.Type {
			name, typesOf[known] = known, x.Type
			break
		}
	}
	if _, is := s.objects[name]; !is {
		s.objects[name] = "" // objects may hold others of their kind
		s.objects[name] = s.members(x.Members, nil)
	}
	return name
}

var typesOf = map[string]reflect.Type{}
