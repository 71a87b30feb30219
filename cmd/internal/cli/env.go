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

// uriOf returns a word that is a URI as it is, and otherwise the URI of the folder that it names.
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

// envAttachCommand attaches an environment to the session. If it is given a folder, it makes an environment of that
// first.
func envAttachCommand(sh *shell) command {
	in, here := &ops.EnvAttachIn{}, ops.EnvRegisterIn{}
	c := command{in: in}
	c.flags = func(cmd *cobra.Command) {
		fs, levels := cmd.Flags(), []string{string(places.Full), string(places.Restricted), string(places.ReadOnly)}
		fs.StringVar(&here.Trust, "trust", "", "of a folder: tools run as `full|restricted|read_only`; "+
			"restricted unless given")
		fs.StringVar(&here.ID, "id", "", "of a folder: its `ID`; made of its name unless given")
		must(cmd.RegisterFlagCompletionFunc("trust", choices(levels...)))
	}
	c.instead = func(ctx context.Context) (bool, error) {
		folder := in.ID == "." || strings.ContainsAny(in.ID, `/\:`)
		switch {
		case !folder && here.Trust+here.ID != "":
			return true, usagef("--trust and --id are of a folder, as in arbor env attach . --trust restricted")
		case !folder:
			return false, nil
		case in.Folder != "" || len(in.Tools) > 0:
			return true, usagef("--folder and --tools go with the id of an environment; %s is a folder", in.ID)
		}
		here.URI = uriOf(sh, in.ID)
		e, err := call(ctx, sh, func(ctx context.Context, env *ops.Env, in ops.EnvRegisterIn) (*ops.EnvRegisterOut, error) {
			return ops.EnvAttachHere(ctx, env, in, ops.SessionRef{SessionID: sh.session()})
		}, here)
		if err != nil {
			return true, err
		}
		if sh.flags.json {
			return true, sh.json(struct {
				*ops.EnvRegisterOut
				Attached bool `json:"attached"`
			}{e, true})
		}
		return true, showEnvironment(sh, e)
	}
	return c
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
	sh.sayDry()
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

// showRun prints the output of a tool's program. It returns an error if the program failed.
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
	if out.Undo != "" {
		sh.say("%s is as it was; arbor env undo %s takes this back", out.Path, out.Undo)
		return nil
	}
	sh.say("%s would be as it was", out.Path)
	sh.sayDry()
	return nil
}

func showClients(sh *shell, out *ops.EnvClientsOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	var rows [][]cell
	for _, c := range out.Clients {
		added := c.Added.Time().Local().Format(time.DateTime)
		rows = append(rows, []cell{{text: c.ID}, {text: c.Root}, {text: string(c.Trust)}, {text: added, sgr: "2"}})
	}
	if len(rows) == 0 {
		sh.say("no clients; arbor serve --pair shows a code with which one connects")
		return nil
	}
	return sh.bounded(sh.table([]string{"CLIENT", "FOLDER", "TRUST", "ADDED"}, rows), "lines")
}
