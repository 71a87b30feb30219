package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/engine/env/trust"
	"arbor/engine/ops"
)

// approveCommand shows what waits, and what would be granted, before it asks.
func approveCommand(sh *shell) command {
	in := &ops.ApproveIn{}
	c := confirmed(sh, in, &in.DryRun, ops.Approve, func(would *ops.DecideOut) string {
		return asked(would.Request) + granted(would.Granted) + "Let it run?"
	})
	c.show = showing(sh, showDecision)
	return c
}

func showDecision(sh *shell, out *ops.DecideOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	sh.say("%s: %s", out.Request.State, strings.TrimSpace(headOf(out.Request)))
	if out.Granted != nil {
		sh.say("%s", strings.TrimSpace(granted(out.Granted)))
	}
	sh.hint(out.Hint)
	return nil
}

func showApprovals(sh *shell, out *ops.ApprovalListOut) error {
	if sh.flags.quiet {
		for _, r := range out.Requests {
			if err := sh.onScreen(r.ID); err != nil {
				return err
			}
		}
		return nil
	}
	var all strings.Builder
	for _, r := range out.Requests {
		all.WriteString(asked(r) + "\n")
	}
	if len(out.Requests) == 0 {
		sh.say("nothing waits for you")
		return nil
	}
	err := sh.onScreen(strings.TrimSuffix(all.String(), "\n"))
	sh.hint("arbor approve ID lets one run, arbor deny ID refuses it")
	return err
}

// headOf says in a line what a request is about.
func headOf(r trust.Request) string {
	what := map[string]string{
		trust.KindCall: "run " + r.Tool, trust.KindTool: "enable the tool " + r.Tool,
		trust.KindRegister: "trust the environment", trust.KindAccess: "use the environment",
	}[r.Kind]
	return render.Visible(fmt.Sprintf("%s  %s  in %s", r.ID, what, r.Environment))
}

// asked shows a request whole. No character of it can move the cursor or turn the direction of writing.
func asked(r trust.Request) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, render.Visible(value))
		}
	}
	b.WriteString(headOf(r) + "\n")
	line("session", r.Session)
	line("asked", r.Asked.Local().Format(time.DateTime))
	line("because", r.Reason)
	if e := r.Subject; e != nil {
		line("folder", r.Root)
		line("trust", string(e.Trust))
		line("tools", strings.Join(e.Tools, ", "))
	}
	line("file", r.Path)
	line("arguments", arguments(r.Arguments))
	if r.Diff != "" {
		for text := range strings.SplitSeq(strings.TrimSuffix(r.Diff, "\n"), "\n") {
			b.WriteString("    " + render.Visible(text) + "\n")
		}
	}
	return b.String()
}

// arguments returns the arguments of a call as a person reads them: whole, but for those that the diff shows.
func arguments(raw json.RawMessage) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return string(raw)
	}
	delete(all, "sessionId")
	data, err := json.Marshal(all)
	if err != nil {
		return string(raw)
	}
	return string(data)
}

func granted(g *trust.Grant) string {
	if g == nil {
		return ""
	}
	far, what := "from now on, in every session", "files "+g.Glob
	if g.Session != "" {
		far = "for the session " + g.Session
	}
	if g.Glob == "" {
		what = "exactly these arguments"
	}
	return render.Visible(fmt.Sprintf("granted %s: %s in %s, %s", far, g.Tool, g.Environment, what)) + "\n"
}

func showGrants(sh *shell, out *ops.EnvGrantsOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	var rows [][]cell
	for _, g := range out.Grants {
		of, session := g.Glob, g.Session
		if of == "" {
			of = string(g.Arguments)
		}
		if session == "" {
			session = "every session"
		}
		rows = append(rows, []cell{{text: g.ID}, {text: g.Tool}, {text: g.Environment}, {text: of}, {text: session}})
	}
	if len(rows) == 0 {
		sh.say("nothing is granted")
		return nil
	}
	return sh.bounded(sh.table([]string{"ID", "TOOL", "ENV", "OF", "SESSION"}, rows), "lines")
}
