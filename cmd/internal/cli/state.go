package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func newState(sh *shell) *cobra.Command {
	in := &ops.StateListIn{}
	return sh.command(command{
		op: "state_list", in: in, without: allParams, list: true, check: statesOfAll(sh, in), show: showing(sh, showStates), help: ops.Help{
			Use: "state", Summary: "save where the work stands, and take it up later", Aliases: "states",
			Text: "Without a verb it lists the newest states.", Example: "arbor state\narbor state load \"Before the review\"",
		},
	})
}

// statesOfAll keeps the session of the environment from narrowing a list: states are there for other sessions.
func statesOfAll(sh *shell, in *ops.StateListIn) func(*cobra.Command) error {
	return func(*cobra.Command) error {
		if in.SessionID = sh.flags.session; sh.flags.all {
			in.Limit = -1
		}
		return nil
	}
}

func stateListCommand(sh *shell) command {
	in := &ops.StateListIn{}
	return command{in: in, list: true, check: statesOfAll(sh, in), show: showing(sh, showStates)}
}

func showStates(sh *shell, out *ops.StateListOut) error {
	var rows [][]cell
	for _, s := range out.States {
		name := s.Name
		if len(s.Tags) > 0 {
			name += "  [" + strings.Join(s.Tags, ", ") + "]"
		}
		if s.Description != "" {
			name += "  " + s.Description
		}
		rows = append(rows, []cell{{text: s.ID, sgr: "2"}, {text: timeOf(s.Created)}, {text: name}})
	}
	if len(rows) == 0 {
		sh.say("no states")
	}
	sh.bounded(sh.table([]string{"ID", "SAVED", "NAME"}, rows), "lines")
	if out.Cursor != "" {
		sh.warn("%d of %d states; --cursor %s brings what follows, --all everything", len(out.States), out.Total, out.Cursor)
	}
	return nil
}

func stateSaveCommand(sh *shell) command {
	return command{show: showing(sh, func(sh *shell, out *ops.StateSaveOut) error { return sh.wrote(out, out.Wrote, out.StateID) })}
}

func stateDeleteCommand(sh *shell) command {
	in := &ops.StateDeleteIn{}
	return confirmed(sh, in, &in.DryRun, ops.StateDelete, func(would *ops.StateDeleteOut) string {
		return "Move the state " + would.StateID + " to the trash?"
	})
}

func stateLoadCommand(sh *shell) command {
	in := &ops.StateLoadIn{}
	return command{in: in, show: showing(sh, showState), flags: func(cmd *cobra.Command) {
		cmd.Flags().BoolFunc("read", "only print it: start no session and bind nothing", func(string) error {
			in.Continue = new(false)
			return nil
		})
	}}
}

func showState(sh *shell, out *ops.StateLoadOut) error {
	switch {
	case sh.flags.json:
		return sh.json(out)
	case out.DryRun:
		return sh.wrote(out, out.Wrote, "")
	case sh.flags.quiet:
		return sh.print(render.Visible(out.NewSessionID))
	}
	p := sh.page()
	p.title(out.State.Name, out.State.ID)
	p.line(out.State.Description)
	names := namesOf(sh, "")
	facts := []string{"saved " + timeOf(out.State.Created)}
	for _, f := range [][2]string{{"in ", out.State.SessionID}, {"tags ", strings.Join(out.State.Tags, ", ")}, {"node ", names.titled(out.NodeID)}, {"commit ", shortCommit(out.Commit)}} {
		if f[1] != "" {
			facts = append(facts, render.Visible(f[0]+f[1]))
		}
	}
	p.facts(facts)
	p.section("## Since then", strings.Join(sinceThen(out, names), "\n"))
	p.section("## "+mdstore.SecActiveTask, out.ActiveTask)
	if len(out.NextSteps) > 0 {
		p.heading("## " + mdstore.SecNextSteps)
		p.items(out.NextSteps)
	}
	if len(out.ActiveFiles) > 0 {
		p.heading("## " + mdstore.SecActiveFiles)
		for _, f := range out.ActiveFiles {
			p.items([]string{f.Path + " (" + f.Status + ")"})
		}
	}
	p.section("## "+mdstore.SecConversation, out.ConversationContext)
	p.section("## "+mdstore.SecReasoning, out.Reasoning)
	p.section("## "+mdstore.SecWorkspaceWas, out.WorkspaceContext)
	if out.NewSessionID != "" && out.Caller != sh.session() {
		p.write("\n" + render.Visible(exports(out.Caller)))
	}
	err := p.print(out.Hint)
	for _, text := range out.Warned {
		sh.say("warning: %s", text)
	}
	return err
}

// sinceThen says what changed in the plan and in git since a state was saved, one line each.
func sinceThen(out *ops.StateLoadOut, names names) (lines []string) {
	for _, n := range out.Nodes {
		what := n.From + " → " + n.To
		if n.From == n.To {
			what = "edited"
		}
		lines = append(lines, "- "+names.titled(string(n.NodeID))+": "+what)
	}
	for _, c := range out.Counts {
		lines = append(lines, fmt.Sprintf("- nodes %s: %d → %d", c.Status, c.From, c.To))
	}
	if out.Head != "" {
		lines = append(lines, "- commit "+shortCommit(out.Commit)+" → "+shortCommit(out.Head))
	}
	return lines
}

func shortCommit(id string) string { return id[:min(len(id), 12)] }
