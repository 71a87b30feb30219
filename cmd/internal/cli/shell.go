package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/check"
	programs "arbor/engine/env/command"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A shell is one run of the command line: the flags that every command takes, the vault they name, and the streams.
type shell struct {
	sys      *System
	term     terminal
	flags    globals
	vault    *Vault
	told     []mdstore.Collision // collisions that were reported
	found    []mdoc.Diagnostic   // diagnostics that the command has listed, which need not be reported again
	takenOut int                 // how many of told are about text that git or a save removed
	typed    string              // the file with the text that was typed into an editor; "" for none

	parts   bool                      // the command only reads: a part of a title is enough to name a node
	flagged map[*cobra.Command]func() // adds the flags of a command: see giveFlags

	loops     *progress // shows long loops; nil if stderr is no terminal
	protocol  bool      // stdout belongs to a protocol
	offered   []string  // lines that an error shows: what a missing word may be
	refused   string    // the command whose words or flags are wrong: its help tells more; "" for none
	unprinted error     // the error of the first result that could not be printed
}

// globals are the flags that every command takes, and those of all commands that write or list.
type globals struct {
	workspace, vault, dir string
	as, session           string
	user                  bool
	json, quiet, noColor  bool
	verbose               bool

	dryRun bool // of commands that write
	all    bool // of listings
}

func (sh *shell) globalFlags(root *cobra.Command) {
	fs := root.PersistentFlags()
	fs.SortFlags = false
	fs.StringVarP(&sh.flags.workspace, "workspace", "w", "", "the `WORKSPACE`: its id, a unique prefix of it, or its name")
	fs.StringVar(&sh.flags.vault, "vault", "", "the vault's `FOLDER`, wherever it is (ARBOR_VAULT)")
	fs.BoolVar(&sh.flags.user, "user", false, "the vault of this person, outside of any project (ARBOR_USER=1)")
	fs.StringVarP(&sh.flags.dir, "directory", "C", "", "run as if started in `DIR`")
	fs.BoolVar(&sh.flags.json, "json", false, "print one JSON document, also for errors")
	fs.BoolVarP(&sh.flags.quiet, "quiet", "q", false, "print ids only, or nothing")
	fs.BoolVarP(&sh.flags.verbose, "verbose", "v", false, "whole ids, and the files that a write changed")
	fs.StringVar(&sh.flags.as, "as", "", "who acts, for log lines: `AI|Human` (ARBOR_OPERATOR; Human)")
	fs.StringVar(&sh.flags.session, "session", "", "the `SESSION` whose workspace is the default (ARBOR_SESSION)")
	fs.BoolVar(&sh.flags.noColor, "no-color", false, "no colours (NO_COLOR, TERM=dumb)")
	must(root.RegisterFlagCompletionFunc("workspace", completeFlag(sh, workspaceOffers)))
	must(root.RegisterFlagCompletionFunc("as", choices(mdstore.OperatorAI, mdstore.OperatorHuman)))
	must(root.RegisterFlagCompletionFunc("session", cobra.NoFileCompletions))
	must(root.MarkPersistentFlagDirname("vault"))
	must(root.MarkPersistentFlagDirname("directory"))
}

// lists adds the flag of listings.
func (sh *shell) lists(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&sh.flags.all, "all", false, fmt.Sprintf("all of it, however long; %d lines otherwise", listLines))
}

// writes adds --dry-run to a command that does not get it from an operation.
func (sh *shell) writes(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&sh.flags.dryRun, "dry-run", false, "print the change as a unified diff; write nothing")
}

func (sh *shell) in() ops.In { return ops.In{WorkspaceID: sh.flags.workspace} }

// dir returns the folder that the command runs in.
func (sh *shell) dir() string { return resolve(sh.sys.Dir, sh.flags.dir) }

func (sh *shell) place() Lookup {
	return Lookup{Dir: sh.dir(), Vault: sh.flags.vault, User: personal(sh)}
}

// personal reports whether to use this person's own vault. A vault that is named takes precedence over ARBOR_USER.
func personal(sh *shell) bool {
	on := sh.getenv("ARBOR_USER")
	return sh.flags.user || on != "" && on != "0" && sh.flags.vault == "" && sh.getenv("ARBOR_VAULT") == ""
}

// resolve returns the path relative to dir as an absolute one; dir itself for "".
func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func (sh *shell) getenv(key string) string {
	if sh.sys.Getenv == nil {
		return ""
	}
	return sh.sys.Getenv(key)
}

// operator returns the operator of the command; "" if neither flag nor environment names one.
func (sh *shell) operator() (string, error) {
	given, from := sh.flags.as, "--as"
	if given == "" {
		given, from = sh.getenv("ARBOR_OPERATOR"), "ARBOR_OPERATOR"
	}
	for _, op := range []string{"", mdstore.OperatorAI, mdstore.OperatorHuman} {
		if strings.EqualFold(given, op) {
			return op, nil
		}
	}
	return "", usagef("%s is %q; AI and Human can act", from, given)
}

func (sh *shell) session() string {
	return cmp.Or(sh.flags.session, sh.getenv("ARBOR_SESSION"))
}

// open opens the vault once; it is closed when the command ends. A dry run does not make a vault.
func (sh *shell) open(ctx context.Context, mode Mode) (*Vault, error) {
	if mode == Create && sh.flags.dryRun {
		mode = Pretend
	}
	if sh.flags.user && sh.flags.vault != "" {
		return nil, usagef("--user and --vault name two vaults; one is enough")
	}
	if sh.vault == nil {
		v, err := sh.sys.Vaults.Open(ctx, sh.place(), mode)
		if err != nil {
			return nil, err
		}
		if sh.vault = v; v.Found.Warning != "" {
			sh.say("warning: %s", v.Found.Warning)
		}
	}
	return sh.vault, nil
}

func (sh *shell) close() error {
	if sh.vault == nil || sh.vault.Close == nil {
		return nil
	}
	defer func() { sh.vault = nil }()
	sh.met(sh.vault.Engine.Live().Late(context.Background(), false))
	return sh.vault.Close()
}

// metMost is how many files a command reports from which git or a save removed something: git may do that to hundreds
// at once.
const metMost = 5

// met reports saves by other programs that collided with commits, each once. A conflict copy is reported even with
// --quiet.
func (sh *shell) met(all []mdstore.Collision) {
	more := 0
	defer func() {
		if more > 0 {
			sh.say("conflict: %s: %d more files like these; arbor check names each", check.CodeTakenOut, more)
		}
	}()
	for _, c := range all {
		listed := func(d mdoc.Diagnostic) bool { return strings.HasPrefix(c.Text, d.Code+": "+string(c.Path)+" "+d.Text) }
		same := func(t mdstore.Collision) bool { return t.Path == c.Path && t.Text == c.Text && t.Copy == c.Copy }
		if slices.ContainsFunc(sh.told, same) || c.Copy == "" && slices.ContainsFunc(sh.found, listed) {
			continue
		}
		sh.told = append(sh.told, c)
		takenOut := strings.HasPrefix(c.Text, check.CodeTakenOut)
		if takenOut {
			sh.takenOut++
		}
		switch {
		case c.Copy != "":
			sh.warn("conflict: %s", render.Visible(c.Text+" ("+string(c.Copy)+")"))
		case takenOut && sh.takenOut > metMost:
			more++
		case c.Unmade || takenOut:
			sh.say("conflict: %s", render.Visible(c.Text))
		default: // nothing has to be decided
			sh.say("note: %s", render.Visible(c.Text))
		}
	}
}

// opener is the Opener for commands of other front ends.
func (sh *shell) opener(ctx context.Context, mode Mode) (*engine.Engine, Settings, error) {
	env, err := sh.env(ctx, mode)
	if err != nil {
		return nil, Settings{}, err
	}
	op, _ := sh.operator() // env has checked it
	set := Settings{Workspace: sh.flags.workspace, Session: env.Session, Operator: op}
	return env.Engine, set, nil
}

// atTerminal reports whether a person types here: no tool runs this process.
func atTerminal(sh *shell) bool { return sh.term.in && sh.getenv(programs.Variable) == "" }

// env opens the vault and returns the environment for operations.
func (sh *shell) env(ctx context.Context, mode Mode) (*ops.Env, error) {
	op, err := sh.operator()
	if err != nil {
		return nil, err
	}
	v, err := sh.open(ctx, mode)
	if err != nil {
		return nil, err
	}
	op = cmp.Or(op, mdstore.OperatorHuman)
	env := &ops.Env{Engine: v.Engine, Session: sh.session(), Client: "arbor", Operator: op, Names: ops.NamesLoose,
		Caller: ops.ByPerson, Voice: ops.Shell,
		Where: ops.Where{Dir: filepath.ToSlash(sh.dir()), Default: v.Found.User},
		Home:  cmp.Or(sh.getenv("HOME"), sh.getenv("USERPROFILE"))}
	if sh.parts {
		env.Names = ops.NamesParts
	}
	if sh.flags.dryRun {
		env.May = ops.MayPreview
	}
	if atTerminal(sh) {
		env.Caller = ops.ByDecider
	}
	return env, nil
}

// call calls an operation on the vault that the flags name.
func call[In, Out any](
	ctx context.Context, sh *shell, op func(context.Context, *ops.Env, In) (*Out, error), in In,
) (*Out, error) {
	env, err := sh.env(ctx, MustExist)
	if err != nil {
		return nil, err
	}
	out, err := op(ctx, env, in)
	if err == nil {
		env.Say(out)
	}
	return out, err
}

// absolute returns the absolute path of a file of the vault; "" for "". Without a vault, or for one on a server, it
// returns path.
func (sh *shell) absolute(path string) string {
	if path == "" || sh.vault == nil || sh.vault.Found.Server {
		return path
	}
	return filepath.Join(sh.vault.Found.Vault, filepath.FromSlash(path))
}

// placeOf returns the absolute path of a path in a result, which may be relative to the project.
func (sh *shell) placeOf(path string) string {
	if path == "" || sh.vault == nil || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sh.vault.Found.Project, filepath.FromSlash(path))
}

// shown returns a path of a result in a form that people can open from the folder in which the command runs: relative
// to that folder for files in the project, and otherwise absolute.
func (sh *shell) shown(path string) string {
	place := sh.placeOf(path)
	if !filepath.IsAbs(place) {
		return path
	}
	project := place // without an open vault, paths elsewhere are absolute
	if sh.vault != nil {
		project = sh.vault.Found.Project
	}
	rel, err := filepath.Rel(sh.dir(), place)
	if err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if in, out := filepath.Rel(project, place); err == nil && out == nil && project != place && filepath.IsLocal(in) {
		return rel
	}
	return place
}

// own reads the workspace that the flags name.
func (sh *shell) own(ctx context.Context) (*ops.WorkspaceGetOut, error) {
	return call(ctx, sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
}

// read reads a node of the workspace that the flags name.
func (sh *shell) read(ctx context.Context, node string) (*ops.NodeGetOut, error) {
	return call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: sh.in(), NodeID: node})
}

// node returns the id of the focused node for ".", and any other word as it is, for the operation to look up.
func (sh *shell) node(ctx context.Context, word string) (string, error) {
	if word != "." {
		return word, nil
	}
	focus, err := call(ctx, sh, ops.Focused, sh.in())
	if err != nil {
		return "", err
	}
	if focus.NodeID == "" {
		return "", errs.New(errs.NodeNotFound,
			"no node has the focus of %s, so \".\" names none; arbor focus NODE gives it to one", focus.Name)
	}
	return focus.NodeID, nil
}

// say prints a message to stderr, unless --quiet or --json is given.
func (sh *shell) say(format string, args ...any) {
	if sh.flags.quiet || sh.flags.json {
		return
	}
	sh.warn(format, args...)
}

// warn prints a message to stderr in any case.
func (sh *shell) warn(format string, args ...any) {
	if sh.unprinted == nil {
		text := render.VisibleLines(fmt.Sprintf(format, args...)) + "\n"
		fmt.Fprint(sh.sys.Stderr, wrapped(text, sh.term.errWidth))
	}
}

// hint prints what can be done next, with the operations in it as commands.
func (sh *shell) hint(hint string) {
	if hint != "" && !sh.flags.json {
		hint = ops.Shell.Text(hint)
		if nodeID().MatchString(hint) {
			n := namesOf(sh, "")
			hint = n.renamed(hint, func(id, _ string) string { return n.id(id) })
		}
		sh.say("hint: %s", hint)
	}
}

// must panics on an error that only a mistake in this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
