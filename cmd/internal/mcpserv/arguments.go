package mcpserv

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// verbose is the argument of every call that asks for what replies leave out: files, versions and lines. The instructions
// name it, and not each of thirty schemas.
const verbose = "verbose"

// ignored are parameters of TanmiWorkspace 1.9 that mean nothing here. Prompts written for it may give them.
var ignored = []string{"scenario", "cwd", "isNeedTest", "confirmation"}

// renamed are parameters of TanmiWorkspace 1.9 that have another name here.
var renamed = map[string]string{"ruleHash": "rulesHash"}

// folded are parameters of TanmiWorkspace 1.9 that become lists in the requirement, with their headings.
var folded = [][2]string{{"acceptanceCriteria", "Acceptance criteria"}, {"testRequirement", "Tests"}}

// arguments returns the arguments of a call as the operation knows them: verbose goes to the caller, and those of
// TanmiWorkspace, also of children, are renamed, folded into the requirement, or left out and named in env.Ignored.
func arguments(o ops.Operation, env *ops.Env, args json.RawMessage) (json.RawMessage, error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil || given == nil {
		return args, nil // the operation refuses what is not an object
	}
	if raw, ok := given[verbose]; ok {
		var on bool
		if json.Unmarshal([]byte(strings.Trim(string(raw), `"`)), &on) != nil {
			return nil, ops.BadParam(errs.InvalidParams, verbose, "%s: verbose is %s; true or false is expected",
				o.Name, clip(string(raw), 60))
		}
		env.Brief = !on
		delete(given, verbose)
	}
	if err := adapt(o, o.In, env, given); err != nil {
		return nil, err
	}
	return json.Marshal(given)
}

// adapt makes arguments, or a child in them, of a type of those that TanmiWorkspace takes.
func adapt(o ops.Operation, t reflect.Type, env *ops.Env, given map[string]json.RawMessage) error {
	known := members(t)
	for _, name := range ignored {
		if _, ok := given[name]; ok && !slices.Contains(known, name) {
			delete(given, name)
			if !slices.Contains(env.Ignored, name) {
				env.Ignored = append(env.Ignored, name)
			}
		}
	}
	for old, name := range renamed {
		if raw, ok := given[old]; ok && slices.Contains(known, name) && given[name] == nil {
			given[name] = raw
			delete(given, old)
		}
	}
	if string(given["role"]) == `"info_summary"` { // its name for the role
		given["role"] = json.RawMessage(strconv.Quote(string(mdstore.RoleSummary)))
	}
	if slices.Contains(known, "requirement") {
		if err := fold(o, given); err != nil {
			return err
		}
	}
	var children []map[string]json.RawMessage
	if !slices.Contains(known, "children") || json.Unmarshal(given["children"], &children) != nil || children == nil {
		return nil // the operation refuses what is no list of objects
	}
	for _, c := range children {
		if err := adapt(o, reflect.TypeFor[ops.NewChild](), env, c); err != nil {
			return err
		}
	}
	given["children"], _ = json.Marshal(children) // what was read
	return nil
}

// members returns the names of the members of a struct's JSON.
func members(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// fold adds lists that a call gives beside a requirement to the requirement.
func fold(o ops.Operation, given map[string]json.RawMessage) error {
	var text string
	for _, f := range folded {
		raw, ok := given[f[0]]
		if !ok {
			continue
		}
		items, err := itemsOf(raw)
		if err != nil || text == "" && json.Unmarshal(given["requirement"], &text) != nil && given["requirement"] != nil {
			return ops.BadParam(errs.InvalidParams, f[0], "%s: %s is a text or a list of texts, and requirement a text",
				o.Name, f[0])
		}
		text = strings.TrimSpace(text + "\n\n### " + f[1] + "\n\n- " + strings.Join(items, "\n- "))
		delete(given, f[0])
		given["requirement"], _ = json.Marshal(text) // a string
	}
	return nil
}

// itemsOf reads a text, or a list of texts and of objects with texts such as given, when and then.
func itemsOf(raw json.RawMessage) (items []string, err error) {
	var list []any
	if json.Unmarshal(raw, &list) != nil {
		var one any
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, err
		}
		list = []any{one}
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
