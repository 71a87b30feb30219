package app

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/setup"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/serve"
)

func setupCommand() cli.Command {
	var (
		opt              setup.Options
		profile          string
		sets             []string
		undo, everywhere bool
	)
	return cli.Command{
		Use: "setup CLIENT", Short: "Put Arbor into the configuration of an assistant's program or an editor", Word: "CLIENT",
		Words: setup.Clients(), Writes: true,
		Long: `Adds Arbor's MCP server to the configuration of an assistant's program, or
removes it. Comments, order and layout of the file stay unchanged. --dry-run
shows the diff. If the program has a configuration file for the project, which
you may commit, the entry goes there; with --scope user it goes to your own
file. For agents, Arbor keeps a section in AGENTS.md, CLAUDE.md and GEMINI.md
about working with the plan from a shell: in the files that exist, or in
AGENTS.md if none does. For neovim it writes a plugin that starts arbor lsp, and
for obsidian Plan.base, with tables and cards of the nodes.`,
		Example: `arbor setup claude-code --hooks
arbor setup vscode --dry-run
arbor setup gemini --toolsets memory,briefing
arbor setup cursor --scope user --everywhere
arbor setup windsurf --undo
arbor setup agents --dry-run
arbor setup neovim --dry-run`,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&opt.Scope, "scope", "", "whose configuration: `SCOPE` is project or user; the client's default unless said otherwise")
			fs.BoolVar(&opt.Hooks, "hooks", false,
				"also the hooks that say where the plan stands; of "+strings.Join(setup.HookClients(), ", "))
			fs.Func("toolsets", "the further `SETS` of tools to offer, separated by commas: "+strings.Join(furtherSets(), ", ")+
				", or all; asked at a terminal", commas(&sets))
			fs.StringVar(&profile, "profile", "", "the `TOOLS` to offer: all, or worker")
			fs.StringVar(&opt.Command, "command", "", "how the client starts arbor: `PROGRAM`; arbor, found by PATH, unless said otherwise")
			fs.BoolVar(&everywhere, "everywhere", false, "with --scope user: for whatever project is open, not this one")
			fs.BoolVar(&undo, "undo", false, "take the entry out")
			fs.BoolVar(&opt.Force, "force", false, "also replace or take out an entry that somebody has changed")
		},
		Run: func(_ context.Context, call cli.Call) error {
			found, err := call.Find()
			if err != nil && errs.As(err).Code != errs.VaultNotFound {
				return err
			}
			if opt.Home, err = os.UserHomeDir(); err != nil {
				return errs.New(errs.InvalidPath, "your home folder is not known: %v; set HOME", err)
			}
			opt.Client, opt.Project, opt.Getenv = call.Word, found.Project, call.Getenv
			opt.DryRun, opt.Remove = call.DryRun, undo
			if everywhere {
				if opt.Scope != setup.User && len(setup.Scopes(opt.Client)) > 1 {
					return errs.New(errs.InvalidParams, "--everywhere goes with --scope user: a project's configuration is about that project")
				}
				opt.Project = ""
			}
			if profile != "" {
				if err := serve.CheckProfile(serve.Profile(profile)); err != nil {
					return err
				}
			}
			opt.Program = elsewhere(exec.LookPath)
			if sets == nil && !undo && setup.Serves(opt.Client) && call.Terminal && !call.DryRun && isNew(opt) {
				fmt.Fprintf(call.Stderr, "further tool sets, separated by commas (%s, all; Enter for none): ",
					strings.Join(furtherSets(), ", "))
				line, _ := bufio.NewReader(call.Stdin).ReadString('\n')
				_ = commas(&sets)(strings.TrimSpace(line))
			}
			if err := serve.CheckToolsets(sets); err != nil {
				return err
			}
			if len(sets) > 0 && !slices.Contains(sets, ops.SetPlan) && !slices.Contains(sets, serve.DefaultToolset) {
				sets = append([]string{serve.DefaultToolset}, sets...)
			}
			for _, arg := range [][2]string{{"--toolsets", strings.Join(sets, ",")}, {"--profile", profile},
				{"--vault", call.Vault}, {"--workspace", call.Workspace}} {
				if arg[1] != "" {
					opt.Args = append(opt.Args, arg[:]...)
				}
			}
			r, err := setup.Run(opt)
			if err != nil {
				return err
			}
			text := setupText(r, undo)
			if call.Quiet && !r.DryRun {
				text = ""
			}
			return call.Print(r, text)
		},
	}
}

// furtherSets are the tool sets that are not on by themselves.
func furtherSets() []string {
	return slices.DeleteFunc(ops.Sets(), func(set string) bool { return set == ops.SetPlan })
}

// isNew reports whether the set-up would make an entry.
func isNew(opt setup.Options) bool {
	opt.DryRun = true
	r, err := setup.Run(opt)
	return err == nil && r.Changed
}

// elsewhere returns the path of this program; "" if arbor on the PATH is this program.
func elsewhere(look func(string) (string, error)) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := look(setup.ServerName); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return ""
		}
	}
	return self
}

// ownProgram returns the path of this program: the one on the PATH, if that leads to it, because that path stays valid
// when a new version is installed.
func ownProgram() (string, error) {
	if self := elsewhere(exec.LookPath); self != "" {
		return self, nil
	}
	found, err := exec.LookPath(setup.ServerName)
	if err != nil {
		return "", errs.New(errs.InvalidPath, "the path of this program is not known: %v; put it on the PATH", err)
	}
	return filepath.Abs(found)
}

// setupText describes the result of a set-up.
func setupText(r *setup.Result, undo bool) string {
	var b strings.Builder
	for _, f := range r.Files {
		what := "is as it should be"
		switch {
		case undo && !f.Changed:
			what = "has nothing of Arbor's"
		case f.Removed:
			what = "removed"
		case f.Made:
			what = "made"
		case f.Changed:
			what = "changed"
		}
		if r.DryRun && f.Changed {
			b.WriteString(f.Diff)
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", f.Path, what)
	}
	if r.Hint != "" && !r.DryRun {
		b.WriteString(r.Hint + "\n")
	}
	return b.String()
}

func hookCommand() cli.Command {
	var client string
	return cli.Command{
		Use: "hook EVENT", Short: "What a hook tells a session of an assistant", Word: "EVENT", Words: setup.Hooks(),
		Protocol: true, Harmless: true,
		Long: `Prints what an assistant should know at this moment, as the JSON that its client
expects from a hook. session-start: the state of the plan. prompt: how many
files others changed since the session's last look. stop (at the end of a turn)
and compact: that a node is running and nothing was logged since it started.
arbor setup CLIENT --hooks configures the client to run them. A hook never
blocks the client: the exit code is always 0, and errors go to stderr.`,
		Example: `arbor setup claude-code --hooks
echo '{"session_id":"s-1"}' | arbor hook session-start
echo '{"session_id":"s-1"}' | arbor hook stop --client gemini`,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&client, "client", "", "the `CLIENT` that runs it: "+strings.Join(setup.HookClients(), ", "))
		},
		Run: func(ctx context.Context, call cli.Call) error {
			defer func() {
				if p := recover(); p != nil {
					explain(cli.System{Stderr: call.Stderr, Getenv: call.Getenv}, p, debug.Stack())
				}
			}()
			hc := setup.HookCall{Name: call.Word, Client: client, Stdin: unlessTerminal(call.Stdin), Stdout: call.Stdout,
				Session: call.Getenv(claudeSession)}
			atHome(call)
			e, _, err := call.Open(ctx, cli.MustExist)
			if err != nil && errs.As(err).Code != errs.VaultNotFound {
				hc.Broken = err
			}
			if err := setup.Hook(ctx, e, hc); err != nil {
				fmt.Fprintf(call.Stderr, "arbor: %v\n", err)
			}
			return nil
		},
	}
}

// claudeSession is the variable with which Claude Code tells programs their session.
const claudeSession = "CLAUDE_CODE_SESSION_ID"

// hookWaits is how long a hook waits for input from the client, which gives a hook ten seconds in all.
const hookWaits = 2 * time.Second

// unlessTerminal returns the stream, or nil if it is a terminal. Reading from a silent pipe ends after hookWaits.
func unlessTerminal(r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok {
		return r
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, f)
		in.CloseWithError(err)
	}()
	time.AfterFunc(hookWaits, func() { in.Close() })
	return out
}
