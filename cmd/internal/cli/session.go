package cli

import (
	"cmp"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
)

// exports returns the shell command that sets ARBOR_SESSION to a session.
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
	return sh.listed("sessions", []string{"ID", "STARTED", "ENDED", "NAME"}, rows, out.Listed)
}

func sessionLoadCommand(sh *shell) command {
	in := &ops.SessionLoadIn{}
	return command{in: in, show: showing(sh, showLoaded), flags: readFlag(&in.Continue)}
}

func showLoaded(sh *shell, out *ops.SessionLoadOut) error {
	if sh.flags.json || sh.flags.quiet || out.DryRun {
		return sh.wrote(out, out.Wrote, cmp.Or(out.Started, out.SessionID))
	}
	p := sh.page()
	p.title(out.Name, out.SessionID)
	p.section("## Goal", out.Goal)
	p.section("## Notes", out.Notes)
	p.log(out.Log, out.LogHidden, "the session's file has them")
	p.list("## States", headLines(out.States))
	p.list("## Since then", sinceThen(namesOf(sh, ""), out.Nodes, out.Counts))
	p.bound(out.Bound)
	return p.print(out.Hint)
}

// bound writes the shell command that sets ARBOR_SESSION, if the session is not the present one.
func (p *page) bound(to ops.Bound) {
	if to.Caller != "" && to.Caller != p.sh.session() {
		p.write("\nto go on in that session in your shell:\n" + render.Visible(exports(to.Caller)))
	}
}

func showTranscript(sh *shell, out *ops.TranscriptReadOut) error {
	var all []string
	for _, m := range out.Messages {
		all = append(all, m.Role+":\n"+m.Text+"\n")
	}
	return sh.onScreen(render.VisibleLines(strings.Join(all, "\n")))
}
