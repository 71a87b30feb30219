package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// stateListCommand lists the states of all sessions, or of the one that --session names. It ignores ARBOR_SESSION.
func stateListCommand(sh *shell) command {
	in := &ops.StateListIn{}
	return command{in: in, list: true, show: showing(sh, showStates), check: func(*cobra.Command) error {
		in.SessionID = sh.flags.session
		return nil
	}}
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
	return sh.listed("states", []string{"ID", "SAVED", "NAME"}, rows, out.Listed)
}

func showSaved(sh *shell, out *ops.StateSaveOut) error { return sh.wrote(out, out.Wrote, out.StateID) }

func stateDeleteCommand(sh *shell) command {
	in := &ops.StateDeleteIn{}
	return confirmed(sh, in, &in.DryRun, ops.StateDelete, func(would *ops.StateDeleteOut) string {
		return "Move the state " + would.StateID + " to the trash?"
	})
}

func stateLoadCommand(sh *shell) command {
	in := &ops.StateLoadIn{}
	return command{in: in, show: showing(sh, showState), flags: readFlag(&in.Continue)}
}

// readFlag adds --read, which sets *goOn to false, to a command that continues a session or state.
func readFlag(goOn **bool) func(*cobra.Command) {
	return func(cmd *cobra.Command) {
		cmd.Flags().BoolFunc("read", "only print it: start no session and bind nothing", func(string) error {
			*goOn = new(false)
			return nil
		})
	}
}

func showState(sh *shell, out *ops.StateLoadOut) error {
	if sh.flags.json || sh.flags.quiet || out.DryRun {
		return sh.wrote(out, out.Wrote, out.NewSessionID)
	}
	p, names := sh.page(), namesOf(sh, "")
	p.title(out.State.Name, out.State.ID)
	p.line(out.State.Description)
	facts := []string{"saved " + timeOf(out.State.Created)}
	for _, f := range [][2]string{{"in ", out.State.SessionID}, {"tags ", strings.Join(out.State.Tags, ", ")},
		{"node ", names.titled(out.NodeID)}, {"commit ", shortCommit(out.Commit)}} {
		if f[1] != "" {
			facts = append(facts, render.Visible(f[0]+f[1]))
		}
	}
	p.facts(facts)
	since := sinceThen(names, out.Nodes, out.Counts)
	if out.Head != "" {
		since = append(since, "commit "+shortCommit(out.Commit)+" → "+shortCommit(out.Head))
	}
	p.list("## Since then", since)
	p.section("## "+mdstore.SecActiveTask, out.ActiveTask)
	p.list("## "+mdstore.SecNextSteps, out.NextSteps)
	var files []string
	for _, f := range out.ActiveFiles {
		files = append(files, f.Path+" ("+f.Status+")")
	}
	p.list("## "+mdstore.SecActiveFiles, files)
	p.section("## "+mdstore.SecConversation, out.ConversationContext)
	p.section("## "+mdstore.SecReasoning, out.Reasoning)
	p.section("## "+mdstore.SecWorkspaceWas, out.WorkspaceContext)
	p.bound(out.Bound)
	err := p.print(out.Hint)
	for _, text := range out.Warned {
		sh.say("warning: %s", text)
	}
	return err
}

// sinceThen returns what changed in the plan since a session ended or a state was saved, one line each.
func sinceThen(names names, nodes []view.NodeSince, counts []view.CountSince) (lines []string) {
	for _, n := range nodes {
		what := n.From + " → " + n.To
		if n.From == n.To {
			what = "edited"
		}
		lines = append(lines, names.titled(string(n.NodeID))+": "+what)
	}
	for _, c := range counts {
		lines = append(lines, fmt.Sprintf("nodes %s: %d → %d", c.Status, c.From, c.To))
	}
	return lines
}

func shortCommit(id string) string { return id[:min(len(id), 12)] }
