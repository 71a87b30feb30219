package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// layer returns a layer that says something of three keys: a text, a list, and one in a table of a program.
func layer(l Level, n int) Layer {
	return Layer{Level: l, File: string(l) + ".toml", Data: fmt.Appendf(nil, "# %s\nprovider = \"p%d\"\n\n[tool]\nlist = [%d]\nboth.own%d = 1\nboth.shared = %d\n", l, n, n, n, n)}
}

func at(t *testing.T, s *Settings, key string) Setting {
	t.Helper()
	all, err := s.Below(key)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %v, %v in %v", key, all, err, s.All)
	}
	return all[0]
}

// Of every two layers the higher one counts, in whatever order they are given; tables merge, and lists are replaced.
func TestTheHigherOfTwoLayersCounts(t *testing.T) {
	files := []Level{User, Project, Vault, Workspace}
	for i, low := range files {
		for j, high := range files[i+1:] {
			n := i + j + 1
			for _, s := range []*Settings{Merge(layer(low, i), layer(high, n)), Merge(layer(high, n), layer(low, i))} {
				if len(s.Warnings) > 0 {
					t.Fatal(s.Warnings)
				}
				for key, want := range map[string]Setting{
					"provider":                     {Value: fmt.Sprintf("p%d", n), Layer: high, Line: 2},
					"tool.list":                    {Value: []any{int64(n)}, Layer: high, Line: 5},
					"tool.both.shared":             {Value: int64(n), Layer: high, Line: 7},
					fmt.Sprint("tool.both.own", n): {Value: int64(1), Layer: high, Line: 6},
					fmt.Sprint("tool.both.own", i): {Value: int64(1), Layer: low, Line: 6},
				} {
					got := at(t, s, key)
					want.Key, want.File, got.path = key, string(want.Layer)+".toml", nil
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s below %s: got %v, want %v", low, high, got, want)
					}
				}
			}
		}
	}
}

// Of every two layers, whatever they are, the higher one counts for one value.
func TestOfEveryTwoLayersTheHigherCounts(t *testing.T) {
	of := func(l Level, key string, n int) Layer {
		if l == Environment || l == Flag {
			return Given(l, key, "V", fmt.Sprint(n))
		}
		if l == BuiltIn {
			return Layer{Level: BuiltIn}
		}
		return Layer{Level: l, File: "f", Data: fmt.Appendf(nil, "max-tokens = %d\nprovider = \"%d\"\n", n, n)}
	}
	pairs := 0
	for i, low := range levels {
		for j := i + 1; j < len(levels); j++ {
			high, key := levels[j], "provider"
			if low == BuiltIn {
				if key = "max-tokens"; high == Workspace {
					continue // nothing built in is set there
				}
			}
			pairs++
			for _, layers := range [][]Layer{{of(low, key, i), of(high, key, j)}, {of(high, key, j), of(low, key, i)}} {
				if got := at(t, Merge(layers...), key); fmt.Sprint(got.Value) != fmt.Sprint(j) || got.Layer != high {
					t.Errorf("%s below %s: %s is %v of %s", low, high, key, got.Value, got.Layer)
				}
			}
		}
	}
	if pairs != 20 {
		t.Errorf("%d pairs", pairs)
	}
}

// What is built in is below every layer, and the environment and flags are above all files.
func TestTheEnvironmentAndFlagsAreAboveFiles(t *testing.T) {
	user := Layer{Level: User, Data: []byte("vault = \"u\"\ntoolsets = [\"all\"]\n")}
	env := Env(func(name string) string {
		return map[string]string{"ARBOR_VAULT": "e", "ARBOR_TOOLSETS": "plan, briefing", "OPENAI_API_KEY": "sk-of-somebody"}[name]
	})
	flag := Given(Flag, "vault", "--vault", "f")
	project := Layer{Level: Project, File: "/p/arbor.toml", Data: []byte(`vault = "p"`)}
	for _, tt := range []struct {
		layers []Layer
		key    string
		want   any
		from   Level
	}{
		{nil, "toolsets", []any{"default"}, BuiltIn},
		{nil, "max-tokens", int64(8000), BuiltIn},
		{[]Layer{user}, "toolsets", []any{"all"}, User},
		{[]Layer{env, user}, "toolsets", []any{"plan", "briefing"}, Environment},
		{[]Layer{project, user}, "vault", "p", Project},
		{[]Layer{env, project, user}, "vault", "e", Environment},
		{[]Layer{flag, env, project, user}, "vault", "f", Flag},
		{[]Layer{env}, "OPENAI_API_KEY", "set", Environment},
	} {
		got := at(t, Merge(tt.layers...), tt.key)
		if !reflect.DeepEqual(got.Value, tt.want) || got.Layer != tt.from {
			t.Errorf("%s: got %v of %s, want %v of %s", tt.key, got.Value, got.Layer, tt.want, tt.from)
		}
	}
	if s := Merge(env); strings.Contains(fmt.Sprint(s), "sk-of") {
		t.Errorf("a secret is kept: %v", s)
	}
}

// A table takes the place of a value, a value that of a table, and a list that of a list of tables.
func TestTablesAndValuesReplaceEachOther(t *testing.T) {
	table, value := "[x.a]\nb = 1\nc = 2\n", "[x]\na = 5\n"
	for _, tt := range []struct{ low, high, want string }{
		{table, value, "x.a=5"},
		{value, table, "x.a.b=1 x.a.c=2"},
		{"x.a = {b = 1, d = 3}\n", "x.a.b = 2\n", "x.a.b=2 x.a.d=3"},
		{table, "[x.a]\n", "x.a.b=1 x.a.c=2"},
		{"[[x.a]]\nb = 1\n[[x.a]]\nb = 2\n[x.a.deep]\nk = 1\n", "", `x.a=[{b = 1}, {b = 2, deep = {k = 1}}]`},
		{"[[x.a]]\nb = 1\n", "x.a = []\n", "x.a=[]"},
		{"x.\"a.b\".'c d' = 1\n", "", `x."a.b"."c d"=1`},
	} {
		s := Merge(Layer{Level: User, Data: []byte(tt.low)}, Layer{Level: Vault, Data: []byte(tt.high)})
		all, _ := s.Below("x")
		var got []string
		for _, n := range all {
			got = append(got, n.Key+"="+Text(n.Value))
		}
		if strings.Join(got, " ") != tt.want && !strings.Contains(tt.low, "[[x.a]]\nb = 1\n[[") || len(s.Warnings) > 0 {
			t.Errorf("%q below %q: got %q, want %q; %v", tt.low, tt.high, got, tt.want, s.Warnings)
		}
	}
}

// A clone must not widen its own rights, nor send a key elsewhere: what it says of that does not count, with file and
// line.
func TestAFileOfACloneDecidesNothingOfItsRights(t *testing.T) {
	for _, tt := range []struct {
		text    string
		refused string // the levels at which it is refused
	}{
		{`identity = "root"`, "project vault workspace"},
		{"[identity]\nname = \"root\"", "project vault workspace"},
		{`listen = "0.0.0.0:80"`, "project vault workspace"},
		{`trust = ["all"]`, "project vault workspace"},
		{"[trust]\nall = true", "project vault workspace"},
		{`toolsets = ["all"]`, "project vault workspace"},
		{`vault = "../elsewhere"`, "project vault workspace"},
		{`vault = "a/../../elsewhere"`, "project vault workspace"},
		{`vault = "..\\elsewhere"`, "project vault workspace"},
		{`vault = "/elsewhere"`, "project vault workspace"},
		{`vault = 'C:\elsewhere'`, "project vault workspace"},
		{`vault = "/p/.."`, "project vault workspace"},
		{`vault = "/p/plans"`, "vault workspace"},
		{`vault = "plans"`, "vault workspace"},
		{`vault = "../.tanmi-workspace"`, "vault workspace"},
		{`vault = "../../.tanmi-workspace"`, "vault workspace"},
		{`vault = "/.tanmi-workspace"`, "vault workspace"},
		{`vault = "../elsewhere/.tanmi-workspace"`, "project vault workspace"},
		{`vault = "/elsewhere/.tanmi-workspace"`, "project vault workspace"},
		{`git = "ignore"`, "project vault workspace"},
		{"[git]\nwait = \"ignore\"", "project vault workspace"},
		{"git = {wait = \"1ms\"}", "project vault workspace"},
		{"git.wait = \"1ms\"", "project vault workspace"},
		{"[plan]\ncriteria = \"off\"", "project vault workspace"},
		{"[providers.anthropic]\nbase_url = \"https://evil.example\"", "project vault workspace"},
		{"providers = {anthropic = {base_url = \"https://evil.example\"}}", "project vault workspace"},
		{"providers.anthropic.model.base = \"m\"", "project vault workspace"},
		{"[[providers]]\nmodel = \"m\"", "project vault workspace"},
		{"[providers.anthropic]\nmodel = \"m\"", ""},
		{"OPENAI_API_KEY = \"none\"", "user project vault workspace"},
		{"[tool]\nurl = \"https://good.example\"", ""},
	} {
		for _, l := range []Level{User, Project, Vault, Workspace} {
			before := Merge()
			s := Merge(Layer{Level: l, File: "/p/file.toml", Data: []byte("# one\n" + tt.text)})
			var found []string
			for _, w := range s.Warnings {
				if w.Code != CodeSecret {
					found = append(found, w.Code)
				}
				if w.Line < 2 || w.Col == 0 || w.File != "/p/file.toml" || strings.Contains(w.Text, "evil") || strings.Contains(w.Text, "elsewhere") {
					t.Errorf("%s in %s: %v", tt.text, l, w)
				}
			}
			if want := strings.Contains(tt.refused, string(l)); want && (len(found) != 1 || found[0] != CodeRefused && !strings.Contains(tt.text, "[[")) || !want && found != nil {
				t.Errorf("%s in %s: %v; want it to be refused: %v", tt.text, l, s.Warnings, want)
			} else if got := len(s.All) - len(before.All); want == (got > 0) && !strings.Contains(tt.text, "toolsets") &&
				!strings.Contains(tt.text, "criteria") && !strings.Contains(tt.text, "listen") {
				t.Errorf("%s in %s: %d settings more", tt.text, l, got)
			}
		}
	}
}

// A file that does not parse, or cannot be read, is a warning with its line; a key of another type or an unknown one
// too. The lower layers count.
func TestWhatIsWrongInAFileIsAWarning(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"provider = \"x\"\nlist = [\n", "f:2:1: CONFIG_INVALID: is no TOML"},
		{"provider: x\n", "f:1:1: CONFIG_INVALID: is no TOML"},
		{"a = 1\nprovider = 3\n", `f:1:1: CONFIG_INVALID: a is no key that is known`},
		{"\nprovider = 3\n", `f:2:1: CONFIG_INVALID: provider is no text`},
		{"max-tokens = \"many\"\n", `f:1:1: CONFIG_INVALID: max-tokens is no number`},
		{"[replies]\n  form = \"text\"\n", `f:2:3: CONFIG_INVALID: replies.form is none of both, text`},
		{"replies = \"txt\"\n", `f:1:1: CONFIG_INVALID: replies is none of both, text`},
		{"providr = \"x\"\n", `did you mean provider?`},
	} {
		low := Layer{Level: User, Data: []byte("provider = \"low\"\n[other]\nkey = 1\n")}
		s := Merge(low, Layer{Level: Vault, File: "f", Data: []byte(tt.text)})
		if len(s.Warnings) == 0 || !strings.Contains(fmt.Sprint(s.Warnings), tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, s.Warnings, tt.want)
		}
		if at(t, s, "provider").Value != "low" || at(t, s, "other.key").Value != int64(1) {
			t.Errorf("%q: %v", tt.text, s.All)
		}
	}
}

// A key that looks like a secret is found in the files that a clone brings, wherever it stands, and shown nowhere.
func TestSecretsAreFoundAndNotShown(t *testing.T) {
	const hidden = "sk-abcdefgh1234567890"
	for _, text := range []string{
		"[providers.x]\napi_key = \"hidden-as-it-is\"", "[tool]\npassword = 'hidden-as-it-is'", "[tool]\nx = {token = \"hidden-as-it-is\"}",
		"[[tool]]\na = 1\n[[tool]]\nsecret = \"hidden-as-it-is\"", "[tool]\nkeys = [\"" + hidden + "\"]", "[tool]\nanything = \"" + hidden + "\"",
		"[tool]\nurl = \"https://me:hidden-as-it-is@example.org\"", "[tool]\ntext = \"\"\"\n-----BEGIN RSA PRIVATE KEY-----\nhidden-as-it-is\"\"\"",
		"[tool]\napi_key = hidden-as-it-is", "[tool]\napi_key: \"hidden-as-it-is\"", "tool.api-key = \"hidden-as-it-is\"\n = broken",
		"[tool]\napi_keys = [\"hidden-as-it-is\"]", "[tool]\nlist = [{token = \"hidden-as-it-is\"}]", "OPENAI_API_KEY = \"hidden-as-it-is\"",
	} {
		for _, l := range []Level{User, Project, Vault, Workspace} {
			s := Merge(Layer{Level: l, File: "f", Data: []byte("# one\n" + text)})
			found := strings.Contains(fmt.Sprint(s.Warnings), CodeSecret)
			if found != l.tracked() {
				t.Errorf("%s in %s: %v", text, l, s.Warnings)
			}
			for _, w := range s.Warnings {
				if w.Code == CodeSecret && (w.Line < 2 || w.Col == 0) {
					t.Errorf("%s: %v", text, w)
				}
			}
			if all := fmt.Sprint(*s); strings.Contains(all, "hidden") || strings.Contains(all, hidden) {
				t.Errorf("%s in %s is shown: %s", text, l, all)
			}
		}
	}
	if got := string(Masked([]byte("# top\n[a]\nkeys = [\n\"" + hidden + "\"]\nb = 1\ntoken = 'x' # why\n"))); got != "# top\n[a]\nkeys = \"set\"\nb = 1\ntoken = \"set\" # why\n" {
		t.Errorf("masked: %q", got)
	}
	for _, text := range []string{
		"max-tokens = 9", "[tool]\napi_key_env = \"OPENAI_API_KEY\"", "[tool]\napi_key = \"$OPENAI_API_KEY\"", "[tool]\ntokens = 5\ntoken = \"\"", "[tool]\nlist = [{a = 1}]", "[tool]\nx = nan\ny = [inf]",
	} {
		if s := Merge(Layer{Level: Project, File: "f", Data: []byte(text)}); len(s.Warnings) > 0 {
			t.Errorf("%s: %v", text, s.Warnings)
		}
	}
}
