package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func historyCommand(sh *shell) command {
	in := &ops.HistoryGetIn{}
	return command{in: in, list: true, show: showing(sh, showHistory), check: func(*cobra.Command) error {
		if sh.flags.all {
			in.Limit = -1
		}
		return nil
	}}
}

// showHistory prints the author and time of each commit, and below them the changes and the new lines of the log.
func showHistory(sh *shell, out *ops.HistoryGetOut) error {
	var all []string
	style, n := sh.style(), namesOf(sh, "")
	for _, e := range out.Entries {
		head := style.Paint("33", cmp.Or(e.Commit, "not committed"))
		if sh.flags.quiet {
			all = append(all, head)
			continue
		}
		all = append(all, strings.TrimSpace(head+"  "+inUTC(e.Time)+"  "+render.Visible(e.Author)))
		for _, w := range e.What {
			all = append(all, "    "+render.Visible(n.withTitles(w.String())))
		}
		for _, l := range e.Log {
			text, _, _ := strings.Cut(l.Event, "\n")
			all = append(all, "    "+style.Paint("2", render.Visible(inUTC(l.Time)+" "+l.Operator+": "+n.withTitles(text))))
		}
	}
	sh.bounded(all, "lines")
	sh.hint(out.Hint)
	return sh.unprinted
}

func showBlame(sh *shell, out *ops.BlameOut) error {
	var rows [][]cell
	for _, p := range out.Parts {
		who := strings.TrimPrefix(strings.Join(append([]string{p.Author}, p.Others...), ", "), ", ")
		commit := cmp.Or(p.Commit, "not committed")
		rows = append(rows, []cell{{text: p.Name}, {text: commit, sgr: "33"}, {text: inUTC(p.Time)}, {text: who}})
	}
	sh.bounded(sh.table([]string{"PART", "COMMIT", "TIME", "WHO"}, rows), "lines")
	sh.hint(out.Hint)
	return sh.unprinted
}
