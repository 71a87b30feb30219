package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"arbor/context/render"
	places "arbor/engine/env"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

func newEnv(sh *shell) *cobra.Command {
	c := &cobra.Command{
		Use: "env", Aliases: []string{"environment"}, Short: "Say where tools of assistants act, and how far", RunE: sh.runGroup,
		Long:    "An environment is a folder with tools and a level of trust: full runs all of them,\nrestricted asks you before anything changes, read_only changes nothing.",
		Example: "arbor env add . --trust restricted\narbor env attach-pwd --session s1\narbor env list",
	}
	c.AddCommand(attachPwdCommand(sh))
	return c
}

// uriOf returns the URI that a word means: a URI as it is, or a folder.
func uriOf(sh *shell, word string) string {
	if strings.Contains(word, "://") || strings.HasPrefix(word, "file:") {
		return word
	}
	return places.Address{Host: places.Server, Path: filepath.ToSlash(resolve(sh.dir(), word))}.String()
}

func envAddCommand(sh *shell) command {
	in := &ops.EnvRegisterIn{}
	return command{in: in, show: showing(sh, showEnvironment), check: func(*cobra.Command) error {
		in.URI = uriOf(sh, in.URI)
		return nil
	}}
}

// attachPwdCommand registers the working directory and attaches it to the session.
func attachPwdCommand(sh *shell) *cobra.Command {
	in := ops.EnvRegisterIn{}
	cmd := &cobra.Command{
		Use: "attach-pwd", Short: "Register the working directory and attach it to the session",
		Long:    "Where the folder is an environment already, it is that one. Twice is once.\nWithout a session that can have it nothing is registered or trusted.",
		Example: "arbor env attach-pwd --session s1\narbor env attach-pwd --trust read_only",
		RunE: func(cmd *cobra.Command, _ []string) error {
			in.URI = uriOf(sh, ".")
			here := func(ctx context.Context, env *ops.Env, in ops.EnvRegisterIn) (*ops.EnvRegisterOut, error) {
				return ops.EnvAttachHere(ctx, env, in, ops.SessionRef{SessionID: sh.session()})
			}
			e, err := call(cmd.Context(), sh, here, in)
			if err != nil {
				return err
			}
			if sh.flags.json {
				return sh.json(struct {
					*ops.EnvRegisterOut
					Attached bool `json:"attached"`
				}{e, true})
			}
			return showEnvironment(sh, e)
		},
	}
	cmd.Flags().StringVar(&in.Trust, "trust", "", "how far tools run unasked, `full|restricted|read_only`; restricted unless given")
	cmd.Flags().StringVar(&in.ID, "id", "", "its `ID`; made of the folder's name unless given")
	must(cmd.RegisterFlagCompletionFunc("trust", choices(string(places.Full), string(places.Restricted), string(places.ReadOnly))))
	return cmd
}

func showEnvironment(sh *shell, out *ops.EnvRegisterOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	if sh.flags.quiet {
		sh.onScreen(out.ID)
		return nil
	}
	sh.onScreen(render.Visible(fmt.Sprintf("%s  %s  %s", out.ID, out.Status, out.URI)))
	sh.hint(out.Hint)
	return nil
}

func showEnvironments(sh *shell, out *ops.EnvListOut) error {
	var rows [][]cell
	for _, e := range out.Environments {
		how := ""
		switch {
		case e.Primary:
			how = "the session's own"
		case e.Attached:
			how = "attached"
		}
		trust := string(e.Environment.Trust)
		if e.Trusted != "" && e.Trusted != e.Environment.Trust {
			trust = fmt.Sprintf("%s (asks for %s)", e.Trusted, trust)
		}
		rows = append(rows, []cell{{text: e.ID}, {text: string(e.Status)}, {text: trust}, {text: how}, {text: e.URI, sgr: "2"}})
	}
	if len(rows) == 0 {
		sh.say("no environments; arbor env add DIR makes one")
		return nil
	}
	if err := sh.bounded(sh.table([]string{"ENV", "STATUS", "TRUST", "", "URI"}, rows), "lines"); err != nil {
		return err
	}
	if out.Confinement == "" {
		sh.say("nothing on this system confines programs of tools; each asks to run unconfined")
	} else {
		sh.say("programs of tools are confined by %s", out.Confinement)
	}
	return nil
}

func showTools(sh *shell, out *ops.ToolListOut) error {
	var rows [][]cell
	for _, t := range out.Tools {
		where := t.Taken
		if where == "" {
			where = strings.Join(t.Environments, ", ")
		}
		rows = append(rows, []cell{{text: t.Name}, {text: t.State}, {text: where}, {text: t.Description, sgr: "2"}})
	}
	if len(rows) == 0 {
		sh.say("no tools: no environment is registered; arbor env add DIR makes one")
	}
	return sh.bounded(sh.table([]string{"TOOL", "", "ENV", "ABOUT"}, rows), "lines")
}

// showRun prints what a program of a tool printed. It fails as the program did.
func showRun(sh *shell, out *ops.ToolCallOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	text := render.VisibleLines(out.Output)
	if out.Omitted > 0 {
		sh.say("%s of the output left out in the middle", counted(out.Omitted, "byte"))
	}
	sh.onScreen(text)
	switch {
	case out.TimedOut:
		return errs.New(errs.ToolRefused, "%s", out.Hint)
	case out.ExitCode != 0:
		return errs.New(errs.ToolRefused, "the program ended with code %d", out.ExitCode)
	}
	return nil
}

func showFileChanged(sh *shell, out *ops.FileChanged) error {
	sh.say("%s is as it was; arbor env undo %s takes this back", out.Path, out.Undo)
	return nil
}

func showClients(sh *shell, out *ops.EnvClientsOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	var rows [][]cell
	for _, c := range out.Clients {
		rows = append(rows, []cell{{text: c.ID}, {text: c.Root}, {text: string(c.Trust)}, {text: c.Added.Local().Format(time.DateTime), sgr: "2"}})
	}
	if len(rows) == 0 {
		sh.say("no clients; arbor serve --pair shows a code with which one connects")
		return nil
	}
	return sh.bounded(sh.table([]string{"CLIENT", "FOLDER", "TRUST", "ADDED"}, rows), "lines")
}
