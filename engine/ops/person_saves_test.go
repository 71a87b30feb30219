package ops_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// personEdits are what people and their tools make of a file that they have read. None puts an older updatedAt back.
var personEdits = map[string]func(string) string{
	"another status":               byLine(`^status: \w+$`, "status: pending"),
	"a status back":                byLine(`^status: \w+$`, "status: implementing"),
	"another title":                byLine(`^title: .*$`, "title: Mine"),
	"a key of their own":           func(s string) string { return strings.Replace(s, "\n---\n", "\ndue: 2026-12-24\n---\n", 1) },
	"a paragraph":                  func(s string) string { return strings.TrimRight(s, "\n") + "\n\n## Mine\n\nwhat I think\n" },
	"without the last line":        func(s string) string { return s[:strings.LastIndex(strings.TrimRight(s, "\n"), "\n")+1] },
	"without the log":              func(s string) string { before, _, _ := strings.Cut(s, "\n## Log"); return before + "\n" },
	"without the first item":       byLine(`^- .*\n`, ""),
	"updatedAt is now":             byLine(`^updatedAt: .*$`, fmt.Sprint("updatedAt: ", time.Now().UnixMilli()+5)),
	"updatedAt as ISO 8601":        byLine(`^updatedAt: .*$`, "updatedAt: 2026-11-26T10:00:00.000Z"),
	"updatedAt in seconds":         byLine(`^updatedAt: .*$`, fmt.Sprintf("updatedAt: %d000", time.Now().Unix())),
	"without updatedAt":            byLine(`^updatedAt: .*\n`, ""),
	"quoted values":                byLine(`^(\w+): ([^"'\s\[{][^\n]*)$`, `$1: "$2"`),
	"CRLF":                         func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"blanks at line ends go":       byLine(`[ \t]+$`, ""),
	"no final newline":             func(s string) string { return strings.TrimRight(s, "\n") },
	"blank lines around headings":  byLine(`^(#+ .*)$`, "\n$1\n"),
	"items with stars":             byLine(`^- `, "* "),
	"null is empty, as properties": byLine(`: null$`, ":"),
	"a tab for two blanks":         byLine(`^  `, "\t"),
}

func byLine(pattern, by string) func(string) string {
	re := regexp.MustCompile("(?m)" + pattern)
	return func(s string) string {
		if by == "" || strings.Contains(pattern, "updatedAt") || strings.Contains(pattern, "^status") || strings.Contains(pattern, "^title") {
			at := re.FindStringIndex(s)
			if at == nil {
				return s
			}
			return s[:at[0]] + re.ReplaceAllString(s[at[0]:at[1]], by) + s[at[1]:]
		}
		return re.ReplaceAllString(s, by)
	}
}

// A save of the newest version stands byte for byte, whatever Arbor wrote before and does then: a command elsewhere
// changes nothing of it, and a command on the file itself makes of it what it makes of the same bytes in a vault that
// remembers nothing.
func TestWhatAPersonSavedStands(t *testing.T) {
	before := calls()
	names := slices.Sorted(func(yield func(string) bool) {
		for n := range personEdits {
			if !yield(n) {
				return
			}
		}
	})
	saves := 0
	enginetest.Check(t, 16, func(rt *rapid.T) {
		v, at := enginetest.Folder(t, plan())
		dir, env := at.Vault, undoingIn(t, v, at)
		was := shared(v)
		for range rapid.IntRange(1, 5).Draw(rt, "operations") {
			c := rapid.SampledFrom(before).Draw(rt, "call")
			if rapid.IntRange(0, 5).Draw(rt, "undo") == 0 {
				c = sample{"undo", nil}
			}
			_, _ = call(t, env, c.op, c.args)
			for p, data := range shared(v) {
				if bytes.Equal(was[p], data) || mdstore.AllKinds().Of(p) == nil || p.IsZipped() || p.Under(mdstore.ArchiveDir) ||
					p.Base() == "elsewhere.md" { // the file that stands has a command write to, and an undo may change
					continue
				}
				text := string(data)
				for range rapid.IntRange(1, 3).Draw(rt, "edits") {
					text = personEdits[rapid.SampledFrom(names).Draw(rt, "edit")](text)
				}
				if text == string(data) {
					continue
				}
				saves++
				enginetest.Put(t, dir, p, []byte(text))
				stands(t, rt, dir, p, text)
				break
			}
			was = shared(v)
		}
	})
	t.Logf("%d saves", saves)
	if saves < 10 {
		t.Errorf("%d saves were looked at, which is too few", saves)
	}
}

// What a save or git takes out, which stands, is told: by the next write, by check, by conflicts, and once to each
// session by changes_get; until the command that it names has written it again.
func TestWhatIsTakenOutIsToldAndComesBack(t *testing.T) {
	v := openEdited(t, -1)
	old, err := os.ReadFile(v.file)
	if err != nil {
		t.Fatal(err)
	}
	note := map[string]any{"nodeId": "hub-0", "note": "an answer that was written down"}
	must(t, v.env, "node_update", note)
	must(t, v.env, "changes_get", map[string]any{"sessionId": "s"})
	if err := os.WriteFile(v.file, old, 0o644); err != nil { // a backup
		t.Fatal(err)
	}
	out, err := ops.LogAppend(tctx, v.env, ops.LogAppendIn{NodeID: "hub-1", Event: "elsewhere"})
	if err != nil || len(out.Met) != 1 || !strings.HasPrefix(out.Met[0].Text, "TAKEN_OUT: ") {
		t.Fatalf("the next write tells of %+v, error %v", out, err)
	}
	id := regexp.MustCompile(`arbor undo (u[0-9a-f]{7}) --again`).FindStringSubmatch(out.Met[0].Text)
	if id == nil {
		t.Fatalf("no command in %s", out.Met[0].Text)
	}
	told := func() (n int) {
		c, err := ops.WorkspaceCheck(tctx, v.env, ops.WorkspaceCheckIn{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Diagnostics {
			if d.Code == "TAKEN_OUT" && strings.Contains(d.Text, id[0]) {
				n++
			}
		}
		s, err := ops.Conflicts(tctx, v.env, ops.ConflictsIn{})
		if err != nil || len(s.Saves) != n {
			t.Errorf("conflicts has %v, check %d, error %v", s, n, err)
		}
		return n
	}
	if n := told(); n != 1 {
		t.Errorf("check tells of it %d times", n)
	}
	for _, session := range []string{"s", "t"} {
		for _, want := range []int{1, 0} {
			got, err := ops.ChangesGet(tctx, v.env, ops.ChangesGetIn{SessionID: session})
			if err != nil || len(got.Met) != want {
				t.Errorf("changes_get tells %s of %v, error %v", session, got.Met, err)
			}
		}
	}
	if now, _ := os.ReadFile(v.file); !bytes.Equal(now, old) {
		t.Errorf("it does not stand:\n%s", now)
	}
	if _, err := ops.UndoOperation(tctx, v.env, ops.UndoIn{Operation: id[1], Again: true}); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(v.file); !strings.Contains(string(now), "an answer that was written down") || !strings.Contains(string(now), "third line") {
		t.Errorf("it is not back:\n%s", now)
	}
	if n := told(); n != 0 {
		t.Errorf("it is back, and check tells of it %d times", n)
	}
	must(t, v.env, "undo", nil)
	if now, _ := os.ReadFile(v.file); strings.Contains(string(now), "an answer that was written down") {
		t.Errorf("what was written again cannot be undone:\n%s", now)
	}
}

// Who saves with the log line of an operation has read what it wrote: what they make of that is told to nobody,
// whatever updatedAt says. A save without it is told.
func TestWhoHasReadAnOperationTakesNothingOut(t *testing.T) {
	for _, read := range []bool{true, false} {
		v, at := enginetest.Folder(t, plan())
		dir, env := at.Vault, undoingIn(t, v, at)
		must(t, env, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": "start"})
		file := filepath.Join(dir, ws, "nodes", "node-a", "Node.md")
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		must(t, env, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": "complete", "conclusion": "done"})
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		save := byLine(`^status: \w+$`, "status: implementing")(string(now))
		if !read {
			save = string(old)
		}
		save = byLine(`^updatedAt: .*$`, fmt.Sprint("updatedAt: ", time.Now().UnixMilli()+5))(save)
		enginetest.Put(t, dir, mdstore.Path(ws+"/nodes/node-a/Node.md"), []byte(save))
		met := env.Engine.Live().Late(context.Background(), false)
		if (len(met) == 0) != read {
			t.Errorf("read %v: told of %v", read, met)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != save {
			t.Errorf("read %v: it does not stand: %v\n%s", read, err, got)
		}
	}
}

// stands fails where a save does not stand through the commands that follow.
func stands(t *testing.T, rt *rapid.T, dir string, p mdstore.Path, text string) {
	t.Helper()
	at := time.Now()
	open := func(dir string) *ops.Env {
		st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { t.Cleanup(func() { st.Close() }) }()
		e, err := engine.Open(tctx, st, engine.Options{Now: func() time.Time { return at }})
		if err != nil {
			t.Fatal(err)
		}
		return &ops.Env{Engine: e}
	}
	now := func(dir string) string {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(string(p))))
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	env := open(dir)
	_, _ = call(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "elsewhere", "text": "a command elsewhere"})
	env.Engine.Live().Late(context.Background(), true)
	if got := now(dir); got != text {
		rt.Fatalf("%s, after a command elsewhere:\n got %q\nwant %q", p, got, text)
	}
	fresh := t.TempDir()
	if err := os.CopyFS(fresh, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(fresh, mdstore.LocalDir)); err != nil {
		t.Fatal(err)
	}
	id := map[string]any{"workspaceId": ws, "event": "on the file itself"}
	if d, _ := mdstore.ParseFile(p, []byte(text), mdstore.AllKinds().Of(p).Form); p.Base() == mdstore.NodeFile {
		f, _ := d.Field(mdstore.KeyID)
		id["nodeId"] = f.Value
	}
	other := open(fresh)
	_, failed := call(t, env, "log_append", id)
	_, oracle := call(t, other, "log_append", id)
	if got, want := now(dir), now(fresh); got != want {
		rt.Fatalf("%s, after a command on it: %v, %v\n got %q\nwant %q", p, failed, oracle, got, want)
	}
}
