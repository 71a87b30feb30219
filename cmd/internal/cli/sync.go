package cli

import "arbor/engine/ops"

// showSync prints what a sync did, with a line for each step.
func showSync(sh *shell, out *ops.SyncOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	text := ""
	add := func(what, did string) {
		if did != "" {
			text += what + ": " + did + "\n"
		}
	}
	committed, came := "committed", "came in"
	if out.DryRun {
		committed, came = "to commit", "to come in"
	}
	add(committed, out.Message)
	add(came, out.CameIn)
	if out.Pushed > 0 {
		add("pushed", counted(out.Pushed, "commit"))
	}
	if text == "" {
		text = "nothing to sync\n"
	}
	err := sh.text(text)
	for _, n := range out.Notes {
		sh.say("%s", n)
	}
	if out.Hint != "" {
		sh.hint(out.Hint)
	}
	return err
}
