package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
)

// lay makes a folder with files and folders; names that end in a slash are folders.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o777)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.WriteFile(path, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   map[string]string
		from    string
		flag    string
		env     string
		want    string // the vault, relative
		project string
		why     string
		code    errs.Code
	}{
		{name: "here", files: map[string]string{".tanmi-workspace/": ""}, want: ".tanmi-workspace", project: ".", why: "which is this folder"},
		{name: "above", files: map[string]string{".tanmi-workspace/": "", "a/b/": ""}, from: "a/b", want: ".tanmi-workspace", project: ".", why: "2 folders above"},
		{name: "the nearest", files: map[string]string{".tanmi-workspace/": "", "a/.tanmi-workspace/": "", "a/b/": ""}, from: "a/b", want: "a/.tanmi-workspace", project: "a", why: "one folder above"},
		{name: "none", files: map[string]string{"a/": ""}, from: "a", want: "a/.tanmi-workspace", project: "a", code: errs.VaultNotFound},
		{name: "a file is none", files: map[string]string{".tanmi-workspace": "x"}, want: ".tanmi-workspace", project: ".", code: errs.VaultNotFound},
		{name: "the flag wins", files: map[string]string{".tanmi-workspace/": "", "plans/": "", "other/": ""}, flag: "plans", env: "other", want: "plans", project: ".", why: "--vault"},
		{name: "then the environment", files: map[string]string{".tanmi-workspace/": "", "other/": ""}, env: "other", want: "other", project: ".", why: "ARBOR_VAULT"},
		{name: "a project stands for its vault", files: map[string]string{"p/.tanmi-workspace/": ""}, flag: "p", want: "p/.tanmi-workspace", project: "p", why: "project"},
		{name: "a named one that is missing", files: map[string]string{".tanmi-workspace/": ""}, flag: "nosuch", want: "nosuch", project: ".", code: errs.VaultNotFound},
		{name: "a named file", files: map[string]string{".tanmi-workspace/": "", "f": "x"}, flag: "f", want: "f", project: ".", code: errs.VaultNotFound},
		{name: "arbor.toml", files: map[string]string{"arbor.toml": "vault = \"plans/v\"\n", "plans/v/": "", "a/": "", ".tanmi-workspace/": ""}, from: "a", want: "plans/v", project: ".", why: "arbor.toml"},
		{name: "arbor.toml without the key", files: map[string]string{"arbor.toml": "# vault = 1\n", ".tanmi-workspace/": ""}, want: ".tanmi-workspace", project: ".", why: "this folder"},
		{name: "arbor.toml names one that is missing", files: map[string]string{"arbor.toml": "vault = \"v\"\n"}, want: "v", project: ".", code: errs.VaultNotFound},
		{name: "arbor.toml is broken", files: map[string]string{"arbor.toml": "vault =\n"}, want: ".tanmi-workspace", project: ".", code: errs.InvalidContent},
		{name: "arbor.toml as if it were YAML", files: map[string]string{"arbor.toml": "vault: plan\n", "plan/": ""}, want: ".tanmi-workspace", project: ".", code: errs.InvalidContent},
		{name: "arbor.toml of another type", files: map[string]string{"arbor.toml": "vault = 3\n"}, want: ".tanmi-workspace", project: ".", code: errs.InvalidContent},
		{name: "arbor.toml of a table", files: map[string]string{"arbor.toml": "[vault]\npath = \"v\"\n"}, want: ".tanmi-workspace", project: ".", code: errs.InvalidContent},
		{name: "arbor.toml with an unknown key", files: map[string]string{"arbor.toml": "valut = \"plans\"\n", ".tanmi-workspace/": ""}, want: ".tanmi-workspace", project: ".", code: errs.InvalidContent},
		{name: "arbor.toml with an unknown table", files: map[string]string{"arbor.toml": "vault = \"v\"\n[mcp]\nbudget = 1\n", "v/": ""}, want: "v", project: ".", why: "arbor.toml"},
		{name: "arbor.toml with other settings", files: map[string]string{"arbor.toml": "git = \"1s\"\n", ".tanmi-workspace/": ""}, want: ".tanmi-workspace", project: ".", why: "this folder"},
		{name: "arbor.toml is broken and names no vault", files: map[string]string{"arbor.toml": "git =\n", ".tanmi-workspace/": ""}, want: ".tanmi-workspace", project: ".", why: "this folder"},
		{name: "arbor.toml names one outside of the project", files: map[string]string{"p/arbor.toml": "\nvault = \"../v\"\n", "v/": "", ".tanmi-workspace/": ""}, from: "p", want: "p/.tanmi-workspace", project: "p", code: errs.InvalidContent},
		{name: "arbor.toml names one outside beside a vault", files: map[string]string{"p/arbor.toml": "vault = \"../v\"\n", "v/": "", "p/.tanmi-workspace/": ""}, from: "p", want: "p/.tanmi-workspace", project: "p", why: "this folder"},
		{name: "the person's own file, where there is none", files: map[string]string{"home/.config/arbor/config.toml": "vault = \"~/plans\"\n", "home/plans/": "", "a/": ""}, from: "a", want: "home/plans", project: "home", why: "config.toml"},
		{name: "the person's own file names one outside", files: map[string]string{"home/.config/arbor/config.toml": "vault = \"../v\"\n", "v/": "", "a/": ""}, from: "a", want: "v", project: ".", why: "config.toml"},
		{name: "one that is found counts before the person's", files: map[string]string{"home/.config/arbor/config.toml": "vault = \"~/plans\"\n", "home/plans/": "", ".tanmi-workspace/": ""}, want: ".tanmi-workspace", project: ".", why: "this folder"},
		{name: "the home of TanmiWorkspace", files: map[string]string{".tanmi-workspace/index.json": "{}", ".tanmi-workspace/config.json": "{}", "a/": ""}, from: "a",
			want: "a/.tanmi-workspace", project: "a", code: errs.VaultNotFound},
		{name: "a vault with such files", files: map[string]string{".tanmi-workspace/index.json": "{}", ".tanmi-workspace/config.json": "{}", ".tanmi-workspace/ws-a/Workspace.md": ""},
			want: ".tanmi-workspace", project: ".", why: "this folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := lay(t, tt.files)
			v := vaults{getenv: func(key string) string {
				return map[string]string{vaultVar: tt.env, "HOME": filepath.Join(dir, "home")}[key]
			}}
			got, err := v.Find(cli.Lookup{Dir: filepath.Join(dir, filepath.FromSlash(tt.from)), Vault: tt.flag})
			if code := codeOf(err); code != tt.code {
				t.Fatalf("error %v (%s), want %q", err, code, tt.code)
			}
			if want := filepath.Join(dir, filepath.FromSlash(tt.want)); got.Vault != want {
				t.Errorf("vault %s, want %s", got.Vault, want)
			}
			if want := filepath.Join(dir, filepath.FromSlash(tt.project)); got.Project != want {
				t.Errorf("project %s, want %s", got.Project, want)
			}
			if !strings.Contains(got.Why, tt.why) || got.Exists != (err == nil) {
				t.Errorf("why %q, exists %v; want %q in it, %v", got.Why, got.Exists, tt.why, err == nil)
			}
			if example := `vault = "plans"`; tt.code == errs.InvalidContent && !strings.Contains(err.Error(), example) {
				t.Errorf("%v\nwant %s in it", err, example)
			}
			if tt.code != errs.InvalidContent && len(got.Looked) == 0 {
				t.Error("it does not tell where it looked")
			}
		})
	}
}

func codeOf(err error) errs.Code {
	if e := errs.As(err); e != nil {
		return e.Code
	}
	return ""
}

func TestOpenModes(t *testing.T) {
	dir := lay(t, nil)
	v := vaults{getenv: func(string) string { return "" }}
	place := cli.Lookup{Dir: dir}
	if _, err := v.Open(t.Context(), place, cli.MustExist); codeOf(err) != errs.VaultNotFound {
		t.Errorf("MustExist: %v", err)
	}
	got, err := v.Open(t.Context(), place, cli.Pretend)
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 || got.Made {
		t.Errorf("Pretend made %v", entries)
	}
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
	got, err = v.Open(t.Context(), place, cli.Create)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Made || !got.Found.Exists || !isDir(filepath.Join(dir, ".tanmi-workspace")) {
		t.Errorf("Create: %+v", got.Found)
	}
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
	got, err = v.Open(t.Context(), place, cli.Create)
	if err != nil || got.Made {
		t.Errorf("Create once more: made %v, %v", got.Made, err)
	}
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open(t.Context(), cli.Lookup{Dir: dir, Vault: "file"}, cli.MustExist); codeOf(err) != errs.VaultNotFound {
		t.Errorf("a vault that is missing: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open(t.Context(), cli.Lookup{Dir: dir, Vault: "file"}, cli.Create); codeOf(err) != errs.VaultNotFound {
		t.Errorf("a file in place of the vault: %v", err)
	}
}

// A panic is told in one line, as JSON where that was asked for, with the stack only for who asks.
func TestPanic(t *testing.T) {
	for _, tt := range []struct {
		args []string
		env  map[string]string
	}{{nil, nil}, {[]string{"--json"}, nil}, {nil, map[string]string{"ARBOR_DEBUG": "1"}}} {
		var out, stderr bytes.Buffer
		sys := cli.System{Args: append([]string{"status"}, tt.args...), Stdout: &out, Stderr: &stderr, Dir: lay(t, nil), Getenv: func(key string) string {
			if key == "LANG" || key == vaultVar {
				panic("out of cheese")
			}
			return tt.env[key]
		}}
		if code := run(t.Context(), sys); code != 1 {
			t.Errorf("%q: exit code %d", tt.args, code)
		}
		if len(tt.args) > 0 {
			var doc struct{ Error errs.Error }
			if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc.Error.Code != errs.InternalError {
				t.Errorf("%q prints %q: %v", tt.args, out.String(), err)
			}
		} else if !strings.HasPrefix(stderr.String(), "arbor: this is a bug in arbor: out of cheese; the vault is whole") || out.Len() > 0 {
			t.Errorf("%q says %q, prints %q", tt.args, stderr.String(), out.String())
		}
		if got := strings.Contains(stderr.String(), "goroutine"); got != (tt.env != nil) {
			t.Errorf("with %v the stack is shown: %v", tt.env, got)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	sys := cli.System{Args: []string{"init", "X", "--goal", "x"}, Stdout: &out, Stderr: &stderr, Dir: lay(t, nil), Getenv: func(string) string { return "" }}
	if code := run(ctx, sys); code != 130 {
		t.Errorf("exit code %d, want 130: %s", code, stderr.String())
	}
	if entries, _ := os.ReadDir(sys.Dir); len(entries) > 0 {
		t.Errorf("an interrupted init leaves %v", entries)
	}
}

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-01T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	if got := version(info, true); got != (cli.Version{Version: "v1.2.3", Revision: "0123456789abcdef", Time: "2026-01-01T10:00:00Z", Modified: true, Go: "go1.26"}) {
		t.Errorf("version = %+v", got)
	}
	if got := version(info, true).String(); !strings.HasPrefix(got, "arbor v1.2.3 (0123456789ab, 2026-01-01, modified) go1.26 ") {
		t.Errorf("version = %q", got)
	}
	if got := version(nil, false).Version; got != "(unknown)" {
		t.Errorf("version = %q", got)
	}
}

// TestVersionOverMCP: the server gives the version that arbor admin version prints.
func TestVersionOverMCP(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	var out, stderr bytes.Buffer
	sys := cli.System{
		Args: []string{"mcp"}, Stdin: strings.NewReader(hello), Stdout: &out, Stderr: &stderr, Dir: lay(t, nil),
		Getenv: func(string) string { return "" }, Version: cli.Version{Version: "v1.2.3-law"},
	}
	if code := run(t.Context(), sys); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if !strings.Contains(out.String(), `"version":"v1.2.3-law"`) {
		t.Errorf("the server answers\n%s", out.String())
	}
}

func TestReadTanmiNone(t *testing.T) {
	_, _, err := readTanmi(os.DirFS(lay(t, map[string]string{"file": ""})), ".tanmi-workspace", nil)
	if codeOf(err) != errs.InvalidPath {
		t.Errorf("error %v, want INVALID_PATH", err)
	}
}
