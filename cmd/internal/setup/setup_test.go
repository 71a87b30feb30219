package setup

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"arbor/engine/errs"
)

var update = flag.Bool("update", false, "rewrite what the examples expect")

// A ground is a home and a project in folders of their own.
type ground struct {
	t             *testing.T
	home, project string
}

func newGround(t *testing.T) ground {
	g := ground{t, filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "my project")}
	for _, d := range []string{g.home, g.project} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (g ground) options(client, scope string) Options {
	return Options{Client: client, Scope: scope, Project: g.project, Home: g.home, GOOS: "linux", Getenv: func(string) string { return "" }}
}

func (g ground) run(opt Options) *Result {
	g.t.Helper()
	res, err := Run(opt)
	if err != nil {
		g.t.Fatalf("%s %s: %v", opt.Client, opt.Scope, err)
	}
	return res
}

// refused runs a set-up that is to fail with a code, and returns its message.
func (g ground) refused(opt Options, code errs.Code) string {
	g.t.Helper()
	before := g.files()
	_, err := Run(opt)
	var e *errs.Error
	if !errors.As(err, &e) || e.Code != code {
		g.t.Fatalf("%s %s: %v, want %s", opt.Client, opt.Scope, err, code)
	}
	if after := g.files(); !slices.Equal(before, after) {
		g.t.Fatalf("%s %s refused with %v, and changed\n%q\ninto\n%q", opt.Client, opt.Scope, err, before, after)
	}
	return e.Message
}

// files returns every file with its mode and content, and every folder.
func (g ground) files() []string {
	g.t.Helper()
	var all []string
	for _, dir := range []string{g.home, g.project} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			content := ""
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				content = string(data)
			}
			all = append(all, info.Mode().String()+" "+path+" "+content)
			return nil
		})
		if err != nil {
			g.t.Fatal(err)
		}
	}
	return all
}

func (g ground) write(path, content string, mode fs.FileMode) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		g.t.Fatal(err)
	}
}

func (g ground) read(path string) string {
	g.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(data)
}

// TestExamples sets up in every file of testdata/setup/CLIENT.SCOPE[.hooks]/STYLE.before, compares with STYLE.after,
// and undoes it. An example without .before has no file to begin with.
func TestExamples(t *testing.T) {
	afters, err := filepath.Glob("testdata/setup/*/*.after")
	befores, err2 := filepath.Glob("testdata/setup/*/*.before")
	if err != nil || err2 != nil || len(afters) == 0 || len(befores) == 0 {
		t.Fatalf("no examples: %v, %v", err, err2)
	}
	var names []string
	for _, path := range append(afters, befores...) {
		names = append(names, strings.TrimSuffix(path, filepath.Ext(path)))
	}
	slices.Sort(names)
	seen := map[string]bool{}
	for _, name := range slices.Compact(names) {
		form := filepath.Base(filepath.Dir(name))
		seen[form] = true
		t.Run(form+"/"+filepath.Base(name), func(t *testing.T) { example(t, name, strings.Split(form, ".")) })
	}
	for _, p := range places {
		if form := p.client + "." + p.scope; p.client != Agents && p.whole == nil && !seen[form] || p.hooks != nil && !seen[form+".hooks"] {
			t.Errorf("%s has no example", form)
		}
	}
}

func example(t *testing.T, name string, words []string) {
	const project = "/srv/my project" // stands for it in the examples
	g := newGround(t)
	opt := g.options(words[0], words[1])
	opt.Hooks = len(words) > 2
	p, err := placeOf(words[0], words[1])
	if err != nil {
		t.Fatal(err)
	}
	files, err := opt.files(p)
	if err != nil {
		t.Fatal(err)
	}
	file := files[len(files)-1]
	path := file.path
	before, err := os.ReadFile(name + ".before")
	there := err == nil
	if there {
		g.write(path, string(before), 0o640)
	}
	start := g.files()
	res := g.run(opt)
	f := res.Files[len(res.Files)-1]
	if f.Path != path || !f.Changed || f.Made == there || f.Removed || !res.Changed {
		t.Errorf("set up: %+v", f)
	}
	set := g.read(path)
	got := strings.ReplaceAll(set, g.project, project)
	if *update {
		if err := os.WriteFile(name+".after", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name + ".after")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("set up in %q\n got %q\nwant %q", before, got, want)
	}
	if again := g.run(opt); again.Changed || again.Files[0].Changed || g.read(path) != set {
		t.Errorf("set up twice: %+v, %q", again, g.read(path))
	}
	opt.Remove, opt.Hooks = true, false
	res = g.run(opt)
	if i := slices.IndexFunc(res.Files, func(f FileResult) bool { return f.Path == path }); i < 0 || !res.Files[i].Changed || res.Files[i].Removed == there || res.Files[i].Made {
		t.Errorf("undone: %+v", res.Files)
	}
	if there { // an empty object or list may be left
		form{name, file.settings, nil}.undone(t, string(before), set, g.read(path))
	}
	if again := g.run(opt); again.Changed {
		t.Errorf("undone twice: %+v", again)
	}
	if there {
		g.write(path, string(before), 0o640)
	}
	if end := g.files(); !slices.Equal(start, end) && (words[1] == Project || there) {
		t.Errorf("undone\n got %q\nwant %q", end, start)
	}
}

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		client, scope, goos string
		env                 map[string]string
		want                []string
	}{
		{"claude-code", "", "linux", nil, []string{"/p/.mcp.json", "/p/.claude/settings.json"}},
		{"claude-code", "user", "linux", nil, []string{"/h/.claude.json", "/h/.claude/settings.json"}},
		{"claude-code", "user", "darwin", map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, []string{"/c/.claude.json", "/c/settings.json"}},
		{"cursor", "", "linux", nil, []string{"/p/.cursor/mcp.json"}},
		{"cursor", "user", "windows", nil, []string{"/h/.cursor/mcp.json"}},
		{"vscode", "", "linux", nil, []string{"/p/.vscode/mcp.json"}},
		{"vscode", "user", "linux", nil, []string{"/h/.config/Code/User/mcp.json"}},
		{"vscode", "user", "linux", map[string]string{"XDG_CONFIG_HOME": "/x"}, []string{"/x/Code/User/mcp.json"}},
		{"vscode", "user", "freebsd", nil, []string{"/h/.config/Code/User/mcp.json"}},
		{"vscode", "user", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x"}, []string{"/h/Library/Application Support/Code/User/mcp.json"}},
		{"vscode", "user", "windows", map[string]string{"APPDATA": "/a"}, []string{"/a/Code/User/mcp.json"}},
		{"vscode", "user", "windows", nil, []string{"/h/AppData/Roaming/Code/User/mcp.json"}},
		{"vscode", "user", "windows", map[string]string{"VSCODE_PORTABLE": "/d", "APPDATA": "/a"}, []string{"/d/user-data/User/mcp.json"}},
		{"windsurf", "", "linux", nil, []string{"/h/.codeium/windsurf/mcp_config.json"}},
	} {
		opt := Options{Client: tt.client, Scope: tt.scope, Project: "/p", Home: "/h", GOOS: tt.goos, Getenv: func(k string) string { return tt.env[k] }, Hooks: tt.client == "claude-code"}
		p, err := placeOf(tt.client, tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		files, err := opt.files(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, filepath.ToSlash(f.path))
		}
		if !slices.Equal(got, tt.want) && runtime.GOOS != "windows" {
			t.Errorf("%s %s on %s with %v\n got %v\nwant %v", tt.client, tt.scope, tt.goos, tt.env, got, tt.want)
		}
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	g := newGround(t)
	with := func(f func(*Options)) Options {
		opt := g.options("claude-code", "project")
		f(&opt)
		return opt
	}
	for _, tt := range []struct {
		opt  Options
		code errs.Code
		say  string
	}{
		{with(func(opt *Options) { opt.Client = "cursr" }), errs.InvalidParams, "set-up knows claude-code, cursor, vscode, windsurf"},
		{with(func(opt *Options) { opt.Scope = "global" }), errs.InvalidParams, "Claude Code knows project, user"},
		{with(func(opt *Options) { opt.Client = "windsurf" }), errs.InvalidParams, "Windsurf knows user"},
		{with(func(opt *Options) { opt.Client, opt.Hooks = "vscode", true }), errs.InvalidParams, "VS Code has none"},
		{with(func(opt *Options) { opt.Project = "" }), errs.InvalidPath, "absolute path"},
		{with(func(opt *Options) { opt.Project = "here" }), errs.InvalidPath, "absolute path"},
		{with(func(opt *Options) { opt.Project = filepath.Join(g.project, "gone") }), errs.InvalidPath, "cannot be read"},
		{with(func(opt *Options) { opt.Command = "/usr/local/bin/arbor" }), errs.InvalidParams, "no path of one machine"},
		{with(func(opt *Options) { opt.Scope, opt.Home = "user", "" }), errs.InvalidPath, "HOME is"},
		{with(func(opt *Options) { opt.Client, opt.Scope, opt.Project = "windsurf", "", "" }), errs.InvalidPath, "name the project"},
		{with(func(opt *Options) { opt.Scope, opt.Getenv = "user", func(string) string { return "not/absolute" } }), errs.InvalidPath, "CLAUDE_CONFIG_DIR"},
	} {
		if got := g.refused(tt.opt, tt.code); !strings.Contains(got, tt.say) {
			t.Errorf("%+v\n got %q\nwant %q in it", tt.opt, got, tt.say)
		}
	}
	_, err := Run(with(func(opt *Options) { opt.Client = "cursr" }))
	if e := errs.As(err); e.Details == nil || e.Details.Nearest != "cursor" {
		t.Errorf("cursr: the nearest is %+v", e.Details)
	}
}

// TestProjectEntriesNameNoPath, because they are committed.
func TestProjectEntriesNameNoPath(t *testing.T) {
	for _, name := range Clients() {
		if !slices.Contains(Scopes(name), Project) {
			continue
		}
		g := newGround(t)
		opt := g.options(name, Project)
		opt.Hooks = slices.Contains(HookClients(), name)
		for _, f := range g.run(opt).Files {
			if got := g.read(f.Path); strings.Contains(got, g.project) || strings.Contains(got, g.home) {
				t.Errorf("%s: %s", f.Path, got)
			}
		}
	}
}

func TestUserEntriesNameTheProjectOrNone(t *testing.T) {
	for name, want := range map[string]string{"claude-code": `"args": ["mcp", "--profile", "worker"]`, "cursor": `"args": ["mcp", "-C", "${workspaceFolder}", "--profile", "worker"]`, "vscode": `"args": ["mcp", "-C", "${workspaceFolder}", "--profile", "worker"]`} {
		g := newGround(t)
		opt := g.options(name, User)
		opt.Args, opt.Command = []string{"--profile", "worker"}, "/usr/local/bin/arbor"
		project, _ := json.Marshal(g.project)
		path := g.run(opt).Files[0].Path
		if got := g.read(path); !strings.Contains(got, `"args": ["mcp", "-C", `+string(project)+`, "--profile", "worker"]`) || !strings.Contains(got, `"/usr/local/bin/arbor"`) {
			t.Errorf("%s for a project: %s", name, got)
		}
		opt.Project = ""
		if got := g.refused(opt, errs.InvalidContent); !strings.Contains(got, "args") {
			t.Errorf("%s for any project over one for a project: %q", name, got)
		}
		opt.Force = true
		g.run(opt)
		if got := g.read(path); !strings.Contains(got, want) {
			t.Errorf("%s for any project: %s", name, got)
		}
	}
}

func TestResultAsJSON(t *testing.T) {
	g := newGround(t)
	opt := g.options("cursor", "")
	opt.DryRun = true
	got, err := json.MarshalIndent(g.run(opt), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path, _ := json.Marshal(filepath.Join(g.project, ".cursor", "mcp.json"))
	want := `{
  "client": "cursor",
  "scope": "project",
  "changed": true,
  "dryRun": true,
  "files": [
    {
      "path": ` + string(path) + `,
      "changed": true,
      "made": true,
      "diff": "--- /dev/null\n+++ b/.cursor/mcp.json\n@@ -0,0 +1,9 @@\n+{\n+  \"mcpServers\": {\n+    \"arbor\": {\n+      \"type\": \"stdio\",\n+      \"command\": \"arbor\",\n+      \"args\": [\"mcp\", \"-C\", \"${workspaceFolder}\"]\n+    }\n+  }\n+}\n"
    }
  ],
  "hint": "this is a preview; nothing was written"
}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Where the PATH does not lead to the program that runs, the entry names that one, and the result says so; a path that
// a caller gives is still none for a project.
func TestTheCommandExists(t *testing.T) {
	const program = "/opt/arbor/bin/arbor"
	for _, form := range [][2]string{{"claude-code", Project}, {"codex", User}} {
		g := newGround(t)
		opt := g.options(form[0], form[1])
		opt.Program = program
		res := g.run(opt)
		if text := g.read(res.Files[0].Path); !strings.Contains(text, program) || !strings.Contains(res.Hint, program) {
			t.Errorf("%v: %s\n%s", form, res.Hint, text)
		}
		if commit := strings.Contains(res.Hint, "do not commit"); commit != (form[1] == Project) {
			t.Errorf("%v: %s", form, res.Hint)
		}
		opt.Remove = true
		if res := g.run(opt); !res.Changed || strings.Contains(res.Hint, program) {
			t.Errorf("%v: undone: %+v", form, res)
		}
		opt.Remove, opt.Command = false, "mine"
		if res := g.run(opt); strings.Contains(res.Hint, program) || strings.Contains(g.read(res.Files[0].Path), program) {
			t.Errorf("%v: a command that is given: %s", form, res.Hint)
		}
	}
}
