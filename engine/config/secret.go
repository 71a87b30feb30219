package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"arbor/mdstore/pattern"
)

const (
	isSet       = "set" // printed instead of a secret
	looksSecret = " looks like a secret; give it by the environment, and make this one invalid where it was made"
)

var (
	// secretName matches the end of a key that names a secret, in small letters and without the signs between its
	// words.
	secretName = pattern.Of(`(apikey|secret|(secret|private|access)key|pass(word|wd|phrase)|token|credentials?)$`)
	// secretValue matches a text that only a secret looks like.
	secretValue = pattern.Of(`^(sk-|sk_live_|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA)[\w-]{12,}|` +
		`^eyJ[\w-]+\.eyJ|-----BEGIN [A-Z ]*PRIVATE KEY|://[^/\s:@]+:[^/\s@]+@`)
	// elsewhere matches a reference to a secret: the name of a variable.
	elsewhere = pattern.Of(`^\$?\{?[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\}?$`)
	// anyLine matches a line that sets a key, in a file that need not parse.
	anyLine = pattern.Of(`^[^=:#]*?([\w-]+)["']?\s*[=:]\s*(.*)`)
	signs   = strings.NewReplacer("-", "", "_", "", " ", "", ".", "")
)

// Masked returns a TOML file with isSet instead of its secrets, for diffs. One that does not parse is empty.
func Masked(src []byte) []byte {
	text := string(src)
	if _, err := decode(text); err != nil {
		return nil
	}
	for _, e := range slices.Backward(scan(text)) {
		if _, hidden := mask(e.path[len(e.path)-1], e.value); hidden {
			text = text[:e.val] + `"` + isSet + `"` + text[e.end:]
		}
	}
	return []byte(text)
}

// mask returns a value with isSet instead of each text in it that is a secret, by the name of its key or by its look.
// A number that JSON does not know becomes a text.
func mask(name string, value any) (out any, hidden bool) {
	part := func(name string, value any) any {
		out, hid := mask(name, value)
		hidden = hidden || hid
		return out
	}
	switch v := value.(type) {
	case string:
		named := secretName().MatchString(strings.ToLower(signs.Replace(name))) && v != "" && !elsewhere().MatchString(v)
		if named || secretValue().MatchString(v) {
			return isSet, true
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v), false
		}
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = part(strings.TrimSuffix(name, "s"), v[i])
		}
		return all, hidden
	case []map[string]any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = part("", v[i])
		}
		return all, hidden
	case map[string]any:
		all := map[string]any{}
		for k := range v {
			all[k] = part(k, v[k])
		}
		return all, hidden
	}
	return value, false
}
