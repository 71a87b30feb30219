package cli

import (
	"context"

	"arbor/context/render"
	"arbor/engine/exchange"
	"arbor/engine/ops"
)

// exportCommand is arbor export. A file or pipe gets the text as it is.
func exportCommand(sh *shell) command {
	offers := func(context.Context, []string) (all []offer) {
		for _, f := range exchange.Formats() {
			all = append(all, offer{word: f.Name, desc: f.Form})
		}
		return all
	}
	return command{offers: offers, show: showing(sh, func(sh *shell, out *ops.ExportOut) error {
		for _, d := range out.Damaged {
			sh.say("damaged: %s", d)
		}
		if out.Hint != "" {
			sh.say("%s", out.Hint)
		}
		if sh.term.out {
			return sh.onScreen(render.VisibleLines(out.Text))
		}
		return sh.print(out.Text)
	})}
}
