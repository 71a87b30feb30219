package env

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"arbor/mdstore/pattern"
)

// BuiltIn returns the tools that every environment has.
func BuiltIn() []Tool {
	return []Tool{
		{Name: fileRead, ReadOnly: true}, {Name: fileList, ReadOnly: true}, {Name: fileSearch, ReadOnly: true},
		{Name: fileWrite}, {Name: fileEdit}, {Name: fileDelete},
	}
}

// The limits of a definition.
const (
	MaxToolsFile = 256 << 10 // bytes
	maxTools     = 200
	leastTimeout = time.Second
	mostTimeout  = 10 * time.Minute
)

// A definition is a tool as written in a file.
type definition struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersSchema"`
	Command     []string        `json:"command"`
	Env         []string        `json:"env"`
	Timeout     int             `json:"timeout"` // seconds
	Asks        bool            `json:"requiresPermission"`
	ReadOnly    bool            `json:"readOnly"`
	Network     bool            `json:"network"`
	Read        []string        `json:"read"`
}

// ParseTools reads the definitions of a ToolsFile: a list of them, or an object with such a list as tools. It leaves
// out each wrong definition and says why. taken reports names that no tool may have.
func ParseTools(data []byte, taken func(string) bool) (tools []Tool, wrong []Lack) {
	lack := func(name, format string, args ...any) {
		wrong = append(wrong, Lack{Tool: name, File: ToolsFile, Why: fmt.Sprintf(format, args...)})
	}
	var all []json.RawMessage
	if len(data) > MaxToolsFile {
		lack("", "it has more than %d bytes", MaxToolsFile)
		return nil, wrong
	}
	if err := strict(data, &all); err != nil {
		var file struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if err := strict(data, &file); err != nil {
			lack("", "%v", err)
			return nil, wrong
		}
		all = file.Tools
	}
	if len(all) > maxTools {
		lack("", "it has %d tools; at most %d are allowed", len(all), maxTools)
		return nil, wrong
	}
	for i, raw := range all {
		var d definition
		err := strict(raw, &d)
		var t Tool
		if err == nil {
			t, err = d.tool(taken)
		}
		if err == nil && slices.ContainsFunc(tools, func(o Tool) bool { return o.Name == t.Name }) {
			err = errors.New("another tool has this name")
		}
		if err != nil {
			lack(first(d.ID, d.Name), "tool %d (%s): %v", i+1, first(d.ID, d.Name), err)
			continue
		}
		t.Source = ToolsFile
		tools = append(tools, t)
	}
	return tools, wrong
}

// ParseTool reads one definition, as JSON with the keys of a ToolsFile.
func ParseTool(data []byte, taken func(string) bool) (Tool, error) {
	var d definition
	if err := strict(data, &d); err != nil {
		return Tool{}, err
	}
	return d.tool(taken)
}

// strict decodes one JSON value. It refuses unknown keys, and text after the value.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("there is text after the JSON")
	}
	return nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

var (
	toolForm   = pattern.Of(`^[a-z][a-z0-9_-]{0,63}$`)
	varForm    = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	parameters = pattern.Of(`\$\{([^}]*)\}`)
)

// tool checks a definition and returns its tool.
func (d definition) tool(taken func(string) bool) (Tool, error) {
	t := Tool{Name: first(d.ID, d.Name), Description: d.Description, Parameters: d.Parameters, Command: d.Command, Env: d.Env,
		Timeout: defaultTimeout, Asks: d.Asks, ReadOnly: d.ReadOnly, Network: d.Network, Read: d.Read}
	if d.Timeout != 0 {
		t.Timeout = time.Duration(d.Timeout) * time.Second
	}
	known, err := declared(t.Parameters)
	switch {
	case err != nil:
		return t, err
	case !toolForm().MatchString(t.Name):
		return t, fmt.Errorf("%q is not a tool name; use small letters, digits, - and _", t.Name)
	case taken(t.Name):
		return t, fmt.Errorf("%q is the name of one of Arbor's tools", t.Name)
	case len(t.Command) == 0 || t.Command[0] == "":
		return t, errors.New(`command is empty; it is a list, as ["go", "test", "${package}"]`)
	case parameters().MatchString(t.Command[0]):
		return t, errors.New("command[0] is the program and cannot contain ${…}")
	case t.Timeout < leastTimeout || t.Timeout > mostTimeout:
		return t, fmt.Errorf("timeout is %d; from 1 to %d seconds are allowed", d.Timeout, int(mostTimeout.Seconds()))
	}
	for _, word := range t.Command {
		if strings.Contains(word, "\x00") {
			return t, errors.New("command has a NUL")
		}
		for _, m := range parameters().FindAllStringSubmatch(word, -1) {
			if _, ok := known[m[1]]; !ok {
				return t, fmt.Errorf("command has %s, which parametersSchema does not declare", m[0])
			}
		}
	}
	for _, p := range t.Read {
		if rest, home := strings.CutPrefix(p, "~/"); strings.Contains(p, "\x00") || path.Clean(p) == "/" || !path.IsAbs(p) && !(home && rest != "") {
			return t, fmt.Errorf("read has %q; it names files and folders as /FOLDER or ~/FOLDER", p)
		}
	}
	for _, v := range t.Env {
		name, _, ok := strings.Cut(v, "=")
		if !ok || !varForm().MatchString(name) || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || name == "PATH" || name == "HOME" ||
			strings.HasPrefix(name, "ARBOR_") || strings.Contains(v, "\x00") {
			return t, fmt.Errorf("env has %q; it has NAME=VALUE, and not PATH, HOME, LD_…, DYLD_… or ARBOR_…", v)
		}
	}
	return t, nil
}

// A parameter is a property of a tool's parametersSchema. It has only the keywords that check uses.
type parameter struct {
	Type string `json:"type"`
	Enum []any  `json:"enum"`
}

// types are the types of JSON that a parameter can have.
var types = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

// declared returns the parameters that a schema declares, by name. An empty schema declares none.
func declared(schema json.RawMessage) (map[string]parameter, error) {
	var s struct {
		Properties map[string]parameter `json:"properties"`
	}
	if len(schema) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		const as = `{"type": "object", "properties": {"file": {"type": "string"}}}`
		return nil, fmt.Errorf("parametersSchema is no schema of an object, as %s: %w", as, err)
	}
	for _, name := range sorted(s.Properties) {
		if t := s.Properties[name].Type; t != "" && !slices.Contains(types, t) {
			return nil, fmt.Errorf("parametersSchema gives %s the type %q; it is one of %s", name, t, strings.Join(types, ", "))
		}
	}
	return s.Properties, nil
}

// Digest returns the SHA-256 of a tool's definition, as hexadecimal digits. Source is not part of it.
func Digest(t Tool) string {
	t.Source = ""
	data, err := json.Marshal(t)
	if err != nil {
		data = fmt.Appendf(nil, "%#v", t) // Parameters is no JSON
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Argv returns the argument vector of a call: the tool's command, with each ${name} replaced by that parameter. A value
// never splits an argument, whatever characters it has. Argv leaves out an argument that consists of a single ${name}
// if the call does not give that parameter.
func Argv(t Tool, args json.RawMessage) ([]string, error) {
	known, err := declared(t.Parameters)
	if err != nil {
		return nil, err
	}
	given := map[string]any{}
	if len(args) > 0 {
		d := json.NewDecoder(bytes.NewReader(args))
		d.UseNumber()
		if err := d.Decode(&given); err != nil {
			return nil, errors.New("the arguments must be a JSON object")
		}
	}
	for name, v := range given {
		p, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("no parameter %q; there are %s", name, strings.Join(sorted(known), ", "))
		}
		if err := p.check(name, v); err != nil {
			return nil, err
		}
	}
	var s struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(t.Parameters, &s) // declared has read it
	for _, name := range s.Required {
		if _, ok := given[name]; !ok {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	var argv []string
	for _, word := range t.Command {
		if m := parameters().FindStringSubmatch(word); m != nil && m[0] == word && given[m[1]] == nil {
			continue
		}
		arg := parameters().ReplaceAllStringFunc(word, func(s string) string { return spell(given[s[2:len(s)-1]]) })
		if strings.Contains(arg, "\x00") {
			return nil, errors.New("arguments must not contain NUL")
		}
		argv = append(argv, arg)
	}
	return argv, nil
}

func sorted(known map[string]parameter) []string {
	var all []string
	for name := range known {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// check refuses a value that has the wrong type, or that is not in the enum.
func (p parameter) check(name string, v any) error {
	is := "object"
	switch n := v.(type) {
	case nil:
		is = "null"
	case string:
		is = "string"
	case bool:
		is = "boolean"
	case []any:
		is = "array"
	case json.Number:
		is = "number"
		if _, err := n.Int64(); err == nil && p.Type == "integer" {
			is = "integer"
		}
	}
	// A person at a command line means the number 5 and the call has the string "5".
	if text, ok := v.(string); ok && p.Type != "" && p.Type != is {
		var meant any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if d.Decode(&meant) == nil && !d.More() && !isString(meant) {
			return p.check(name, meant)
		}
	}
	if p.Type != "" && p.Type != is {
		return fmt.Errorf("%s is a %s, not a %s", name, p.Type, is)
	}
	if p.Enum != nil && !slices.ContainsFunc(p.Enum, func(e any) bool { return spell(e) == spell(v) }) {
		return fmt.Errorf("%s is one of %s", name, spell(p.Enum))
	}
	return nil
}

func isString(v any) bool {
	_, is := v.(string)
	return is
}

// spell returns a value as text for an argument: a string as it is, nil as "", any other value as JSON.
func spell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
