package setup

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/config"
)

func codexSetting(args ...string) setting {
	opt := Options{Project: `/srv/a "b"`, Command: ServerName, Args: args}
	p, _ := placeOf("codex", User)
	return opt.serverSetting(p)
}

// Set-up adds its table and nothing else to a TOML file; a second one changes nothing, and undoing gives back the
// bytes.
func TestUndoGivesBackATOMLFile(t *testing.T) {
	parts := []string{"", "# my settings\n", "model = \"o\" # mine\n", "\n", "[profiles.x]\nmodel = 'y'\n", "[mcp_servers.other]\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"[x]\",\n]\n",
		"[[list]]\na = 1\n", "text = \"\"\"\n[mcp_servers]\ncommand = 1\n\"\"\"\n", "when = 2026-01-01T00:00:00Z\n", "[mcp_servers]\n", "  [ mcp_servers . \"more\" ]\n  x = {a = 1}\n"}
	rapid.Check(t, func(t *rapid.T) {
		old := strings.Join(rapid.Permutation(parts).Draw(t, "parts")[:rapid.IntRange(0, len(parts)).Draw(t, "count")], "")
		if rapid.Bool().Draw(t, "no end") {
			old = strings.TrimSuffix(old, "\n")
		}
		if rapid.Bool().Draw(t, "windows") {
			old = strings.ReplaceAll(old, "\n", "\r\n")
		}
		if rapid.Bool().Draw(t, "mark") {
			old = byteOrderMark + old
		}
		s := codexSetting("--profile", "worker")
		if _, _, err := config.Find([]byte(old), s.key()); err != nil {
			t.Skip(err) // a key after a table that has it, say
		}
		set, err := s.put(old, false, false)
		if err != nil {
			t.Fatalf("set-up of\n%q: %v", old, err)
		}
		entry, _, err := config.Find([]byte(set), s.key())
		want := map[string]any{"command": "arbor", "args": []any{"mcp", "-C", `/srv/a "b"`, "--profile", "worker"}}
		if !reflect.DeepEqual(entry, want) || !strings.HasPrefix(set, old) || strings.Count(set[len(old):], "[mcp_servers") != 1 {
			t.Fatalf("set-up of\n%q\nmakes\n%q, %v", old, set, err)
		}
		if again, err := s.put(set, false, false); err != nil || again != set {
			t.Fatalf("again: %q, %v", again, err)
		}
		if back, err := s.put(set, true, false); err != nil || back != old {
			t.Fatalf("undoing\n%q\n got %q\nwant %q, %v", set, back, old, err)
		}
	})
}

// An entry that set-up has not written is left alone without force. With it, the tables below it go too, and the
// comments around them stay.
func TestTOMLEntriesOfOthers(t *testing.T) {
	const plain = "a = 1\n\n[mcp_servers.arbor]\ncommand = \"other\"\nargs = []\n\n# of x\n[x]\nb = 2\n"
	const rich = "a = 1\n[mcp_servers.arbor]\ncommand = \"arbor\"\nenabled = true\n[x]\nb = 2\n[mcp_servers.arbor.env]\nK = 'v'\n# last\n"
	s := codexSetting()
	for _, tt := range []struct {
		text          string
		remove, force bool
		want          string // "" for an error
		says          string
	}{
		{plain, false, false, "", ":3: the server arbor differs from what setup writes (args, command)"},
		{plain, false, true, "a = 1\n\n\n# of x\n[x]\nb = 2\n\n[mcp_servers.arbor]\ncommand = \"arbor\"\nargs = [\"mcp\", \"-C\", \"/srv/a \\\"b\\\"\"]\n", ""},
		{plain, true, false, "a = 1\n\n\n# of x\n[x]\nb = 2\n", ""},
		{rich, true, false, "", ":2: the server arbor differs from what setup writes (args, enabled, env)"},
		{rich, true, true, "a = 1\n[x]\nb = 2\n# last\n", ""},
		{"mcp_servers = {arbor = {command = 'x'}}\n", true, true, "", "edit the file by hand"},
		{"t = \"\"\"\n[mcp_servers.arbor]\n\"\"\"\n[mcp_servers.arbor]\ncommand = 'arbor'\n", true, false, "t = \"\"\"\n[mcp_servers.arbor]\n\"\"\"\n", ""},
		{"mcp_servers = {other = {command = 'x'}}\n", false, false, "", "by hand"},
		{"mcp_servers = 7\n", false, false, "", "by hand"},
		{"a = \n", false, false, "", ": line 1 is no TOML"},
		{"[mcp_servers]\narbor = 7\n", false, false, "", "it is no object"},
	} {
		got, err := s.put(tt.text, tt.remove, tt.force)
		if tt.want != "" && (err != nil || got != tt.want) {
			t.Errorf("%q, remove %v\n got %q, %v\nwant %q", tt.text, tt.remove, got, err, tt.want)
		}
		if tt.want == "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%q, remove %v: %q, %v, want %s", tt.text, tt.remove, got, err, tt.says)
		}
	}
}
