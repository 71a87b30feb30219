// Package config merges settings. They come in layers, each with its own origin: the defaults, the person's own file,
// the files of the project, the vault and the workspace, the environment, and flags. Tables merge; all other values,
// also lists, replace those of lower layers. The package gets files as bytes, and edits them as bytes.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"arbor/mdstore/mdoc"
)

// A Level is the place of a layer among the others.
type Level string

// The levels, from the lowest.
const (
	BuiltIn     Level = "built-in"
	User        Level = "user"        // the person's own file
	Project     Level = "project"     // arbor.toml
	Vault       Level = "vault"       // config.toml of the vault
	Workspace   Level = "workspace"   // config.toml of a workspace
	Environment Level = "environment" // variables
	Flag        Level = "flag"
)

var levels = []Level{BuiltIn, User, Project, Vault, Workspace, Environment, Flag}

// tracked reports whether a clone brings the file of the level.
func (l Level) tracked() bool { return l == Project || l == Vault || l == Workspace }

// The codes of problems in a file of settings.
const (
	CodeInvalid = "CONFIG_INVALID"   // the file does not parse, or a key has an unexpected value
	CodeRefused = "CONFIG_REFUSED"   // a key that does not count in such a file
	CodeSecret  = "SECRET_IN_CONFIG" // a key that looks like a secret in a file that a clone brings
)

// A Setting is a key with its value and the place that it comes from.
type Setting struct {
	Key   string `json:"key"`   // dotted; words that need it are quoted
	Value any    `json:"value"` // for a secret, the text "set"
	Layer Level  `json:"layer"`
	File  string `json:"file,omitempty"` // or the variable or flag
	Line  int    `json:"line,omitempty"` // 1-based; 0 if there is no file

	path []string
}

// From says where the setting comes from: its layer, and the variable or flag, or the file with its line.
func (s Setting) From() string {
	from := strings.TrimSpace(string(s.Layer) + " " + s.File)
	if s.Line > 0 {
		from += fmt.Sprintf(":%d", s.Line)
	}
	return from
}

// A Layer is one place that settings come from: a file as it was read, or settings that were given otherwise.
type Layer struct {
	Level Level
	File  string // the name of the file in results
	Data  []byte // TOML; nil if there is no file
	Err   error  // why the file cannot be read; nil if it can
	given []Setting
}

// Settings are the settings of all layers together.
type Settings struct {
	All      []Setting         // in the order of keys
	Warnings []mdoc.Diagnostic // files and keys that do not count, and secrets, in the order of layers
}

// Merge returns the settings of all layers. A problem in one of them is a warning, and its other settings count.
func Merge(layers ...Layer) *Settings {
	s := &Settings{}
	for _, k := range keys {
		if k.Default != nil {
			s.put(Setting{Key: k.Name, Value: k.Default, Layer: BuiltIn, path: strings.Split(k.Name, ".")})
		}
	}
	layers = slices.Clone(layers)
	slices.SortStableFunc(layers, func(a, b Layer) int {
		return cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level))
	})
	for _, l := range layers {
		all, wrong := l.read()
		for _, n := range append(all, l.given...) {
			s.put(n)
		}
		s.Warnings = append(s.Warnings, wrong...)
	}
	slices.SortFunc(s.All, func(a, b Setting) int { return slices.Compare(a.path, b.path) })
	return s
}

// put adds a setting instead of those with its key, and of those above and below it.
func (s *Settings) put(n Setting) {
	s.All = append(slices.DeleteFunc(s.All, func(o Setting) bool {
		return below(n.path, o.path) || below(o.path, n.path)
	}), n)
}

// Below returns the settings at or below a key, as providers.NAME; all of them for "".
func (s *Settings) Below(key string) ([]Setting, error) {
	if key == "" {
		return s.All, nil
	}
	path, err := parseKey(key)
	return slices.DeleteFunc(slices.Clone(s.All), func(o Setting) bool { return !below(o.path, path) }), err
}

// Value returns the value of a known key; the zero value of its type if it is not set.
func Value[T string | int64 | bool | []any](s *Settings, key string) (v T) {
	for _, o := range s.All {
		if o.Key == key {
			v, _ = o.Value.(T)
		}
	}
	return v
}

// Given returns a layer with one setting from a flag; without any if the text is empty.
func Given(l Level, key, from, text string) Layer {
	out := Layer{Level: l}
	if path := strings.Split(key, "."); text != "" {
		out.given = []Setting{{Key: key, Value: parseValue(path, text), Layer: l, File: from, path: path}}
	}
	return out
}

// Env returns the layer of the environment. For secrets it only records that they are set.
func Env(getenv func(string) string) Layer {
	out := Layer{Level: Environment}
	for _, k := range keys {
		if k.Env != "" {
			out.given = append(out.given, Given(Environment, k.Name, k.Env, getenv(k.Env)).given...)
		}
	}
	for _, name := range secrets {
		if getenv(name) != "" {
			out.given = append(out.given, Given(Environment, name, name, isSet).given...)
		}
	}
	return out
}

// read returns the settings of a file and the problems in it.
func (l Layer) read() (all []Setting, wrong []mdoc.Diagnostic) {
	tree, err := decode(string(l.Data))
	switch {
	case l.Err != nil:
		return nil, []mdoc.Diagnostic{{File: l.File, Code: CodeInvalid, Text: "cannot be read: " + l.Err.Error()}}
	case err != nil:
		return nil, l.broken(err)
	}
	for _, e := range scan(string(l.Data)) {
		if e.list && !e.within { // the first element of a list, which counts as a whole
			e.value = dig(tree, e.path)
		}
		if e.value == nil {
			continue
		}
		each(e.path, e.value, func(path []string, v any) {
			path = whole(path, v)
			value, hidden := mask(path[len(path)-1], v)
			n := Setting{Key: toml.Key(path).String(), Value: value, Layer: l.Level, File: l.File, Line: e.line, path: path}
			add := func(code, text string) {
				wrong = append(wrong, mdoc.Diagnostic{File: l.File, Line: e.line, Col: e.col, Code: code, Text: n.Key + text})
			}
			if hidden && !e.header && l.Level.tracked() {
				add(CodeSecret, looksSecret)
			}
			if e.within {
				return
			}
			if code, why := refused(l.Level, l.File, path, v); code != "" {
				add(code, " "+why)
				return
			}
			all = append(all, n)
		})
	}
	return all, wrong
}

// broken returns a diagnostic for the place at which a file does not parse. It quotes nothing if a line looks like a
// secret.
func (l Layer) broken(err error) (wrong []mdoc.Diagnostic) {
	bad := mdoc.Diagnostic{File: l.File, Code: CodeInvalid, Text: "is no TOML"}
	var where toml.ParseError
	if errors.As(err, &where) {
		bad.Line, bad.Col, bad.Text = where.Position.Line, 1, bad.Text+": "+where.Message
	}
	for i, line := range strings.Split(string(l.Data), "\n") {
		m := append(anyLine().FindStringSubmatch(line), "", "", "")
		if _, hidden := mask(m[1], strings.Trim(m[2], "\"' \t\r")); !hidden {
			continue
		}
		if bad.Text = "is no TOML"; l.Level.tracked() {
			wrong = append(wrong, mdoc.Diagnostic{File: l.File, Line: i + 1, Col: 1, Code: CodeSecret, Text: m[1] + looksSecret})
		}
	}
	return append(wrong, bad)
}
