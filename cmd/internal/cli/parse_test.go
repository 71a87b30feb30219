package cli

import (
	"context"
	"flag"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// parse runs a command that a test made, with that command line.
func parse(t *testing.T, sh *shell, cmd *cobra.Command, args ...string) error {
	t.Helper()
	root := &cobra.Command{Use: "arbor", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(sh.flagError)
	sh.globalFlags(root)
	root.AddCommand(cmd)
	sh.strict(cmd)
	root.SetArgs(append([]string{cmd.Name()}, args...))
	return root.ExecuteContext(t.Context())
}

// parsed runs the command line of a command that only parses it.
func parsed(t *testing.T, sh *shell, c command, args ...string) error {
	t.Helper()
	c.instead = func(context.Context) (bool, error) { return true, nil }
	cmd := sh.command(c)
	sh.flagged[cmd]()
	return parse(t, sh, cmd, args...)
}

func TestParseTransition(t *testing.T) {
	sh := &shell{sys: &System{}}
	v := verb{do: statemachine.Complete, summary: "complete", concludes: true}
	for _, tt := range []struct {
		args []string
		want ops.NodeTransitionIn
		text textSource
	}{
		{[]string{"n"}, ops.NodeTransitionIn{NodeID: "n"}, textSource{}},
		{[]string{"n", "-m", "a\\n"}, ops.NodeTransitionIn{NodeID: "n"}, textSource{hasMsg: true, message: "a\\n"}},
		{[]string{"n", "-m", ""}, ops.NodeTransitionIn{NodeID: "n"}, textSource{hasMsg: true}},
		{[]string{"-F", "f", "n", "--cascade"}, ops.NodeTransitionIn{NodeID: "n", Cascade: true}, textSource{file: "f"}},
		{[]string{"n", "-", "--reason", "r"}, ops.NodeTransitionIn{NodeID: "n", Reason: "r"}, textSource{word: ptr("-")}},
		{[]string{"n", "-e"}, ops.NodeTransitionIn{NodeID: "n"}, textSource{edit: true}},
		{[]string{"n", "o", "p", "-m", "x"}, ops.NodeTransitionIn{NodeID: "n", Several: ops.Several{Nodes: []string{"o",
			"p"}}}, textSource{hasMsg: true, message: "x"}},
		{[]string{"n", "o", "-"}, ops.NodeTransitionIn{NodeID: "n", Several: ops.Several{Nodes: []string{"o"}}},
			textSource{word: ptr("-")}},
		{[]string{"--", "-n"}, ops.NodeTransitionIn{NodeID: "-n"}, textSource{}},
	} {
		c, text := transitionCommand(sh, v), &textSource{}
		c.text = text
		if err := parsed(t, sh, c, tt.args...); err != nil {
			t.Errorf("arbor complete %q: %v", tt.args, err)
			continue
		}
		tt.want.Action, tt.want.Begin = "complete", true
		tt.text.what = "the conclusion"
		if got := *c.in.(*ops.NodeTransitionIn); !reflect.DeepEqual(got, tt.want) || !reflect.DeepEqual(*text, tt.text) {
			t.Errorf("arbor complete %q\n got %+v %+v\nwant %+v %+v", tt.args, got, *text, tt.want, tt.text)
		}
	}
	for _, args := range [][]string{{}, {"n", "-", "-m", "x"}, {"n", "-m", "x", "-e"}, {"n", "-", "more"}, {"n",
		"--nosuch"}, {"n", "--depth", "x"}} {
		if e := errs.As(parsed(t, sh, transitionCommand(sh, v), args...)); e == nil || e.Class() != errs.Invalid {
			t.Errorf("arbor complete %q is no usage error", args)
		}
	}
}

func TestParseAdd(t *testing.T) {
	sh := &shell{sys: &System{}}
	in := &ops.NodeCreateIn{}
	err := parsed(t, sh, command{op: "node_create", in: in}, "Title: #1", "-p", "Backend", "-t", "planning", "--role", "summary",
		"--rules-hash", "h", "--doc", "a.md:what", "--doc", "https://x/y", "-m", "m", "-w", "W", "--json", "--as", "AI", "--dry-run")
	if err != nil {
		t.Fatal(err)
	}
	want := ops.NodeCreateIn{In: ops.In{WorkspaceID: "W"}, ParentID: "Backend", Type: "planning", Title: "Title: #1", RulesHash: "h", Fields: mdstore.Fields{Role: new("summary")},
		Docs: []mdstore.Ref{{Target: "a.md", Description: "what"}, {Target: "https://x/y"}}, Write: ops.Write{DryRun: true}}
	if !reflect.DeepEqual(*in, want) {
		t.Errorf("got %+v\nwant %+v", *in, want)
	}
	if g := sh.flags; g.workspace != "W" || !g.json || g.as != "AI" || !g.dryRun {
		t.Errorf("global flags %+v", g)
	}
}

func ptr[T any](v T) *T { return &v }

func TestSplitDoc(t *testing.T) {
	for _, tt := range []struct{ in, path, desc string }{
		{"docs/a.md", "docs/a.md", ""}, {"docs/a.md:what it is", "docs/a.md", "what it is"}, {"docs/a.md: a: b", "docs/a.md", "a: b"},
		{"https://x/y", "https://x/y", ""}, {"https://x/y:the page", "https://x/y", "the page"},
		{`C:\a.md`, `C:\a.md`, ""}, {`C:\a.md:what`, `C:\a.md`, "what"}, {"c:/a.md:what", "c:/a.md", "what"}, {"文档.md:说明", "文档.md", "说明"}, {"", "", ""},
	} {
		if got := splitDoc(tt.in); got.Target != tt.path || got.Description != tt.desc {
			t.Errorf("splitDoc(%q) = %q, %q; want %q, %q", tt.in, got.Target, got.Description, tt.path, tt.desc)
		}
	}
}

// Every operation of the catalogue has a command, and every operation that can be tried without writing has --dry-run.
func TestEveryOperationHasACommand(t *testing.T) {
	root := newRoot(&shell{sys: &System{}})
	all := ops.All()
	if len(all) == 0 {
		t.Fatal("the catalogue is empty")
	}
	for _, o := range all {
		if o.Use == "" { // the file tools have no commands: people have editors
			continue
		}
		line := o.CommandLine()
		cmd, rest, err := root.Find(strings.Fields(line)[1:])
		if err != nil || cmd == root || len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			t.Errorf("%s: there is no command %q", o.Name, line)
			continue
		}
		for _, p := range o.Params() {
			if p.Name != "dryRun" && p.Name != "ifMatch" {
				continue
			}
			flag := map[string]string{"dryRun": "dry-run", "ifMatch": "if-match"}[p.Name]
			holder := cmd
			if cmd.HasAvailableSubCommands() { // arbor rules add, and so on
				holder = cmd.Commands()[0]
			}
			if holder.Flags().Lookup(flag) == nil {
				t.Errorf("%s takes %s, and %s has no --%s", o.Name, p.Name, holder.CommandPath(), flag)
			}
		}
	}
}

// A command of another front end takes the global flags too, and opens the vault that they name.
func TestFrontEndCommand(t *testing.T) {
	w := newWorld(t)
	addr := ""
	w.more = []Command{{
		Use: "serve", Short: "Serve", Flags: func(fs *flag.FlagSet) { fs.StringVar(&addr, "addr", "127.0.0.1:0", "where") },
		Run: func(ctx context.Context, call Call) error {
			e, s, err := call.Open(ctx, MustExist)
			if err != nil {
				return err
			}
			if e != w.engine || s != (Settings{Workspace: "Login", Session: "s", Operator: "AI"}) {
				t.Errorf("opened %p with %+v", e, s)
			}
			_, err = io.WriteString(call.Stdout, addr)
			return err
		},
	}}
	w.env["ARBOR_OPERATOR"] = "ai"
	if got := w.ok("serve", "--addr", "[::1]:1", "-w", "Login", "--session", "s"); got != "[::1]:1" {
		t.Errorf("arbor serve prints %q", got)
	}
	contains(t, "help", w.ok("--help"), "serve       Serve")
	w.fails(exitInvalid, "serve", "word")
	w.fails(exitInvalid, "serve", "--as", "Robot")
}
