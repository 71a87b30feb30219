package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// addCommand is arbor add. With - instead of a title it adds the nodes of an outline from stdin. A person need not give
// the hash of the rules; instead the rules are shown once after each change.
func addCommand(sh *shell) command {
	in := &ops.NodeCreateIn{}
	c := command{in: in, show: showing(sh, showAdded)}
	c.check = func(cmd *cobra.Command) error {
		if in.Title == "" && in.Like == "" {
			return usagef("%s needs a TITLE, or --like NODE", cmd.CommandPath())
		}
		return nil
	}
	c.instead = func(ctx context.Context) (bool, error) {
		env, err := sh.env(ctx, MustExist)
		if err != nil {
			return false, err
		}
		if env.Operator == mdstore.OperatorHuman && in.RulesHash == "" {
			in.RulesRead = true
			if !in.DryRun && !sh.flags.quiet && !sh.flags.json {
				rules, _ := ops.RulesOnce(ctx, env, sh.in()) // the operation reports any error
				for i, r := range rules {
					if i == 0 {
						sh.say("the rules here, new to you:")
					}
					sh.say("- %s", strings.ReplaceAll(r, "\n", "\n  "))
				}
			}
		}
		if in.Title != "-" {
			return false, nil
		}
		text, err := readStdin(ctx, sh, "the outline")
		if err != nil {
			return true, err
		}
		nodes, err := outline(text)
		switch {
		case err != nil:
			return true, err
		case len(nodes) == 0:
			return true, usagef("the outline has no line; each line is a title, indented below its parent")
		}
		out, err := ops.Outline(ctx, env, ops.OutlineIn{NodeCreateIn: *in, Nodes: nodes})
		if err != nil {
			return true, err
		}
		var ids []string
		for _, n := range out.Nodes {
			ids = append(ids, n.NodeID)
		}
		if sh.flags.quiet && !sh.flags.json && !in.DryRun {
			return true, sh.print(strings.Join(ids, "\n"))
		}
		return true, sh.wrote(out, out.Wrote, "")
	}
	return c
}

// mark matches a line: indentation, list mark, task box, and the rest.
var mark = pattern.Of(`^([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)?((?:\[[ xX]\][ \t]+)?)(.*)$`)

var heading = pattern.Of(`^#{1,6}[ \t]`)

// outline reads titles that are indented below each other: plain lines, or the items of a Markdown list, whose further
// lines are the requirement. Headings are left out. A line whose indentation matches none of its possible siblings is
// refused, because its parent is not clear.
func outline(text string) ([]ops.NewChild, error) {
	type open struct {
		indent int
		at     *[]ops.NewChild // the list in which the line is the last item
	}
	var out []ops.NewChild
	var way []open
	list := false
	at := 0
	for line := range strings.Lines(text) {
		at++
		m := mark().FindStringSubmatch(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r\n"))
		if m == nil || m[4] == "" || heading().MatchString(line) {
			continue
		}
		indent := len(m[1])
		if list = list || m[2] != ""; list && m[2] == "" && len(way) > 0 {
			item := &(*way[len(way)-1].at)[len(*way[len(way)-1].at)-1]
			item.Requirement = strings.TrimSpace(item.Requirement + "\n" + m[4])
			continue
		}
		beside := indent
		for len(way) > 0 && way[len(way)-1].indent >= indent {
			beside = way[len(way)-1].indent
			way = way[:len(way)-1]
		}
		if beside != indent {
			return nil, usagef("line %d of the outline, %q, is indented by %d columns, and the line that it could stand "+
				"beside by %d; give both the same indentation", at, m[4], indent, beside)
		}
		siblings := &out
		if len(way) > 0 {
			above := *way[len(way)-1].at
			siblings = &above[len(above)-1].Children
		}
		*siblings = append(*siblings, ops.NewChild{Title: m[4]})
		way = append(way, open{indent, siblings})
	}
	return out, nil
}
