package env_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/env"
	"arbor/engine/errs"
)

func TestURIsHaveOneForm(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///src/app": "file:///src/app", "file:///src/./x/../app/": "file:///src/app", "file:///a%20b": "file:///a%20b",
		"file:///a%2520b": "file:///a%2520b", "file:.": "file:.", "file:sub/dir": "file:sub/dir", "file:/abs": "file:///abs",
		"file://localhost/x": "file:///x", "client://laptop/work": "client://laptop/work", "laptop:work": "client://laptop/work", "laptop:/work": "client://laptop/work",
		"vault://session/s-1": "vault://session/s-1", "monad://session/s-1": "vault://session/s-1",
	} {
		a, err := env.ParseURI(uri)
		if err != nil || a.String() != want {
			t.Errorf("%s: %s, %v; want %s", uri, a, err, want)
			continue
		}
		if again, err := env.ParseURI(a.String()); err != nil || again != a {
			t.Errorf("%s is read as %+v, and again as %+v, %v", uri, a, again, err)
		}
	}
	for _, uri := range []string{
		"", "x", "file:..", "file:a/../../b", "file://host/share", "file:///x?y", "http://x/y", "client:///x", "client://a/../b", "client://a/",
		"vault://session/", "vault://session/../x", "vault://other/x", "C:\\x", "file:%zz", "file:a%00b", "file:///a\nb", "client://A b/x",
	} {
		if a, err := env.ParseURI(uri); err == nil {
			t.Errorf("%q is read as %+v", uri, a)
		}
	}
}

// The table of routes of programs, whatever the order in which environments were made.
func TestACallGoesToItsPlace(t *testing.T) {
	tool := func(names ...string) (all []env.Tool) {
		for _, n := range names {
			all = append(all, env.Tool{Name: n})
		}
		return all
	}
	primary := &env.Place{Environment: env.Environment{ID: "me"}, Status: env.Active, Primary: true, Has: tool("read", "write")}
	one := &env.Place{Environment: env.Environment{ID: "one"}, Status: env.Active, Has: tool("read", "test")}
	two := &env.Place{Environment: env.Environment{ID: "two"}, Status: env.Active, Has: tool("test", "build", "write")}
	gone := &env.Place{Environment: env.Environment{ID: "gone"}, Status: env.Missing, Has: tool("read", "only")}
	new := &env.Place{Environment: env.Environment{ID: "new"}, Status: env.Untrusted, Has: tool("read", "fresh")}
	attached := []*env.Place{one, two, gone, new}
	for range 20 {
		places := slices.Insert(slices.Clone(attached), rand.IntN(len(attached)+1), primary) // the order of those attached counts
		for _, c := range []struct {
			tool, named, want string
			code              errs.Code
		}{
			{"read", "", "me", ""}, {"test", "", "one", ""}, {"build", "", "two", ""}, {"write", "", "me", ""},
			{"read", "one", "one", ""}, {"write", "two", "two", ""},
			{"write", "one", "", errs.ToolNotFound}, {"read", "two", "", errs.ToolNotFound}, {"read", "nobody", "", errs.EnvironmentNotFound},
			{"read", "gone", "", errs.EnvironmentMissing}, {"read", "new", "", errs.EnvironmentUntrusted}, {"only", "", "", errs.EnvironmentMissing},
			{"nothing", "", "", errs.ToolNotFound},
		} {
			p, _, err := env.Route(places, env.Target{Tool: c.tool, Environment: c.named})
			switch {
			case c.code == "" && (err != nil || p.ID != c.want):
				t.Errorf("%s in %q: %v, %v; want %s", c.tool, c.named, p, err, c.want)
			case c.code != "" && (err == nil || errs.As(err).Code != c.code):
				t.Errorf("%s in %q: %v; want %s", c.tool, c.named, err, c.code)
			}
		}
	}
}

// The table of routes of tools for files: what the path says counts, and no call ends in the session's own folder
// because the intended place is missing.
func TestAPathGoesToItsPlace(t *testing.T) {
	at := func(id string, status env.Status, paths ...string) *env.Place {
		return &env.Place{Environment: env.Environment{ID: id, Text: strings.Join(paths, " ")}, Status: status, Has: env.BuiltIn()}
	}
	has := func(path string) func(*env.Place) bool {
		return func(p *env.Place) bool { return slices.Contains(strings.Fields(p.Text), path) }
	}
	own := at("me", env.Active)
	own.Primary = true
	one, two := at("one", env.Active, "a", "both", "Notes/n"), at("two", env.Active, "b", "both", "Notes/n")
	without := at("without", env.Active, "a")
	without.Has = nil
	for _, c := range []struct {
		attached          []*env.Place
		path, named, want string
		code              errs.Code
	}{
		{nil, "a", "", "me", ""}, {nil, "", "", "me", ""}, {nil, "Notes/n", "", "me", ""},
		{[]*env.Place{one}, "a", "", "one", ""}, {[]*env.Place{one}, "new", "", "one", ""}, {[]*env.Place{one}, "", "", "one", ""},
		{[]*env.Place{one}, "Notes/n", "", "me", ""}, {[]*env.Place{one}, "./Notes/../Notes", "", "me", ""},
		{[]*env.Place{one}, "Notes.md", "", "one", ""}, {[]*env.Place{one}, "x/Notes/n", "", "one", ""},
		{[]*env.Place{one}, "Notes/n", "one", "one", ""}, {[]*env.Place{one}, "a", "me", "me", ""},
		{[]*env.Place{one, two}, "a", "", "one", ""}, {[]*env.Place{one, two}, "b", "", "two", ""},
		{[]*env.Place{one, two}, "both", "", "", errs.EnvironmentNotFound}, {[]*env.Place{one, two}, "new", "", "", errs.EnvironmentNotFound},
		{[]*env.Place{one, two}, "", "", "", errs.EnvironmentNotFound}, {[]*env.Place{one, two}, "both", "two", "two", ""},
		{[]*env.Place{at("gone", env.Missing)}, "a", "", "", errs.EnvironmentMissing},
		{[]*env.Place{at("new", env.Untrusted, "a")}, "a", "", "", errs.EnvironmentUntrusted},
		{[]*env.Place{at("new", env.Untrusted, "a"), one}, "a", "", "one", ""},
		{[]*env.Place{at("new", env.Untrusted, "a"), one}, "new", "", "", errs.EnvironmentNotFound},
		{[]*env.Place{without}, "a", "", "", errs.ToolNotFound}, {[]*env.Place{without, two}, "new", "", "two", ""},
	} {
		places := append([]*env.Place{own}, c.attached...)
		p, _, err := env.Route(places, env.Target{Tool: "file_read", Path: c.path, Environment: c.named, Exists: has(c.path)})
		switch {
		case c.code == "" && (err != nil || p.ID != c.want):
			t.Errorf("%q in %q of %d: %v, %v; want %s", c.path, c.named, len(c.attached), p, err, c.want)
		case c.code != "" && (err == nil || errs.As(err).Code != c.code):
			t.Errorf("%q in %q of %d: %v; want %s", c.path, c.named, len(c.attached), err, c.code)
		}
	}
}

func TestEveryToolAtEveryLevel(t *testing.T) {
	reads, writes := env.Tool{ReadOnly: true}, env.Tool{}
	runs, looks, asks := env.Tool{Command: []string{"x"}}, env.Tool{Command: []string{"x"}, ReadOnly: true}, env.Tool{ReadOnly: true, Asks: true}
	for _, c := range []struct {
		level                             env.Level
		reads, writes, runs, looks, asked env.Verdict
	}{
		{env.Full, env.Run, env.Run, env.Run, env.Run, env.Ask},
		{env.Restricted, env.Run, env.Ask, env.Ask, env.Run, env.Ask},
		{env.ReadOnly, env.Run, env.Refuse, env.Refuse, env.Refuse, env.Run},
		{"", env.Refuse, env.Refuse, env.Refuse, env.Refuse, env.Refuse},
		{"everything", env.Refuse, env.Refuse, env.Refuse, env.Refuse, env.Refuse},
	} {
		got := []env.Verdict{env.Decide(c.level, reads), env.Decide(c.level, writes), env.Decide(c.level, runs), env.Decide(c.level, looks), env.Decide(c.level, asks)}
		if want := []env.Verdict{c.reads, c.writes, c.runs, c.looks, c.asked}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.level, got, want)
		}
	}
}

func TestTheFifthSameCallIsALoop(t *testing.T) {
	var l env.Loop
	args := json.RawMessage(`{"path":"a"}`)
	for n := range 4 {
		if l.Stuck("e", "t", args) {
			t.Fatalf("call %d is refused", n+1)
		}
		l.Ran("e", "t", args, []byte("same"))
	}
	if !l.Stuck("e", "t", json.RawMessage(`{ "path": "a" }`)) {
		t.Error("the fifth call is not refused")
	}
	if l.Stuck("e", "t", json.RawMessage(`{"path":"b"}`)) || l.Stuck("f", "t", args) {
		t.Error("another call is refused")
	}
	l.Ran("e", "t", args, []byte("other"))
	if l.Stuck("e", "t", args) {
		t.Error("another result begins anew")
	}
}

const schema = `{"properties":{"text":{"type":"string"},"n":{"type":"integer"},"yes":{"type":"boolean"},"one":{"enum":["a","b"]}},"required":["text"]}`

func free(string) bool { return false }

func TestDefinitionsAreChecked(t *testing.T) {
	good := `{"id":"test","description":"d","parametersSchema":` + schema + `,"command":["go","test","${text}"],"timeout":5}`
	tools, wrong := env.ParseTools([]byte(`{"tools":[`+good+`]}`), free)
	if len(tools) != 1 || len(wrong) > 0 {
		t.Fatal(tools, wrong)
	}
	for what, text := range map[string]string{
		"a parameter as program": `{"id":"x","command":["${text}"],"parametersSchema":` + schema + `}`,
		"no command":             `{"id":"x"}`,
		"an unknown key":         `{"id":"x","command":["x"],"shell":true}`,
		"an unknown parameter":   `{"id":"x","command":["x","${other}"]}`,
		"a name with blanks":     `{"id":"x y","command":["x"]}`,
		"LD_PRELOAD":             `{"id":"x","command":["x"],"env":["LD_PRELOAD=a"]}`,
		"PATH":                   `{"id":"x","command":["x"],"env":["PATH=a"]}`,
		"too long":               `{"id":"x","command":["x"],"timeout":601}`,
		"a shell line":           `{"id":"x","command":"rm -rf /"}`,
		"everything to read":     `{"id":"x","command":["x"],"read":["/usr/.."]}`,
		"a relative path":        `{"id":"x","command":["x"],"read":["../x"]}`,
		"all of HOME":            `{"id":"x","command":["x"],"read":["~/"]}`,
	} {
		if tools, wrong := env.ParseTools([]byte("["+text+","+good+"]"), free); len(tools) != 1 || len(wrong) != 1 {
			t.Errorf("%s: %v %v", what, tools, wrong)
		}
	}
	if _, err := env.ParseTool([]byte(good), func(name string) bool { return name == "test" }); err == nil {
		t.Error("the name of a built-in tool is taken")
	}
	a, _ := env.ParseTool([]byte(good), free)
	if env.Digest(a) != env.Digest(tools[0]) {
		t.Error("a digest is of the definition, wherever it comes from")
	}
	for was, now := range map[string]string{`"go"`: `"gone"`, `"timeout":5`: `"timeout":5,"network":true`, `"description":"d"`: `"description":"d","read":["~/.pyenv"]`} {
		b, err := env.ParseTool([]byte(strings.Replace(good, was, now, 1)), free)
		if err != nil || env.Digest(a) == env.Digest(b) {
			t.Errorf("a digest is of the exact definition: with %s it is the same, %v", now, err)
		}
	}
}

// What is given as a parameter arrives as it is, as a part of one argument.
func TestArgumentsArriveAsTheyAre(t *testing.T) {
	tool, err := env.ParseTool([]byte(`{"id":"x","parametersSchema":`+schema+`,"command":["prog","--text=${text}","${text}","${n}","${yes}","end"]}`), free)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a b", `"'`, "-rf", "--", "a\nb", "$(x)", "${n}", "`x`", "*"})).Draw(t, "text"), "\x00", "")
		given := map[string]any{"text": text}
		want := []string{"prog", "--text=" + text, text}
		if rapid.Bool().Draw(t, "n") {
			given["n"] = -3
			want = append(want, "-3")
		}
		args, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		if argv, err := env.Argv(tool, args); err != nil || !slices.Equal(argv, append(want, "end")) {
			t.Fatalf("%q: %q, %v", text, argv, err)
		}
	})
	for what, args := range map[string]string{
		"a missing one": `{}`, "an unknown one": `{"text":"x","more":1}`, "another type": `{"text":1}`, "no integer": `{"text":"x","n":1.5}`,
		"none of the values": `{"text":"x","one":"c"}`, "no object": `[]`, "a NUL": `{"text":"a\u0000b"}`,
	} {
		if argv, err := env.Argv(tool, json.RawMessage(args)); err == nil {
			t.Errorf("%s: %q", what, argv)
		}
	}
}
