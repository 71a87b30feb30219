package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func searchCommand(sh *shell) command {
	open := false
	return command{
		flags: func(cmd *cobra.Command) { cmd.Flags().BoolVar(&open, "open", false, "open the first in your editor") },
		show: showing(sh, func(sh *shell, out *ops.SearchOut) error {
			if open && len(out.Results) > 0 {
				return openEditor(sh, sh.placeOf(out.Results[0].Path))
			}
			var lines []string
			for _, f := range out.Results {
				if id := render.Visible(cmp.Or(f.ID, f.Slot, sh.shown(f.Path))); sh.flags.quiet {
					if !slices.Contains(lines, id) {
						lines = append(lines, id)
					}
					continue
				}
				lines = append(lines, strings.TrimRight(placed(sh, f.Source)+painted(sh, f), " "))
			}
			sayUnread(sh, out.Unread)
			if len(lines) == 0 || out.Cursor != "" {
				sh.warn("%s", out.Hint)
			}
			return sh.print(strings.Join(lines, "\n"))
		}),
	}
}

// painted returns the snippet of a result with the found words in colour.
func painted(sh *shell, f ops.Found) string {
	text, at, out := []rune(f.Snippet), 0, ""
	for _, h := range f.Highlights {
		out += render.Visible(string(text[at:h.Start])) + sh.style().Paint("1;33", render.Visible(string(text[h.Start:h.End])))
		at = h.End
	}
	return out + render.Visible(string(text[at:]))
}

// placed returns the title of a result and its place: the id of a node, session or state, or else file and line, which
// -v shows for all results.
func placed(sh *shell, s ops.Source) string {
	names := namesOf(sh, s.WorkspaceID)
	at := names.id(s.ID)
	if at == s.ID {
		at = names.short(s.ID)
	}
	if s.Kind == "doc" || s.ID == "" || sh.flags.verbose {
		at = fmt.Sprintf("%s:%d", sh.shown(s.Path), s.Line)
	}
	return sh.style().Paint("1", render.Visible(s.Title)) + "  " + sh.style().Paint("2", render.Visible(at)) + "  "
}

// sayUnread names files that a search could not look at.
func sayUnread(sh *shell, all []string) {
	for _, u := range all {
		sh.warn("not searched: %s", u)
	}
}

func showAnswers(sh *shell, out *ops.AskOut) error {
	sayUnread(sh, out.Unread)
	var lines []string
	for _, p := range out.Passages {
		lines = append(lines, placed(sh, p.Source)+render.Visible(p.Sentence))
	}
	if len(lines) == 0 {
		sh.say("nothing answers")
	}
	return sh.print(strings.Join(lines, "\n"))
}
