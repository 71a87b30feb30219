package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/engine/ops"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// untouched fails the test if a vault is looked for or opened.
type untouched struct{ t *testing.T }

func (u untouched) Find(Lookup) (Found, error) {
	u.t.Error("a vault was looked for")
	return Found{}, errs.New(errs.VaultNotFound, "none")
}

func (u untouched) Open(context.Context, Lookup, Mode) (*Vault, error) {
	u.t.Error("the vault was opened")
	return nil, errs.New(errs.VaultNotFound, "none")
}

// refused runs a command line that must be refused before a vault is looked for, and returns the error. --json comes
// after the command, so that it is parsed as a flag of that command.
func refused(t *testing.T, path []string, rest ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	line := slices.Concat(path, []string{"--json"}, rest)
	code := run(t.Context(), &System{Args: line, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &stderr, Dir: os.DevNull, Vaults: untouched{t}}, terminal{})
	var doc struct{ Error errs.Error }
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || code != exitInvalid || doc.Error.Code != errs.InvalidParams || stderr.Len() > 0 {
		t.Errorf("arbor %q\n got %d %s%s\nwant %d and one INVALID_PARAMS", line, code, &out, &stderr, exitInvalid)
	}
	return doc.Error.Message
}

// Every command refuses an empty word or an empty value of a flag: it never means the default.
func TestNothingIsNoName(t *testing.T) {
	words, flags, commands := 0, 0, 0
	each(newRoot(&shell{sys: &System{}}), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		for i := range 3 {
			for _, empty := range []string{"", " \t"} {
				if len(path) == 0 && i > 0 {
					continue // the first word names the command
				}
				rest := append([]string{"x", "y"}[:i:i], empty)
				contains(t, fmt.Sprintf("arbor %q %q", path, rest), refused(t, path, rest...), " is empty; name one")
				words++
			}
		}
		see := func(f *pflag.Flag) {
			name := "--" + f.Name
			line := fmt.Sprintf("arbor %q %s", path, name)
			_, free := f.Annotations[lenient]
			_, isList := f.Value.(pflag.SliceValue)
			switch {
			case free:
			case f.Value.Type() == "string" || isList:
				contains(t, line, refused(t, path, name, ""), name+" is empty; give it a value")
				flags++
			case f.Value.Type() == "int":
				contains(t, line, refused(t, path, name, "-1"), name+" is -1; 0 is the least")
				contains(t, line, refused(t, path, name, "abc"), name+`: a whole number is expected, not "abc"`)
				flags++
			}
		}
		if commands++; commands%8 == 0 { // every eighth command is enough: all commands inherit the same flags
			c.InheritedFlags().VisitAll(see)
		}
		c.LocalFlags().VisitAll(see)
	})
	if words < 200 || flags < 200 {
		t.Errorf("%d words and %d flags were tried", words, flags)
	}
}

// A refusal names a missing word as the command's usage does.
func TestWordName(t *testing.T) {
	root := newRoot(&shell{sys: &System{}})
	for _, tt := range []struct {
		path     string
		i        int
		name     string
		optional bool
	}{
		{"show", 0, "NODE", false}, {"tree", 0, "NODE", true}, {"log", 1, "EVENT", true}, {"problem", 1, "TEXT", true},
		{"add", 0, "TITLE", true},
		{"init", 0, "NAME", true}, {"ref add", 1, "TARGET", false}, {"ref add", 2, "DESC", true}, {"rules add", 0, "RULE", true}, {"rules add", 5, "RULE", true},
		{"ws archive", 0, "WS", true},
	} {
		cmd, _, err := root.Find(strings.Fields(tt.path))
		if err != nil {
			t.Fatal(err)
		}
		_, use := ops.SplitUse(cmd.Use)
		words := wordsOf(use)
		if w := words[min(tt.i, len(words)-1)]; w.name != tt.name || w.optional != tt.optional {
			t.Errorf("word %d of arbor %s is %s, optional %v; want %s, %v", tt.i, tt.path, w.name, w.optional, tt.name, tt.optional)
		}
	}
}

// Errors do not ask for optional words; if there are too many words, they list all that the command takes.
func TestWordsAreCounted(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ line, want string }{
		{"add", "arbor add needs a TITLE, or --like NODE\n"},
		{"add a - b", `arbor add takes a TITLE and - for stdin, and "b" is more`},
		{"docs add", "arbor docs add needs a PATH\n"},
		{"docs add a b c", `arbor docs add takes a PATH and a DESC, and "c" is more`},
		{"docs set", "arbor docs set needs a PATH and a KEY=VALUE\n"},
		{"ref add node-c", "arbor ref add needs a NODE and a TARGET\n"},
		{"ref add node-c node-d a b", `takes a NODE and a TARGET and a DESC, and "b" is more`},
		{"complete", "arbor complete needs a NODE\n"},
		{"start", "arbor start needs a NODE\n"},
		{"set", "arbor set needs a NODE\n"},
		{"node transition node-c", "arbor node transition needs a NODE and an ACTION\n"},
		{"list --status foo", "one of pending, planning, monitoring, implementing, validating, completed, failed, cancelled is expected"},
	} {
		got := w.fails(exitInvalid, strings.Fields(tt.line)...)
		if contains(t, "arbor "+tt.line, got, tt.want); strings.Contains(got, "[") {
			t.Errorf("arbor %s says %q", tt.line, got)
		}
	}
}

// A text may be empty if help says what an empty text does.
func TestEmptyTexts(t *testing.T) {
	w := newWorld(t)
	w.ok("set", "node-c", "--note", "")
	w.ok("problem", "node-c", "It is slow", "--next", "")
	w.ok("start", "node-c", "--reason", "")
}

// A number out of range, or a word that is no number, is refused in plain words. 0 log entries means none.
func TestNumbers(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ line, want string }{
		{"context node-c --budget -5", "-b/--budget is -5; 0 is the least"},
		{"context node-c --log -1", "--log is -1; 0 is the least"},
		{"list -n -1", "-n/--limit is -1; 0 is the least"},
		{"context node-c --budget abc", `--budget: a whole number is expected, not "abc"`},
		{"next --lease abc", `--lease: a length of time such as 30m or 1h30m is expected, not "abc"`},
		{"next --claim=maybe", `--claim: true or false is expected, not "maybe"`},
	} {
		got := w.fails(exitInvalid, strings.Fields(tt.line)...)
		contains(t, "arbor "+tt.line, got, tt.want)
		if strings.Contains(got, "strconv") {
			t.Errorf("arbor %s says %q", tt.line, got)
		}
	}
	w.ok("log", "node-c", "seen by hand")
	contains(t, "context", w.ok("context", "node-c"), "seen by hand")
	if got := w.ok("context", "node-c", "--log", "0"); strings.Contains(got, "seen by hand") {
		t.Errorf("context --log 0 prints a log\n%s", got)
	}
}
