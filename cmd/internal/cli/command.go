package cli

import (
	"context"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// A command calls one operation. Its words and flags are the fields of the operation's input, as their tags say, and
// its help is that of the catalogue. All else is optional.
type command struct {
	op      string                        // the operation
	name    string                        // of the command; "" is the last name in the line of usage
	help    ops.Help                      // used instead of the operation's help if Use is given
	in      any                           // a pointer to the input, for commands that use it; nil makes one
	without []string                      // parameters that the command does not take; allParams are all of them
	list    bool                          // it takes --all
	verbs   []command                     // the commands below it
	mode    Mode                          // how the vault is opened
	text    *textSource                   // the text of -m, -F, -e or a word; nil if no field has the tag text
	sets    func(key, value string) error // sets a key; nil: the parameter of that name
	pairs   []offer                       // offers for the keys that sets takes
	put     func(string)                  // stores the text; nil: in the field with the tag text
	files   string                        // the word that may be a file of the project

	// offers returns what the next word may be; nil: as the tags say.
	offers func(ctx context.Context, words []string) []offer

	more func() []string // returns further words, which flags give; nil: none

	// flags adds flags that are not fields. check refuses invalid combinations of these and the fields, and may
	// complete the input. The vault is not open yet.
	flags func(cmd *cobra.Command)
	check func(cmd *cobra.Command) error

	// instead runs before the operation. If it returns true, the operation is not called.
	instead func(ctx context.Context) (bool, error)

	start func(ctx context.Context) (string, error) // the text that an editor begins with
	show  func(out any) error                       // prints a result; nil prints what a write changed, or JSON
	doc   func(out any) any                         // what --json prints; nil: the result itself
}

var allParams = []string{"*"}

// showing makes a show function from one for results of one type.
func showing[Out any](sh *shell, show func(*shell, *Out) error) func(any) error {
	return func(out any) error { return show(sh, out.(*Out)) }
}

// always makes an instead function for commands that never call their operation: they show a part of the workspace.
func always(sh *shell, show func(*shell, *ops.WorkspaceGetOut) error) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		out, err := sh.own(ctx)
		if err != nil {
			return true, err
		}
		return true, show(sh, out)
	}
}

// shows makes a command that prints its result with show, and has nothing else of its own.
func shows[Out any](show func(*shell, *Out) error) func(*shell) command {
	return func(sh *shell) command { return command{show: showing(sh, show)} }
}

// listing is shows for a command that takes --all.
func listing[Out any](show func(*shell, *Out) error) func(*shell) command {
	return func(sh *shell) command { return command{show: showing(sh, show), list: true} }
}

// specials are the commands that do more than call their operation and print the result as JSON or as changes.
var specials = map[string]func(*shell) command{
	"workspace_init": initCommand, "workspace_list": listing(showWorkspaces), "workspace_get": shows(showWorkspace),
	"workspace_status": statusCommand, "workspace_delete": workspaceDeleteCommand, "workspace_check": checkCommand,
	"node_create": addCommand, "node_get": listing(showNode), "node_list": listCommand, "node_move": moveCommand,
	"node_update": nodeUpdateCommand, "node_delete": nodeDeleteCommand,
	"node_transition": transitionByName, "node_isolate": isolateCommand, "context_get": contextCommand,
	"context_focus": focusCommand, "log_append": logCommand, "problem_update": problemCommand,
	"session_bind": shows(showBound), "session_status": shows(showSession), "changes_get": changesCommand,
	"session_start": shows(showStarted), "session_list": listing(showSessions), "session_load": sessionLoadCommand,
	"transcript_read": shows(showTranscript), "memory_read": memoryReadCommand, "memory_list": listing(showSlots),
	"memory_compress": shows(showSizes),
	"memory_export":   shows(showExport), "memory_import": memoryImportCommand, "memory_merge": shows(showMerge),
	"memory_delete": memoryDeleteCommand, "config_get": configCommand,
	"node_next": nextCommand, "workspace_update_rules": rulesCommand, "workspace_update_docs": docsCommand,
	"node_reference": refCommand, "workspace_load": shows(showLoad),
	"workspace_resolve": shows(showResolved), "workspace_gc": shows(showCollected),
	"state_save": shows(showSaved), "state_list": stateListCommand, "state_load": stateLoadCommand, "state_delete": stateDeleteCommand, "search": searchCommand,
	"resolve_conflict": conflictsCommand, "git_install": gitInstallCommand, "git_uninstall": gitUninstallCommand,
	"ask": shows(showAnswers), "sync": shows(showSync), "undo": undoCommand,
	"env_register": envAddCommand, "env_list": shows(showEnvironments), "env_restore": shows(showEnvironment), "env_trust": shows(showEnvironment),
	"env_grants": shows(showGrants), "env_clients": shows(showClients), "env_undo": shows(showFileChanged), "tool_list": shows(showTools), "tool_call": runCommand,
	"approve": approveCommand, "env_attach": envAttachCommand, "workspace_update": workspaceSetCommand,
	"history_get": historyCommand, "plan_diff": diffCommand, "plan_graph": graphCommand, "plan_stats": shows(showStats),
	"people_list": shows(showPeople), "people_tokens": shows(showTokens), "people_add": shows(showInvited),
	"people_grant": shows(showGranted), "people_revoke": shows(showRevoked), "people_rm": shows(showRemoved),
	"blame": shows(showBlame), "import": importCommand, "adopt": adoptCommand, "export": exportCommand,
}

// operationCommand returns the command of an operation, named by the last word of path.
func operationCommand(sh *shell, o ops.Operation, path string) *cobra.Command {
	c := command{}
	if special := specials[o.Name]; special != nil {
		c = special(sh)
	}
	c.op, c.name = o.Name, path[strings.LastIndexByte(path, ' ')+1:]
	return sh.command(c)
}

// command returns the cobra command of c.
func (sh *shell) command(c command) *cobra.Command {
	o, _ := ops.Find(c.op)
	help := o.Help
	if c.help.Use != "" {
		help = c.help
	}
	if c.in == nil {
		c.in = reflect.New(o.In).Interface()
	}
	path, use := ops.SplitUse(help.Use)
	if c.name == "" {
		c.name = path[strings.LastIndexByte(path, ' ')+1:]
	}
	b := &binding{sh: sh, command: &c, o: o, in: reflect.ValueOf(c.in).Elem(), words: wordsOf(use)}
	cmd := &cobra.Command{
		Use:   strings.TrimSpace(c.name + " " + use),
		Short: sentence(help.Summary), Long: help.Text, Example: help.Example,
		Aliases: strings.Fields(help.Aliases), ValidArgsFunction: b.complete, RunE: b.run,
	}
	if sh.flagged == nil {
		sh.flagged = map[*cobra.Command]func(){}
	}
	sh.flagged[cmd] = func() {
		b.flags(cmd)
		if c.flags != nil {
			c.flags(cmd)
		}
		if c.list {
			sh.lists(cmd)
		}
	}
	for _, verb := range c.verbs {
		verb.op = c.op
		cmd.AddCommand(sh.command(verb))
	}
	return cmd
}

// run reads the command line into the input, calls the operation and prints its result.
func (b *binding) run(cmd *cobra.Command, words []string) error {
	ctx, c, sh := cmd.Context(), b.command, b.sh
	sh.parts = !b.o.Writes
	if err := b.parse(cmd, words); err != nil {
		return err
	}
	for _, p := range b.o.Params() {
		if kind := p.Field.Tag.Get("is"); kind == "node" || kind == "planning" {
			for _, v := range textsIn(b.field(p)) {
				id, err := sh.node(ctx, v.String())
				if err != nil {
					return err
				}
				v.SetString(id)
			}
		}
	}
	further := b.further()
	for i, word := range *further {
		id, err := sh.node(ctx, word)
		if err != nil {
			return err
		}
		(*further)[i] = id
	}
	if c.instead != nil {
		if done, err := c.instead(ctx); done || err != nil {
			return err
		}
	}
	if err := b.required(cmd); err != nil {
		return err
	}
	if c.text != nil && c.text.given() {
		text, err := c.text.read(ctx, sh, c.start)
		if err != nil {
			return err
		}
		c.put(text)
	}
	env, err := sh.env(ctx, c.mode)
	if err != nil {
		return err
	}
	if list, ok := c.in.(interface{ All() }); ok && sh.flags.all {
		list.All()
	}
	out, err := b.o.Run(ctx, env, c.in)
	if e := errs.As(err); e != nil && e.Details != nil && e.Details.Param == "slot" && e.Code == errs.InvalidParams {
		for _, o := range slotOffers(false)(ctx, sh) {
			sh.offered = append(sh.offered, strings.TrimSpace(o.word+"  "+o.desc))
		}
	}
	if err != nil && len(*further) > 0 && c.text != nil {
		return orText(err, "-m TEXT gives it")
	}
	if err != nil {
		return err
	}
	defer sent(ctx, sh, out, out)
	written, writes := out.(interface{ Written() ops.Wrote })
	switch {
	case c.show != nil && (writes || !sh.flags.json):
		return c.show(out)
	case writes:
		return sh.wrote(out, written.Written(), "")
	}
	if c.doc != nil {
		return sh.json(c.doc(out))
	}
	return sh.json(out)
}
