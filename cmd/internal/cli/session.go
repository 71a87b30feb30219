package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func newTranscript(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "transcript", Short: "Keep the messages of a session", RunE: sh.runGroup,
		Long:    "The session is that of --session or ARBOR_SESSION; arbor session start makes one.",
		Example: "arbor transcript append user \"Where were we?\"\narbor transcript read --last 2",
	}
}

// exports returns the line of a shell that makes a session the shell's.
func exports(session string) string {
	return "export ARBOR_SESSION='" + strings.ReplaceAll(session, "'", `'\''`) + "'"
}

func showStarted(sh *shell, out *ops.SessionStartOut) error {
	if sh.flags.json || out.DryRun || sh.flags.quiet {
		return sh.wrote(out, out.Wrote, out.SessionID)
	}
	sh.say("session %s started, bound to this shell by the line that is printed", out.SessionID)
	return sh.print(render.Visible(exports(out.Caller)))
}

func showSessions(sh *shell, out *ops.SessionListOut) error {
	var rows [][]cell
	for _, s := range out.Sessions {
		ended := ""
		if s.EndedAt != 0 {
			ended = timeOf(s.EndedAt)
		}
		rows = append(rows, []cell{{text: s.ID, sgr: "2"}, {text: timeOf(s.StartedAt)}, {text: ended}, {text: s.Name}})
	}
	if len(rows) == 0 {
		sh.say("no sessions")
	}
	sh.bounded(sh.table([]string{"ID", "STARTED", "ENDED", "NAME"}, rows), "lines")
	if out.Hidden > 0 {
		sh.warn("%s more", counted(out.Hidden, "session"))
	}
	return sh.unprinted
}

// sessionLoadCommand adds --read, which binds nothing.
func sessionLoadCommand(sh *shell) command {
	in, read := &ops.SessionLoadIn{}, false
	return command{in: in, show: showing(sh, showLoaded),
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&read, "read", false, "only print it: bind and start nothing")
		},
		check: func(*cobra.Command) error {
			if goOn := !read; read {
				in.Continue = &goOn
			}
			return nil
		}}
}

func showLoaded(sh *shell, out *ops.SessionLoadOut) error {
	if sh.flags.json || sh.flags.quiet || out.DryRun {
		id := out.Started
		if id == "" {
			id = out.SessionID
		}
		return sh.wrote(out, out.Wrote, id)
	}
	p := sh.page()
	p.title(out.Name, out.SessionID)
	facts := []string{"started " + timeOf(out.StartedAt)}
	if out.EndedAt != 0 {
		facts = append(facts, "ended "+timeOf(out.EndedAt))
	}
	p.facts(facts)
	p.section("Goal", out.Goal)
	p.section("Notes", out.Notes)
	p.log(out.Log, out.LogHidden, "the session's file has them")
	var states, since []string
	for _, s := range out.States {
		states = append(states, s.ID+"  "+s.Name)
	}
	for _, n := range out.Nodes {
		since = append(since, fmt.Sprintf("%s %s: %s", n.NodeID, n.Title, becameOf(n.From, n.To)))
	}
	for _, c := range out.Counts {
		since = append(since, fmt.Sprintf("nodes %s: %s", c.Status, becameOf(c.From, c.To)))
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"States", states}, {"Changed since", since}} {
		if len(list.items) > 0 {
			p.heading(list.name)
			p.items(list.items)
		}
	}
	if out.Caller != "" && out.Caller != sh.session() {
		p.write("\n" + render.Visible(exports(out.Caller)))
	}
	return p.print(out.Hint)
}

// becameOf tells a change; what stays the same has another text.
func becameOf(from, to any) string {
	if from == to {
		return fmt.Sprint("edited, still ", to)
	}
	return fmt.Sprintf("%v → %v", from, to)
}

func showTranscript(sh *shell, out *ops.TranscriptReadOut) error {
	var b strings.Builder
	for _, m := range out.Messages {
		fmt.Fprintf(&b, "%s:\n%s\n\n", m.Role, m.Text)
	}
	if len(out.Messages) == 0 {
		sh.say("no messages")
	}
	return sh.onScreen(render.VisibleLines(strings.TrimSuffix(b.String(), "\n")))
}
