package setup

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"arbor/engine/errs"
)

// TestFilesThatCannotBeEditedAreRefused with their name and, if there is one, the line and column; nothing changes.
func TestFilesThatCannotBeEditedAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		code          errs.Code
		say           string
	}{
		{"no JSON", "{\n  \"mcpServers\": {\n    oops\n", errs.InvalidContent, ".mcp.json:3:5: it is not valid JSON: invalid literal: oops; correct it first"},
		{"cut off", "{\n  \"mcpServers\": {", errs.InvalidContent, ".mcp.json:3:1: it is not valid JSON: "},
		{"only a comment", "// nothing yet", errs.InvalidContent, "not valid JSON"},
		{"two values", "{}\n{}", errs.InvalidContent, ".mcp.json:2:1: "},
		{"a list", "\n[]", errs.InvalidContent, ".mcp.json:2: it is no object"},
		{"UTF-16", "\xff\xfe{\x00}\x00", errs.InvalidContent, ".mcp.json:1:1: "},
		{"servers as a list", "{\n\n  \"mcpServers\": []\n}", errs.InvalidContent, ".mcp.json:3: mcpServers is no object"},
		{"servers as null", "{\"mcpServers\": null}", errs.InvalidContent, ".mcp.json:1: mcpServers is no object"},
		{"servers twice", "{\n  \"mcpServers\": {},\n  \"mcpServers\": {}\n}", errs.InvalidContent, ".mcp.json:3: mcpServers is here twice (first in line 2)"},
		{"servers twice, spelt otherwise", "{\n  \"mcpServers\": {},\n  \"mcp\\u0053ervers\": {}\n}", errs.InvalidContent, ".mcp.json:3: mcpServers is here twice"},
		{"arbor twice", "{\"mcpServers\": {\"arbor\": {},\n \"arbor\": {}}}", errs.InvalidContent, ".mcp.json:2: arbor is here twice"},
		{"too many brackets", strings.Repeat("[", mostBrackets+1), errs.InvalidContent, ".mcp.json: it has more than 262144 brackets"},
		{"deep", "{\"mcpServers\": {\"arbor\": " + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + "}}", errs.InvalidContent, "it is no object, or has a key twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.write(filepath.Join(g.project, ".mcp.json"), tt.content, 0o644)
			opt := g.options("claude-code", "")
			for _, opt.Remove = range []bool{false, true} {
				if got := g.refused(opt, tt.code); !strings.Contains(got, tt.say) {
					t.Errorf("got %q, want %q in it", got, tt.say)
				}
			}
		})
	}
}

// TestEditedEntryNeedsForce to be replaced, and to be removed if it has anything that set-up does not write.
func TestEditedEntryNeedsForce(t *testing.T) {
	const before, after = "{\n  // mine\n  \"mcpServers\": {\n    \"arbor\": ", ",\n    \"x\": {}\n  }\n}\n"
	own := `{"type": "stdio", "command": "arbor", "args": ["mcp"]}`
	const forced = "{\n  // mine\n  \"mcpServers\": {\n    \"x\": {},\n    \"arbor\": {\n      \"type\": \"stdio\",\n" +
		"      \"command\": \"arbor\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
	for _, tt := range []struct {
		entry, say string // say is what differs; "" where nothing does
		ours       bool   // it can be taken out without force
	}{
		{own, "", true},
		{`{"args": ["mcp"], "env": {}, "command": "arbor"}`, "", true},
		{`{"args": [ "mcp", ], /* on PATH */ "command": "ar\u0062or"}`, "", true},
		{`{"command": "arbor", "args": ["mcp", "--profile", "all"]}`, "args", true},
		{`{"command": "/usr/bin/arbor", "args": ["mcp"]}`, "command", true},
		{`{"command": "C:\\bin\\Arbor.EXE", "args": ["mcp", "-C", "${workspaceFolder}"]}`, "args, command", true},
		{`{"type": "stdio", "command": "arbor", "args": ["mcp"], "env": {"ARBOR_VAULT": "plan"}}`, "env", false},
		{`{"type": "stdio", "command": "arbor", "args": ["mcp"], "disabled": true}`, "disabled", false},
		{`{"type": "stdio", "command": "arbor", "args": ["mcp", "-w", "Login"]}`, "args", true},
		{`{"type": "stdio", "command": "arbor", "args": ["mcp", "-C", "/elsewhere"]}`, "args", true},
		{`{"type": "stdio", "command": "arborist", "args": ["mcp"]}`, "command", true},
		{`{"type": "stdio", "command": "arbor"}`, "args", true},
		{`{"type": "http", "url": "http://127.0.0.1:1/mcp"}`, "args, command, type, url", false},
		{`{"type": "stdio", "command": "arbor", "args": ["mcp"], "args": ["mcp"]}`, "it is no object, or has a key twice", false},
		{`{"type": "stdio", "command": "arbor", "args": "mcp"}`, "args", true},
		{`{}`, "args, command", true},
		{`null`, "it is no object, or has a key twice", false},
		{`"arbor"`, "it is no object, or has a key twice", false},
	} {
		g := newGround(t)
		path := filepath.Join(g.project, ".mcp.json")
		content := before + tt.entry + after
		g.write(path, content, 0o600)
		opt := g.options("claude-code", "")
		if tt.say == "" {
			if res := g.run(opt); res.Changed || g.read(path) != content {
				t.Errorf("%s: changed into %s", tt.entry, g.read(path))
			}
		} else if got := g.refused(opt, errs.InvalidContent); !strings.Contains(got, ".mcp.json:4: the server arbor differs from what setup writes ("+tt.say+"); --force replaces or removes it") {
			t.Errorf("%s: %q", tt.entry, got)
		}
		opt.Force = true
		g.run(opt)
		if got := g.read(path); tt.say != "" && got != forced {
			t.Errorf("%s, by force:\n%s", tt.entry, got)
		}
		g.write(path, content, 0o600)
		opt.Force, opt.Remove = false, true
		if !tt.ours {
			if got := g.refused(opt, errs.InvalidContent); !strings.Contains(got, "or removes it") {
				t.Errorf("%s: undone: %q", tt.entry, got)
			}
			opt.Force = true
		}
		g.run(opt)
		if got, want := g.read(path), strings.TrimSuffix(before, "    \"arbor\": ")+after[2:]; got != want {
			t.Errorf("%s: undone\n got %q\nwant %q", tt.entry, got, want)
		}
	}
}

// TestEditedHookNeedsForce in the same way; hooks of others stay.
func TestEditedHookNeedsForce(t *testing.T) {
	file := func(hook string) string {
		return "{\"hooks\": {\"SessionStart\": [{\"matcher\": \"startup\", \"hooks\": [" + hook + ", {\"type\": \"command\", \"command\": \"date\"}]}, 7]}}"
	}
	const (
		foreign = iota // not Arbor's
		edited         // Arbor's, with something in it that set-up does not write
		ours           // Arbor's, started in another way
		equal
	)
	for _, tt := range []struct {
		hook string
		is   int
	}{
		{`{"type": "command", "command": "arbor hook session-start", "timeout": 10}`, equal},
		{`{"timeout": 10, "type": "command", "command": "/opt/arbor hook session-start"}`, ours},
		{`{"type": "command", "command": "\"C:\\Program Files\\arbor.exe\" hook session-start", "timeout": 10}`, ours},
		{`{"type": "command", "command": "/opt/arbor", "args": ["hook", "session-start"], "timeout": 10}`, ours},
		{`{"type": "command", "command": "arbor hook session-start"}`, edited},
		{`{"type": "command", "command": "arbor hook session-start", "timeout": 60}`, edited},
		{`{"type": "command", "command": "arbor hook session-start --vault plan", "timeout": 10}`, ours},
		{`{"type": "command", "command": "arbor hook session-start", "timeout": 10, "statusMessage": "x"}`, edited},
		{`{"type": "command", "command": "arbor", "args": ["hook", "session-start", "-q"], "timeout": 10}`, ours},
		{`{"type": "command", "command": "arbor hook prompt", "timeout": 10}`, foreign},
		{`{"type": "command", "command": "echo arbor hook session-start", "timeout": 10}`, foreign},
		{`{"type": "command", "command": "arborist hook session-start", "timeout": 10}`, foreign},
		{`{"type": "prompt", "prompt": "arbor hook session-start"}`, foreign},
		{`"arbor hook session-start"`, foreign},
	} {
		g := newGround(t)
		path := filepath.Join(g.project, ".claude", "settings.json")
		content := file(tt.hook)
		g.write(path, content, 0o644)
		opt := g.options("claude-code", "")
		opt.Hooks = true
		switch tt.is {
		case foreign, equal:
			g.run(opt)
			if n := strings.Count(g.read(path), "session-start"); n != 1+strings.Count(tt.hook, "session-start") == (tt.is == foreign) {
				t.Errorf("%s: %s", tt.hook, g.read(path))
			}
		default:
			if got := g.refused(opt, errs.InvalidContent); !strings.Contains(got, "settings.json:1: the hook SessionStart differs") {
				t.Errorf("%s: %q", tt.hook, got)
			}
			opt.Force = true
			g.run(opt)
			want := strings.Replace(strings.TrimSuffix(content, "]}}"), tt.hook+", ", "", 1) +
				`, {"hooks": [{"type": "command", "command": "arbor hook session-start", "timeout": 10}]}], "UserPromptSubmit"`
			if got := g.read(path); !strings.HasPrefix(got, want) {
				t.Errorf("%s, by force\n got %s\nwant %s", tt.hook, got, want)
			}
		}
		g.write(path, content, 0o644)
		opt = g.options("claude-code", "")
		if opt.Remove = true; tt.is == edited {
			g.refused(opt, errs.InvalidContent)
			opt.Force = true
		}
		g.run(opt)
		want := content
		if tt.is != foreign {
			want = strings.Replace(content, tt.hook+", ", "", 1)
		}
		if got := g.read(path); got != want {
			t.Errorf("%s: undone\n got %s\nwant %s", tt.hook, got, want)
		}
	}
}

// TestHooksAreUndoneWithTheServer, and only those of Arbor.
func TestHooksAreUndoneWithTheServer(t *testing.T) {
	g := newGround(t)
	before := g.files()
	opt := g.options("claude-code", "")
	opt.Hooks = true
	if res := g.run(opt); len(res.Files) != 2 || !res.Files[0].Made || !res.Files[1].Made {
		t.Errorf("%+v", res)
	}
	opt.Hooks, opt.Remove, opt.DryRun = false, true, true
	if res := g.run(opt); !strings.Contains(res.Files[1].Diff, "--- a/.claude/settings.json\n+++ /dev/null\n") || strings.Contains(strings.Join(g.files(), ""), "x\n") {
		t.Errorf("%+v", res)
	}
	opt.DryRun = false
	g.run(opt)
	if after := g.files(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("undone\n got %q\nwant %q", after, before)
	}
}

// TestSettingsWithoutHooksDoNotStopUndo: the server is removed although the file with hooks cannot be edited.
func TestSettingsWithoutHooksDoNotStopUndo(t *testing.T) {
	for _, tt := range []struct {
		settings string
		want     bool
	}{
		{"{ oops", true},
		{"[]", true},
		{"{ \"command\": \"arbor hook prompt\" oops", false},
	} {
		g := newGround(t)
		opt := g.options("claude-code", "")
		path := g.run(opt).Files[0].Path
		g.write(filepath.Join(g.project, ".claude", "settings.json"), tt.settings, 0o644)
		if opt.Remove = true; !tt.want {
			g.refused(opt, errs.InvalidContent)
			continue
		}
		if res := g.run(opt); len(res.Files) != 1 || !res.Files[0].Removed {
			t.Errorf("%+v", res)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("with the settings %s, %s is still there", tt.settings, path)
		}
		opt.Remove, opt.Hooks = false, true
		g.refused(opt, errs.InvalidContent)
		opt.Remove = true
		g.refused(opt, errs.InvalidContent)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	for _, name := range Clients() {
		g := newGround(t)
		opt := g.options(name, "")
		opt.DryRun, opt.Hooks = true, name == "claude-code"
		before := g.files()
		for _, f := range g.run(opt).Files {
			if !f.Changed || !f.Made || !strings.HasPrefix(f.Diff, "--- /dev/null\n+++ b/") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if after := g.files(); strings.Join(after, "\n") != strings.Join(before, "\n") {
			t.Errorf("%s: a dry run made %q of %q", name, after, before)
		}
	}
}

func TestModeStays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes there")
	}
	g := newGround(t)
	path := filepath.Join(g.home, ".claude.json")
	for _, mode := range []os.FileMode{0o600, 0o640, 0o664, 0o755} {
		g.write(path, "{}\n", mode)
		g.run(g.options("claude-code", User))
		info, err := os.Stat(path)
		if err != nil || info.Mode() != mode {
			t.Errorf("mode %v became %v (%v)", mode, info.Mode(), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	g.run(g.options("claude-code", User))
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("a person's new file has the mode %v (%v), want 0600", info.Mode(), err)
	}
}

// TestLinksAndFoldersAreRefused in the place of a file.
func TestLinksAndFoldersAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	link := func(g ground, to, at string) {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		client, scope string
		make          func(ground)
		say           string
	}{
		"a link out":                  {"cursor", Project, func(g ground) { link(g, "/etc/hosts", filepath.Join(g.project, ".cursor/mcp.json")) }, "it is a link or no file (L"},
		"a link within":               {"cursor", Project, func(g ground) { link(g, "../mcp.json", filepath.Join(g.project, ".cursor/mcp.json")) }, "it is a link or no file (L"},
		"a link to nothing":           {"claude-code", User, func(g ground) { link(g, "nowhere", filepath.Join(g.home, ".claude.json")) }, "it is a link or no file (L"},
		"a folder that leads out":     {"vscode", Project, func(g ground) { link(g, g.home, filepath.Join(g.project, ".vscode")) }, "path escapes from parent"},
		"a folder":                    {"claude-code", Project, func(g ground) { _ = os.Mkdir(filepath.Join(g.project, ".mcp.json"), 0o755) }, "it is a link or no file (d"},
		"a file for a folder":         {"cursor", Project, func(g ground) { g.write(filepath.Join(g.project, ".cursor"), "", 0o644) }, "cannot be read or written"},
		"a file for a folder at home": {"windsurf", User, func(g ground) { g.write(filepath.Join(g.home, ".codeium"), "", 0o644) }, "cannot be read or written"},
		"a file marked as read-only": {"claude-code", User, func(g ground) {
			g.write(filepath.Join(g.home, ".claude.json"), `{"mcpServers": {"arbor": {"command": "arbor", "args": ["mcp", "-C", "`+g.project+`", "--profile", "all"]}}}`, 0o400)
		}, "marked as read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			tt.make(g)
			for _, remove := range []bool{false, true} {
				opt := g.options(tt.client, tt.scope)
				opt.Force = true
				opt.Remove = remove
				if got := g.refused(opt, errs.InvalidPath); !strings.Contains(got, tt.say) {
					t.Errorf("got %q, want %q in it", got, tt.say)
				}
			}
		})
	}
}

// TestFolderInHomeMayBeALink, because people keep their configuration in other places.
func TestFolderInHomeMayBeALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	g := newGround(t)
	dots := filepath.Join(g.project, "dots")
	if err := os.Mkdir(dots, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dots, filepath.Join(g.home, ".cursor")); err != nil {
		t.Fatal(err)
	}
	g.run(g.options("cursor", User))
	if got := g.read(filepath.Join(dots, "mcp.json")); !strings.Contains(got, ServerName) {
		t.Errorf("%s", got)
	}
}

// TestFileThatChangedMeanwhileIsKept: another program writes between reading and writing.
func TestFileThatChangedMeanwhileIsKept(t *testing.T) {
	for name, tt := range map[string]struct {
		before string
		remove bool
		change func(ground, string)
	}{
		"another content":       {"{}", false, func(g ground, path string) { g.write(path, "{ }", 0o644) }},
		"gone":                  {"{}", false, func(g ground, path string) { _ = os.Remove(path) }},
		"there":                 {"", false, func(g ground, path string) { g.write(path, "{}", 0o644) }},
		"changed, to be undone": {"{\"mcpServers\": {\"arbor\": {\"command\": \"arbor\", \"args\": [\"mcp\"]}}}", true, func(g ground, path string) { g.write(path, "{}", 0o644) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			path := filepath.Join(g.project, ".mcp.json")
			if tt.before != "" {
				g.write(path, tt.before, 0o644)
			}
			opt := g.options("claude-code", "")
			opt.Remove = tt.remove
			p, err := placeOf(opt.Client, opt.Scope)
			if err != nil {
				t.Fatal(err)
			}
			files, err := opt.files(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(files[0].read(), files[0].apply(opt.Remove, opt.Force)); err != nil {
				t.Fatal(err)
			}
			tt.change(g, path)
			before := g.files()
			if err := files[0].commit(); errs.As(err).Code != errs.Conflicting {
				t.Errorf("%v, want %s", err, errs.Conflicting)
			}
			if after := g.files(); strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("it made %q of %q", after, before)
			}
		})
	}
}

// TestEmptyFileCountsAsNone: set-up fills it, and undo removes it.
func TestEmptyFileCountsAsNone(t *testing.T) {
	g := newGround(t)
	path := filepath.Join(g.project, ".mcp.json")
	g.write(path, "", 0o644)
	opt := g.options("claude-code", "")
	if res := g.run(opt); !res.Files[0].Made || !strings.HasSuffix(g.read(path), "}\n") {
		t.Errorf("%+v: %q", res, g.read(path))
	}
	opt.Remove = true
	if res := g.run(opt); !res.Files[0].Removed {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s is still there", path)
	}
}
