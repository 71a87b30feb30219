package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"arbor/engine/internal/nearest"
	"arbor/mdstore"
)

// A Key is a setting that Arbor knows.
type Key struct {
	Name    string  // NAME in it stands for any one word
	Type    string  // text, number, boolean, list (of texts) or any; or all values that it can have: "id, title"
	Default any     // nil for none
	Env     string  // the variable that sets it; "" for none
	Flag    string  // the flag that sets it; "" for none
	In      []Level // the files that may set it
	Help    string
}

// Which files may set a key.
var (
	own    = []Level{User}                            // a clone must not decide these
	early  = []Level{User, Project}                   // read before the vault is open
	shared = []Level{User, Project, Vault}            // read before a workspace is known
	every  = []Level{User, Project, Vault, Workspace} // keys that programs use
)

var keys = []Key{
	{"vault", "text", nil, "ARBOR_VAULT", "--vault", early,
		"the vault's folder: in arbor.toml one in the project; in your own file the one that is used where none is found, " +
			"or the address of one on a server: postgres://HOST/DATABASE?vault=NAME"},
	{"git.wait", "text", nil, "ARBOR_GIT", "", own, "how long a write waits for git to finish, as 5s; or ignore; also git = \"5s\" without a table"},
	{"git.timestamps", "boolean", true, "", "", every, "false: writes leave updatedAt as it is, and merges without a driver meet one conflict less"},
	{"log.names", "boolean", false, "", "", every,
		"true: what somebody writes through a server of several people has their name in the log, as @ann"},
	{"plan.criteria", "section, all, off", "section", "", "", own,
		"which boxes complete asks for: section (acceptance criteria), all (those of the requirement, too), or off"},
	{"folders", "id, title", "id", "", "init --folders", early, "what names the folders of new nodes: id, or title"},
	{"listen", "text", nil, "", "serve --listen", own,
		"the address on this machine that arbor serve takes; without it 127.0.0.1 and a port of the vault's own"},
	{"toolsets", "list", []any{"default"}, "ARBOR_TOOLSETS", "mcp --toolsets", own,
		"the sets of tools that servers offer: default, plan, briefing, memory, history, environments, or all"},
	{"toolsets-offer", "list", []any{"briefing", "memory", "history"}, "", "", own,
		"the sets that an assistant may turn on with tools_enable, where default is on"},
	{"profile", "all, worker", "all", "", "mcp --profile", shared, "which tools of plan servers offer: all, or worker"},
	{"replies", "both, text", "both", "", "mcp --replies", shared, "the form of a server's replies: both, or text"},
	{"max-tokens", "number", int64(8000), "", "mcp --max-tokens", shared, "the largest reply of a server, in tokens"},
	{"provider", "text", nil, "", "", every, "the provider of models, for programs that ask"},
	{"providers.NAME.model", "text", nil, "", "", every, "the model of a provider, for programs that ask"},
	{"identity", "any", nil, "", "", own, "who you are: assignee:mine in a query"},
	{"trust", "any", nil, "", "", own, "what you trust, for programs that ask"},
}

// secrets are the variables that are shown as set, and whose values are never kept.
var secrets = []string{"ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"}

// Keys returns the settings that Arbor knows, in the order of their documentation.
func Keys() []Key { return slices.Clone(keys) }

// known returns the row of a key. exact is false if the row is that of a key above or below it.
func known(key []string) (row Key, exact, ok bool) {
	for _, k := range keys {
		name := strings.Split(k.Name, ".")
		wild := len(name) > 1 && name[1] == "NAME"
		if wild && len(key) > 1 {
			name[1] = key[1]
		}
		if exact := slices.Equal(name, key); exact || name[0] == key[0] && (wild || len(name) == 1) {
			return k, exact, true
		}
	}
	return Key{}, false, false
}

// whole returns the path of a key with that value: git = "5s" is git.wait.
func whole(path []string, value any) []string {
	if _, text := value.(string); text && slices.Equal(path, []string{"git"}) {
		return []string{"git", "wait"}
	}
	return path
}

// refused says why a key with a value does not count in a file of a level, as a code and a text that shows no value;
// both are empty if it does.
func refused(l Level, file string, key []string, value any) (code, why string) {
	const forUser = "; set it with arbor admin config set --user"
	k, exact, ok := known(whole(key, value))
	provider := ok && k.Name != key[0] && !exact
	text, _ := value.(string)
	switch {
	case slices.Contains(secrets, key[0]):
		return CodeRefused, "comes from the environment alone, and does not count in a file"
	case ok && l.tracked() && (slices.Equal(k.In, own) || provider):
		return CodeRefused, "is ignored in a shared file" + forUser
	case ok && !slices.Contains(k.In, l):
		return CodeRefused, "does not count in this file, which is read later; set it in arbor.toml, or for yourself"
	case ok && !provider && k.Type != "any" && !(exact && k.fits(value)):
		if k.choices() != nil {
			return CodeInvalid, "is none of " + k.Type + "; " + k.Help
		}
		return CodeInvalid, "is no " + k.Type + "; " + k.Help
	case ok && k.Name == "vault" && l.tracked() && strings.Contains(text, "://"):
		return CodeRefused, "names a server, and is ignored in a shared file" + forUser
	case ok && k.Name == "vault" && l.tracked() && outside(file, text):
		return CodeRefused, "leads out of the project, and is ignored in a shared file" + forUser
	case ok || len(key) > 1:
		return "", ""
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	why = "is no key that is known"
	if near := nearest.Word(key[0], names); near != "" {
		why += "; did you mean " + near + "?"
	}
	return CodeInvalid, why
}

// choices returns the values that a key can have; nil for any of its type.
func (k Key) choices() []string {
	if all := strings.Split(k.Type, ", "); len(all) > 1 {
		return all
	}
	return nil
}

// fits reports whether a value is of the key's type, or one that it can have.
func (k Key) fits(value any) bool {
	switch v := value.(type) {
	case string:
		return k.Type == "text" || slices.Contains(k.choices(), v)
	case int64:
		return k.Type == "number"
	case bool:
		return k.Type == "boolean"
	case []any:
		return k.Type == "list" && !slices.ContainsFunc(v, func(e any) bool { _, ok := e.(string); return !ok })
	}
	return false
}

// outside reports whether the vault that an arbor.toml names is outside of the file's folder. A vault at the usual
// place in a folder above does not count as outside, because the search continues there.
func outside(file, vault string) bool {
	slashes := func(s string) string { return strings.ReplaceAll(s, `\`, "/") }
	dir, to := path.Dir(slashes(file)), path.Clean(slashes(vault))
	rooted := path.IsAbs(to) || strings.HasPrefix(to[1:], ":") // C:\ on Windows
	if of, name := path.Split(to); name == mdstore.DefaultVault {
		if rooted && strings.HasPrefix(dir+"/", of) || !rooted && strings.Trim(of, "./") == "" {
			return false
		}
	}
	if !rooted {
		return to == ".." || strings.HasPrefix(to, "../")
	}
	return to != dir && !strings.HasPrefix(to, strings.TrimSuffix(dir, "/")+"/")
}

// parseValue parses a value from a command line or variable: by the type of the key, or else as TOML or text.
func parseValue(key []string, text string) any {
	k, exact, _ := known(key)
	tree, err := decode("v = " + text)
	switch value := tree["v"]; {
	case exact && k.Type == "list" && (err != nil || !k.fits(value)):
		all := []any{}
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
			all = append(all, w)
		}
		return all
	case exact && k.Type == "text", err != nil, len(tree) > 1:
		return text
	default:
		return value
	}
}

// Text returns a value for output in a line: a text unchanged, anything else as TOML.
func Text(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	text, err := encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return text
}
