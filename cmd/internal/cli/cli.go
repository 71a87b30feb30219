// Package cli is the command line. Most commands parse their words and flags into the input of one operation, call it
// and print its result.
//
// Results go to stdout, words about the work to stderr. With --json there is one document on stdout, for failures as
// well. The package knows no store: its caller passes the vaults.
package cli

import (
	"context"
	"flag"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/plan"
)

// A System is what the command line uses of the outside world, apart from files and editors that a person names.
type System struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Dir     string // the working directory, absolute
	Vaults  Vaults
	Version Version

	// Tanmi reads a TanmiWorkspace 1.x folder, or a folder of them; the strings are warnings. vault is the name of
	// the folder that is imported into, and zone that of the times in the logs; nil is unknown.
	Tanmi func(from fs.FS, vault string, zone *time.Location) ([]plan.Import, []string, error)

	// Keep makes commands that name no vault find this vault. folders, if not "", says how the folders of new nodes are
	// named from now on: by "id" or "title". Keep returns the file that it wrote; "" for none.
	Keep func(at Lookup, found Found, folders string) (file string, err error)

	// EditConfig changes the person's own file of settings or the project's, and passes edit its absolute path and
	// bytes. With dry it only reports what would change.
	EditConfig func(p Lookup, l config.Level, dry bool, edit func(string, []byte) ([]byte, error)) (*plan.Outcome, error)

	// Program returns the path of this program, by which others can start it.
	Program func() (string, error)

	// More are commands of other front ends.
	More []Command
}

// A Command is one command of another front end, such as a server. Besides its own flags it takes those of every
// command.
type Command struct {
	Use, Short, Long, Example string              // as help shows them; Use begins with the command's name
	Word                      string              // the name of its only word in Use; "" for a command without words
	Words                     []string            // the values that the word may have
	Under                     string              // the noun that it is a verb of; "" for a command at the top
	Flags                     func(*flag.FlagSet) // adds flags of its own; may be nil
	Writes                    bool                // it takes --dry-run
	Protocol                  bool                // stdout belongs to a protocol: failures are not printed there
	Hidden                    bool                // the list of commands leaves it out
	Harmless                  bool                // its exit code is 0 even after a failure, which would stop its caller
	Run                       func(context.Context, Call) error
}

// A Call is what a Command is run with.
type Call struct {
	Word             string   // one of Command.Words; "" for a command without words
	Words            []string // all words of the command line
	Terminal         bool     // stdin is a person's terminal, and no tool runs this process
	Screen           bool     // stdout is a terminal
	Color            bool     // drawings on stdout have colours
	ASCII            bool     // drawings on stdout have no character beyond ASCII
	Open             Opener
	Find             func() (Found, error) // says which vault Open would open, as Vaults.Find does
	Move             func(dir string)      // makes Open and Find look from another folder, unless the command line names one
	Dir              string                // the folder that the command runs in, absolute
	Vault, Workspace string                // of --vault and --workspace; "" for none
	Getenv           func(string) string
	DryRun           bool
	Quiet            bool // of --quiet
	Stdin            io.Reader
	Stdout           io.Writer // results and nothing else
	Stderr           io.Writer
	Print            func(doc any, text string) error // prints a result: doc with --json, text without
}

// An Opener opens the vault that the flags of the command line name. The vault is closed when the command ends.
type Opener func(context.Context, Mode) (*engine.Engine, Settings, error)

// Settings are what the flags and the environment say about the caller.
type Settings struct {
	Workspace string // of --workspace; "" for none
	Session   string // of --session or ARBOR_SESSION; "" for none
	Operator  string // AI or Human; "" if neither flag nor environment names one
}

// A Lookup says where to look for a vault.
type Lookup struct {
	Dir   string // the folder to start at, absolute
	Vault string // of --vault; "" to look for one
	User  bool   // the vault of this person is meant
}

// Vaults finds and opens vaults.
type Vaults interface {
	// Find says which vault is meant and why. If there is none, Found still tells where one was looked for and
	// where init would make one, and the error is a VAULT_NOT_FOUND.
	Find(Lookup) (Found, error)

	// Open opens the vault that Find finds.
	Open(context.Context, Lookup, Mode) (*Vault, error)
}

// A Mode says what to do about a vault that does not exist.
type Mode uint8

// The modes.
const (
	MustExist Mode = iota // it is an error
	Create                // it is made
	Pretend               // an empty one in memory stands in for it; nothing is written
	Later                 // it is made with the first write; it may be moved or replaced while it is open
	Lasting               // it is an error; it may be moved or replaced while it is open
)

// A Vault is an open vault.
type Vault struct {
	Engine *engine.Engine
	Found  Found
	Made   bool // by this call
	Close  func() error
}

// Found says which vault was found and why.
type Found struct {
	Vault   string `json:"vault"`   // its folder, absolute, or the address of one on a server
	Project string `json:"project"` // the folder that paths of documents are relative to
	Why     string `json:"why"`     // "found in /p, 2 folders above"
	Exists  bool   `json:"exists"`
	Looked  []Look `json:"looked"`            // in the order of looking
	Warning string `json:"warning,omitempty"` // about a setting that names another vault and is ignored
	User    bool   `json:"user,omitempty"`    // it is the vault of this person
	Address string `json:"-"`                 // of one on a server, as it was given
	Server  bool   `json:"server,omitempty"`  // it is on a server, and Vault is its address
	Above   string `json:"above,omitempty"`   // a vault above the git repository, ignored because no setting names it
}

// A Look is one place that was looked at for a vault.
type Look struct {
	Path string `json:"path"`
	What string `json:"what"` // "no vault here"
}

func init() {
	cobra.EnableCommandSorting = false // help lists commands in the order of a day's work
}

// Run runs the command that the arguments name and returns the exit code of the process. When ctx is cancelled the
// code is 130.
func Run(ctx context.Context, sys System) int {
	return run(ctx, &sys, terminalOf(&sys))
}

func run(ctx context.Context, sys *System, term terminal) int {
	sh := &shell{sys: sys, term: term}
	root := newRoot(sh)
	root.SetArgs(fromNewest(sys.Args))
	cmd, err := root.ExecuteContextC(ctx)
	var own Command
	for _, m := range sys.More {
		if cmd != nil && cmd.Name() == strings.Fields(m.Use)[0] {
			own = m
		}
	}
	sh.protocol = own.Protocol
	if err == nil {
		err = sh.unprinted
	}
	sh.unprinted = nil
	n := names{id: whole, long: wholeIDs(sh)}
	if err != nil && sh.vault != nil { // while the vault is open
		n = namesOf(sh, "")
	}
	if cerr := sh.close(); err == nil {
		err = cerr
	}
	if code := sh.finish(ctx, err, n); !own.Harmless {
		return code
	}
	return exitOK
}

// newRoot returns the whole tree of commands.
func newRoot(sh *shell) *cobra.Command {
	root := &cobra.Command{
		Use:   "arbor",
		Short: "Workspaces of plans and tasks in plain Markdown files",
		Long: `A workspace is a tree of planning and execution nodes. Each node is one Markdown
file, which you may edit in any editor. Arbor enforces life cycles and rules,
gathers the context for work on a node, and changes only those bytes of a file
that a command concerns.`,
		Example: `arbor init Login --goal "Users sign in with a password"
arbor add "Sign-in endpoint" -m "POST /sign-in, rate limited"
arbor status
arbor start "Sign-in endpoint"
arbor complete "Sign-in endpoint" -m "Done; 5 tries a minute"`,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRun: sh.recorded,
		RunE: func(cmd *cobra.Command, words []string) error {
			if show, _ := cmd.Flags().GetBool("version"); show {
				return printVersion(sh)
			}
			return sh.runGroup(cmd, words)
		},
	}
	root.Flags().Bool("version", false, "print the version")
	root.SetIn(sh.sys.Stdin)
	root.SetOut(sh.sys.Stdout)
	root.SetErr(sh.sys.Stderr)
	sh.globalFlags(root)
	root.SetHelpFunc(sh.help)
	root.SetFlagErrorFunc(sh.flagError)
	root.CompletionOptions.DisableDefaultCmd = true // arbor admin completion prints the scripts
	addCommands(sh, root)
	addHelp(sh, root)
	sh.strict(root)
	sh.giveFlags(root)
	return root
}

// giveFlags adds the flags only to the command that the first words name, because adding them to every command takes
// half of the time of a start. If the command is uncertain, as for help and completion, it adds them to all.
func (sh *shell) giveFlags(root *cobra.Command) {
	meant, rest := root, sh.sys.Args
	if slices.Equal(rest, []string{"--version"}) {
		return
	}
	for len(rest) > 0 {
		i := slices.IndexFunc(meant.Commands(), func(c *cobra.Command) bool { return c.Name() == rest[0] || c.HasAlias(rest[0]) })
		if i < 0 {
			break
		}
		meant, rest = meant.Commands()[i], rest[1:]
	}
	certain := meant != root && meant.Name() != "help" && (len(rest) == 0 || !meant.HasSubCommands())
	for c, give := range sh.flagged {
		if c == meant || !certain {
			give()
		}
	}
}

// newFrontEnd returns the command of another front end.
func newFrontEnd(sh *shell, m Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: m.Use, Short: m.Short, Long: m.Long, Example: m.Example, Hidden: m.Hidden,
		ValidArgsFunction: choices(m.Words...),
		RunE: func(cmd *cobra.Command, words []string) error {
			call := newCall(sh)
			call.Words = words
			if m.Word != "" {
				if call.Word = words[0]; !slices.Contains(m.Words, call.Word) {
					return unknownChoice(m.Word, call.Word, m.Words)
				}
			}
			ctx := cmd.Context()
			if m.Writes {
				ctx = sh.withProgress(ctx)
			}
			return m.Run(ctx, call)
		},
	}
	if m.Writes {
		sh.writes(cmd)
	}
	if m.Flags != nil {
		own := flag.NewFlagSet(cmd.Name(), flag.ContinueOnError)
		m.Flags(own)
		cmd.Flags().AddGoFlagSet(own)
		own.VisitAll(func(f *flag.Flag) { mayBeEmpty(cmd, f.Name) })
	}
	return cmd
}

// newCall returns the Call of a command of another front end, without its words.
func newCall(sh *shell) Call {
	return Call{
		Open: sh.opener, Find: func() (Found, error) { return sh.sys.Vaults.Find(sh.place()) },
		Move: func(dir string) {
			if sh.flags.dir == "" && sh.flags.vault == "" {
				sh.flags.dir = dir
			}
		},
		Dir: sh.dir(), Vault: sh.flags.vault, Workspace: sh.flags.workspace, Getenv: sh.getenv,
		DryRun: sh.flags.dryRun, Quiet: sh.flags.quiet,
		Screen: sh.term.out, Color: sh.style().Color, ASCII: sh.ascii(),
		Terminal: atTerminal(sh), Stdin: sh.sys.Stdin, Stdout: sh.sys.Stdout, Stderr: sh.sys.Stderr,
		Print: func(doc any, text string) error {
			if sh.flags.json {
				return sh.json(doc)
			}
			_, err := io.WriteString(sh.sys.Stdout, text)
			return err
		},
	}
}
