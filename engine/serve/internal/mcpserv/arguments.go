package mcpserv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// verbose is an argument of every tool. It asks for what replies leave out: files, versions and lines. The instructions
// name it, and so the schemas of most tools need not.
const verbose = "verbose"

// ignored are parameters of TanmiWorkspace 1.9 that have no meaning here. Prompts written for it may give them.
var ignored = []string{"scenario", "cwd", "isNeedTest", "confirmation"}

// renamed are parameters of TanmiWorkspace 1.9 that have another name here.
var renamed = map[string]string{"ruleHash": "rulesHash"}

// folded are parameters of TanmiWorkspace 1.9 that become lists in the requirement, with their headings.
var folded = [][2]string{{"acceptanceCriteria", "Acceptance criteria"}, {"testRequirement", "Tests"}}

// arguments returns the arguments of a call as the operation knows them. It notes verbose, and whether ifMatch is
// given, in env. Arguments of TanmiWorkspace, also those of children, are renamed, folded into the requirement, or
// removed and listed in env.Ignored.
func arguments(o ops.Operation, env *ops.Env, args json.RawMessage) (map[string]any, error) {
	given, err := o.Parse(args)
	if err != nil {
		return nil, err
	}
	env.Guards = given["ifMatch"] != nil
	if v, ok := given[verbose]; ok {
		on, ok := ops.Truth(v)
		if !ok {
			return nil, noTruth(o, verbose, v)
		}
		if env.Detail = ops.DetailBrief; on {
			env.Detail = ops.DetailSparse
		}
		delete(given, verbose)
	}
	return given, adapt(o, o.Takes(), env, given)
}

// noTruth refuses a value that is neither true nor false.
func noTruth(o ops.Operation, name string, v any) error {
	return ops.BadParam(errs.InvalidParams, name, "%s: %s is %s; true or false is expected",
		o.Name, name, clip(fmt.Sprint(v), 60))
}

// adapt turns arguments of TanmiWorkspace, or those of a child, into arguments of the shape s.
func adapt(o ops.Operation, s *ops.Shape, env *ops.Env, given map[string]any) error {
	known := s.Names()
	for _, name := range ignored {
		if _, ok := given[name]; ok && !slices.Contains(known, name) {
			delete(given, name)
			if !slices.Contains(env.Ignored, name) {
				env.Ignored = append(env.Ignored, name)
			}
		}
	}
	for old, name := range renamed {
		if v, ok := given[old]; ok && slices.Contains(known, name) && given[name] == nil {
			given[name] = v
			delete(given, old)
		}
	}
	if given["role"] == "info_summary" { // its name for the role
		given["role"] = mdstore.RoleSummary
	}
	if slices.Contains(known, "requirement") {
		if err := fold(o, given); err != nil {
			return err
		}
	}
	return inChildren(s, given, func(_ string, s *ops.Shape, child map[string]any) error {
		return adapt(o, s, env, child)
	})
}

// inChildren calls f for each child in arguments that is an object, with its place, such as children[0].
func inChildren(s *ops.Shape, given map[string]any, f func(at string, s *ops.Shape, child map[string]any) error) error {
	p, ok := s.Member("children")
	if !ok || given[p.Name] == nil {
		return nil
	}
	items, isList := p.Shape.Items(given[p.Name])
	if isList {
		given[p.Name] = items // also if they came as a text
	}
	for i, item := range items {
		if child, ok := item.(map[string]any); ok {
			if err := f(fmt.Sprintf("children[%d]", i), p.Shape.Item, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// fold moves the arguments that folded names into the requirement, as lists.
func fold(o ops.Operation, given map[string]any) error {
	for _, f := range folded {
		v, ok := given[f[0]]
		if !ok {
			continue
		}
		items, err := itemsOf(v)
		text, isText := given["requirement"].(string)
		if err != nil || !isText && given["requirement"] != nil {
			return ops.BadParam(errs.InvalidParams, f[0], "%s: %s is a text or a list of texts, and requirement a text",
				o.Name, f[0])
		}
		delete(given, f[0])
		given["requirement"] = strings.TrimSpace(text + "\n\n### " + f[1] + "\n\n- " + strings.Join(items, "\n- "))
	}
	return nil
}

// itemsOf reads a text, or a list of texts and of objects with texts such as given, when and then.
func itemsOf(v any) (items []string, err error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		switch item := item.(type) {
		case string:
			items = append(items, strings.ReplaceAll(strings.TrimSpace(item), "\n", "\n  "))
		case map[string]any:
			var parts []string
			for _, key := range []string{"given", "when", "then", "description", "text"} {
				if s, ok := item[key].(string); ok {
					parts = append(parts, key+" "+s)
				}
			}
			items = append(items, strings.Join(parts, ", "))
		default:
			return nil, fmt.Errorf("%v is no text", item)
		}
	}
	if len(items) == 0 || slices.Contains(items, "") {
		return nil, fmt.Errorf("an item is empty")
	}
	return items, nil
}
