package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"arbor/context/render"
)

// On a terminal, drawings are as wide as the terminal, also with wide characters.
func TestDrawingsFitTheTerminal(t *testing.T) {
	w := newWorld(t)
	w.ok("add", strings.Repeat("很长的标题 ", 20)+"完", "--parent", "Backend", "-m", "x")
	w.ok("add", strings.Repeat("🦉", 60), "-m", "x")
	for _, width := range []int{50, 80, 120} {
		w.term = terminal{out: true, width: width}
		w.env["NO_COLOR"] = "1"
		for _, args := range [][]string{{"tree"}, {"list"}, {"status"}, {"ws", "list"}, {"next", "-n", "9"}} {
			for line := range strings.Lines(w.ok(args...)) {
				if got := render.Columns(strings.TrimSuffix(line, "\n")); got > width {
					t.Errorf("arbor %s on %d columns: a line takes %d: %q", strings.Join(args, " "), width, got, line)
				}
			}
		}
	}
}

// The columns of a table are aligned, and the header is printed on terminals only.
func TestTableIsAligned(t *testing.T) {
	w := newWorld(t)
	want := `root    ◈ monitoring  planning   Login
node-b  ◈ monitoring  planning   Backend
node-c  ○ pending     execution  登录接口
node-d  ○ pending     execution  Sign-in page
`
	if got := w.ok("list"); got != want {
		t.Errorf("arbor list\n got\n%s\nwant\n%s", got, want)
	}
	w.term, w.env["NO_COLOR"] = terminal{out: true}, "1"
	if got := w.ok("list"); got != "ID      STATUS        TYPE       TITLE\n"+want {
		t.Errorf("arbor list on a terminal\n got\n%s", got)
	}
}

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		name  string
		out   bool
		env   map[string]string
		flags []string
		want  bool
	}{
		{"a pipe", false, nil, nil, false},
		{"a terminal", true, nil, nil, true},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, nil, false},
		{"NO_COLOR empty", true, map[string]string{"NO_COLOR": ""}, nil, true},
		{"TERM=dumb", true, map[string]string{"TERM": "dumb"}, nil, false},
		{"--no-color", true, nil, []string{"--no-color"}, false},
		{"forced on a pipe", false, map[string]string{"CLICOLOR_FORCE": "1"}, nil, true},
		{"CLICOLOR_FORCE=0", false, map[string]string{"CLICOLOR_FORCE": "0"}, nil, false},
		{"forced and forbidden", true, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, nil, false},
	} {
		w := newWorld(t)
		for k, v := range tt.env {
			w.env[k] = v
		}
		w.term = terminal{out: tt.out}
		if got := strings.Contains(w.ok(append(tt.flags, "tree")...), "\x1b["); got != tt.want {
			t.Errorf("%s: colours %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Texts from a vault are printed without control sequences, also to a pipe, which may end at a terminal. Only a diff to
// a pipe is unchanged, so that it can be applied.
func TestTextOnTerminals(t *testing.T) {
	w := newWorld(t)
	w.ok("set", "node-c", "--note", "before \u202e after \u009b1m")
	for _, args := range [][]string{{"show", "node-c"}, {"context", "node-c"}} {
		if got := w.ok(args...); !strings.Contains(got, "before  after \n") {
			t.Errorf("arbor %s prints to a pipe %q", args[0], got)
		}
	}
	if got := w.ok("--json", "show", "node-c"); !strings.Contains(got, `before \u202e after \u009b1m`) {
		t.Errorf("arbor show --json changes the text: %q", got)
	}
	if got := w.ok("set", "node-c", "--note", "\u009b2m", "--dry-run"); !strings.Contains(got, "+\u009b2m") {
		t.Errorf("a diff that is piped is changed: %q", got)
	}
	w.term = terminal{out: true, width: 80}
	for _, args := range [][]string{{"show", "node-c"}, {"context", "node-c"}, {"--json", "show", "node-c"}, {"node", "update", "node-c", "--note", "\u009b2m", "--dry-run"}} {
		got := w.ok(args...)
		for _, r := range regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(got, "") {
			if r != '\n' && r != '\t' && render.Unprintable(r) {
				t.Errorf("arbor %s: %U reaches the terminal", strings.Join(args, " "), r)
			}
		}
	}
}

func TestConfirmation(t *testing.T) {
	w := newWorld(t)
	w.term = terminal{in: true, err: true}
	for _, answer := range []string{"n\n", "\n", "", "nothing of it\n"} {
		w.stdin = answer
		contains(t, "asked", w.fails(exitInvalid, "rm", "node-c"), "Move node-c to the trash (1 node)? [y/N]", "nothing was changed")
	}
	w.ok("show", "node-c")
	w.stdin = "y\n"
	w.ok("rm", "node-c")
	w.fails(exitNotFound, "show", "node-c")

	w.stdin = ""
	w.ok("rm", "node-d", "--yes") // no question
	w.term = terminal{}
	w.ok("rm", "node-b") // no terminal to ask at
	w.term, w.stdin = terminal{in: true, err: true}, "no\n"
	contains(t, "asked", w.fails(exitInvalid, "ws", "rm", "Login", "--force"), "Move the workspace Login with 1 node")
	w.ok("ws", "rm", "Login", "--force", "-y")
}

// A read from a terminal ends when the command is interrupted.
func TestInterrupt(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, wr := io.Pipe()
	defer wr.Close()
	reading := readerFunc(func(p []byte) (int, error) {
		cancel() // the person presses Ctrl-C while the command waits
		return r.Read(p)
	})
	_, stderr, code := w.runIn(ctx, reading, "log", "node-c", "-")
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d; %s", code, exitInterrupted, stderr)
	}
	contains(t, "interrupted", stderr, "interrupted; nothing was changed")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestEditor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editors of this test are shell scripts")
	}
	w := newWorld(t)
	t.Setenv("TMPDIR", w.dir)
	w.term = terminal{in: true, out: true}
	kept := func() []string {
		found, _ := filepath.Glob(filepath.Join(w.dir, "arbor-*.md"))
		return found
	}

	// The editor begins with the current text; all of the saved text is used.
	w.editor(`cp "$1" ` + w.dir + `/was; printf '# Heading\nC:\\new\n' > "$1"`)
	w.ok("set", "node-c", "--section", "requirement", "-e")
	if was, _ := os.ReadFile(filepath.Join(w.dir, "was")); string(was) != "POST /sign-in" {
		t.Errorf("the editor began with %q", was)
	}
	contains(t, "show", w.ok("show", "node-c"), "### Heading\nC:\\new\n")
	if k := kept(); len(k) > 0 {
		t.Errorf("files are left after success: %q", k)
	}

	// If the call fails, the edited file is kept, and the error names it.
	w.editor(`echo "a long conclusion" > "$1"`)
	stderr := w.fails(exitRefused, "complete", "root", "-e")
	k := kept()
	if len(k) != 1 {
		t.Fatalf("kept %q after a refusal", k)
	}
	contains(t, "refused", stderr, "your text is kept in "+k[0])
	if text, _ := os.ReadFile(k[0]); string(text) != "a long conclusion\n" {
		t.Errorf("the kept file holds %q", text)
	}
	os.Remove(k[0])

	w.editor(`: > "$1"`)
	stderr = w.fails(exitInvalid, "log", "node-c", "-e")
	contains(t, "empty", stderr, "came back empty")
	if k := kept(); len(k) > 0 || strings.Contains(stderr, "is kept") {
		t.Errorf("an empty text is kept: %q, %s", k, stderr)
	}
	w.editor(`exit 3`)
	contains(t, "failed", w.fails(exitInvalid, "log", "node-c", "-e"), "failed", "set VISUAL or EDITOR")
	w.env["VISUAL"] = "sh -c 'echo visual > \"$1\"' x"
	w.ok("log", "node-c", "-e")
	contains(t, "log", w.ok("log", "node-c"), "visual")

	w.term = terminal{}
	contains(t, "no terminal", w.fails(exitInvalid, "log", "node-c", "-e"), "an editor needs a terminal")
}

func TestASCII(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("locales are not named so on Windows")
	}
	w := newWorld(t)
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{}, false},
		{map[string]string{"LANG": "en_US.UTF-8"}, false},
		{map[string]string{"LANG": "en_US.utf8"}, false},
		{map[string]string{"LANG": "C"}, true},
		{map[string]string{"LANG": "zh_CN.GB18030"}, true},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, false},
		{map[string]string{"LANG": "C.UTF-8", "LC_ALL": "POSIX"}, true},
	} {
		w.env = tt.env
		if got := strings.Contains(w.ok("tree"), "[*] Login"); got != tt.want {
			t.Errorf("with %v the tree is ASCII: %v, want %v", tt.env, got, tt.want)
		}
	}
	w.env = map[string]string{"LANG": "C"}
	contains(t, "report", w.ok("set", "node-c", "--title", "T"), "[ ] T  title 登录接口 -> T  node-c")
}
