package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// The JSON of any result reads back the same, and has no control characters for a terminal.
func TestJSONLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{"a": rapid.String().Draw(t, "text"), "b": "\u009b\u202e\x7f\x1b<>&"}
		data, err := ops.Sparse(want)
		if err != nil {
			t.Fatal(err)
		}
		data = escaped(data)
		for _, r := range string(data) {
			if r != '\n' && render.Unprintable(r) {
				t.Fatalf("%U stands in %q", r, data)
			}
		}
		var got map[string]string
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%q is no JSON: %v", data, err)
		}
		if got["a"] != strings.ToValidUTF8(want["a"], "\ufffd") || got["b"] != want["b"] {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// Every class of errors has its exit code, and no two share one.
func TestExitCodes(t *testing.T) {
	seen := map[int]errs.Code{}
	for code, want := range map[errs.Code]int{
		errs.InternalError: 1, errs.InvalidParams: 2, errs.AmbiguousID: 2, errs.NodeNotFound: 3, errs.VaultNotFound: 3,
		errs.InvalidTransition: 4, errs.RulesHashMismatch: 4, errs.Conflicting: 5, errs.FileUnreadable: 6, errs.DuplicateID: 6,
	} {
		w := &shell{sys: &System{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}}
		if got := w.finish(t.Context(), errs.New(code, "x"), names{id: whole}); got != want {
			t.Errorf("%s: exit code %d, want %d", code, got, want)
		}
		if other, ok := seen[want]; ok && other.Class() != code.Class() {
			t.Errorf("%s and %s share exit code %d", code, other, want)
		}
		seen[want] = code
	}
	for class := errs.Internal; class <= errs.Unreadable; class++ {
		if _, ok := exitCodes[class]; !ok {
			t.Errorf("class %d has no exit code", class)
		}
	}
	sh := &shell{sys: &System{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}}
	if got := sh.finish(t.Context(), fmt.Errorf("wrapped: %w", usagef("x")), names{id: whole}); got != exitInvalid {
		t.Errorf("a usage error: exit code %d", got)
	}
	if got := sh.finish(t.Context(), errors.New("nobody foresaw this"), names{id: whole}); got != exitInternal {
		t.Errorf("an unforeseen error: exit code %d", got)
	}
}

// --json prints one document on stdout and nothing on stderr, also if the command fails.
func TestJSONIsAlone(t *testing.T) {
	w := newWorld(t)
	for _, args := range [][]string{
		{"status"}, {"tree"}, {"list"}, {"show", "node-c"}, {"context", "node-c"}, {"next"}, {"ws"}, {"ws", "show"}, {"rules"}, {"docs"}, {"ref", "node-c"},
		{"focus"}, {"log"}, {"log", "node-c"}, {"problem"}, {"check"}, {"admin", "where"}, {"admin", "version"}, {"changes", "--since", "1h"},
		{"session", "bind", "Login", "--session", "s"}, {"session", "--session", "s"}, {"session", "unbind", "--session", "s"},
		{"start", "node-c", "--dry-run"}, {"start", "node-c"}, {"start", "node-c"}, {"log", "node-c", "x"}, {"add", "T", "-m", "# H"}, {"add"}, {"show", "nosuch"},
		{"frobnicate"}, {"tree", "--nosuch"}, {"ws", "frobnicate"}, {"list", "--depth", "x"}, {"log", "--as", "x", "-m", "y"}, {"node", "delete", "node-d"},
	} {
		stdout, stderr, code := w.run(append(args, "--json")...)
		var doc map[string]any
		dec := json.NewDecoder(strings.NewReader(stdout))
		if err := dec.Decode(&doc); err != nil || dec.More() {
			t.Errorf("arbor %s --json prints %q: %v", strings.Join(args, " "), stdout, err)
		}
		if stderr != "" {
			t.Errorf("arbor %s --json says %q", strings.Join(args, " "), stderr)
		}
		if _, failed := doc["error"]; failed != (code != exitOK && code != exitUnreadable) {
			t.Errorf("arbor %s --json: exit code %d with %s", strings.Join(args, " "), code, stdout)
		}
	}
}

// A write prints titles: the changed node first, and the nodes that changed with it below. -v adds the files and whole
// ids.
func TestAWriteIsToldInTitles(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ line, want string }{
		{"start node-c", "◐ 登录接口  implementing  node-c\n"},
		{"focus node-d", "○ Sign-in page  has the focus  node-d\n"},
		{"complete node-c -m done", "✓ 登录接口  completed  node-c\n"},
		{"log node-c looked", "✓ 登录接口  logged  node-c\n"},
		{"node update node-d --title Page", "○ Page  title Sign-in page → Page  node-d\n"},
		{"ref add node-d node-c", "○ Page  references + 登录接口  node-d\n"},
		{"node move node-d root", "○ Page  moved below root  node-d\n"},
		{"isolate node-d", "○ Page  isolated  node-d\n"},
		{"complete Backend -m done", "✓ Backend  completed  node-b\n"},
		{"reopen node-c --cascade", "◐ 登录接口  implementing, conclusion moved into the log  node-c\n" +
			"  ◈ Backend  monitoring, conclusion moved into the log  node-b\n"},
		{"add Deep --parent Backend", "○ Deep  added  node-e\n"},
		{"node delete Backend", "Backend  deleted  node-b\n  ○ Page  references 登录接口 expired  node-d\n" +
			"  登录接口  deleted  node-c\n  Deep  deleted  node-e\n"},
		{"rules add Tests-first", "Login  rules 0 → 1  ws-a\n"},
		{"start Page -v", "◐ Page  implementing  node-d\n  3 lines in ws-a/nodes/node-d/Node.md\n"},
		{"fail Page -q -m no", ""},
	} {
		if got := w.ok(strings.Fields(tt.line)...); got != tt.want {
			t.Errorf("arbor %s\n got %q\nwant %q", tt.line, got, tt.want)
		}
	}
	w.stdin = "- A\n  - B\n    - C\n- D\n"
	got := w.ok("add", "-")
	if want := "◈ A  added  node-f\n  ◈ B  added  node-g\n    ○ C  added  node-h\n○ D  added  node-i\n"; got != want {
		t.Errorf("arbor add -\n got %q\nwant %q", got, want)
	}
}

// A tree that is cut to a number of lines takes no more lines, begins as the whole tree does, and counts the nodes that
// it leaves out.
func TestFitLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := 0
		tree := drawTree(t, &nodes, 0)
		lines := rapid.IntRange(2, 40).Draw(t, "lines")
		rows, hidden := fit(tree, lines)
		if got := strings.Count(render.Tree(rows, render.Style{}), "\n"); got > lines {
			t.Fatalf("%d lines are drawn, %d fit", got, lines)
		}
		if len(rows)+hidden != nodes {
			t.Fatalf("%d rows and %d hidden make not the %d nodes there are", len(rows), hidden, nodes)
		}
		if all, none := fit(tree, 0); len(all) != nodes || none != 0 {
			t.Fatalf("without a limit %d of %d nodes are drawn, %d hidden", len(all), nodes, none)
		}
		if nodes <= lines && hidden > 0 {
			t.Fatalf("%d nodes fit into %d lines, and %d are hidden", nodes, lines, hidden)
		}
		if nodes > 0 && (len(rows) == 0 || rows[0].ID != tree[0].ID) {
			t.Fatalf("the first row is %+v", rows)
		}
	})
}

func drawTree(t *rapid.T, nodes *int, depth int) []*ops.TreeNode {
	var all []*ops.TreeNode
	for range rapid.IntRange(0, 5-depth).Draw(t, "children") {
		*nodes++
		n := &ops.TreeNode{ID: fmt.Sprint("n", *nodes), Head: mdstore.Head{Title: "T"}}
		if depth < 4 {
			n.Children = drawTree(t, nodes, depth+1)
		}
		all = append(all, n)
	}
	return all
}

// A parent with many children shows as many as there is room for.
func TestFitManyChildren(t *testing.T) {
	root := &ops.TreeNode{ID: "root"}
	for i := range 5000 {
		root.Children = append(root.Children, &ops.TreeNode{ID: fmt.Sprint(i)})
	}
	rows, hidden := fit([]*ops.TreeNode{root}, 100)
	if len(rows) != 99 || hidden != 4902 || rows[0].Hidden != 4902 {
		t.Errorf("%d rows, %d hidden, %d below the root; want 99, 4902, 4902", len(rows), hidden, rows[0].Hidden)
	}
}
