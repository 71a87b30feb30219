package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/engine/plan"
	"arbor/mdstore/pattern"
)

// ruleVerbs are the verbs below arbor ws rules.
var ruleVerbs = []struct{ verb, action, summary, text, example string }{
	{"add", "add", "add rules",
		`Rules come as words, one rule each, or one a line from -F FILE or - (stdin). A
file may be what arbor ws rules prints: list marks and the line of the hash are
no rules.`, `arbor ws rules add "No new dependencies" "Tests first"`},
	{"set", "change", "change one rule, or replace all of them",
		`With two words it changes the rule with the exact text of the first into the
second. -F FILE or - (stdin) replaces all rules, one a line.`,
		"arbor ws rules set \"Tests first\" \"Tests first, then the code\"\narbor ws rules set -F rules.txt"},
	{"rm", "remove", "remove rules, each by its exact text",
		"Rules come as words, one rule each, or one a line from -F FILE or - (stdin).",
		`arbor ws rules rm "No new dependencies"`},
}

func rulesCommand(sh *shell) command {
	c := command{without: allParams, instead: always(sh, func(sh *shell, out *ops.WorkspaceGetOut) error {
		defer sent(context.Background(), sh, out, out.Workspace.Rules)
		return showRules(sh, out)
	})}
	for _, v := range ruleVerbs {
		in, text := &ops.WorkspaceUpdateRulesIn{Action: v.action}, &textSource{what: "the rules"}
		c.verbs = append(c.verbs, command{
			in: in, text: text,
			help: ops.Help{
				Use: v.verb + " [RULE...] [-]", Summary: v.summary, Example: v.example, Text: v.text,
			},
			flags: func(cmd *cobra.Command) {
				cmd.Flags().StringVarP(&text.file, "file", "F", "", "one rule a line from a `FILE`; - is stdin")
				must(cmd.MarkFlagFilename("file"))
			},
			check: func(*cobra.Command) error {
				if len(in.Rules) == 1 && in.Rules[0] == "-" {
					text.word, in.Rules = new("-"), nil
				}
				if v.action == "change" && text.given() {
					in.Action = string(plan.ReplaceRules)
				}
				switch {
				case in.Action == "change" && len(in.Rules) != 2:
					return usagef("arbor ws rules set takes two words, the RULE as it is and as it is to be; -F " +
						"FILE or - replaces all rules")
				case in.Action == "change":
					in.From, in.To, in.Rules = in.Rules[0], in.Rules[1], nil
				case len(in.Rules) > 0 && text.file != "" || text.word != nil && text.file != "":
					return usagef("the rules are given in words and in a file; one of both is enough")
				case len(in.Rules) == 0 && !text.given():
					return usagef("arbor ws rules %s needs a RULE, -F FILE, or - for stdin", v.verb)
				}
				return nil
			},
			put: func(s string) { in.Rules = rulesOf(s) },
			offers: func(ctx context.Context, given []string) (all []offer) {
				ws, err := sh.own(ctx)
				if v.action != "remove" && (v.action != "change" || len(given) > 0) || err != nil {
					return nil
				}
				for _, r := range ws.Workspace.Rules {
					if !slices.Contains(given, r) {
						all = append(all, offer{word: r})
					}
				}
				return all
			},
		})
	}
	return c
}

func showRules(sh *shell, out *ops.WorkspaceGetOut) error {
	rules, hash := out.Workspace.Rules, out.Workspace.RulesHash
	if sh.flags.json {
		return sh.part(map[string]any{"rules": rules, "rulesHash": hash}, out.Diagnostics,
			"arbor ws rules add adds to them")
	}
	sh.damage(out.Diagnostics)
	switch {
	case sh.flags.quiet:
		return sh.text(strings.Join(rules, "\n"))
	case len(rules) == 0:
		sh.say("%s has no rules", out.Workspace.Name)
		return nil
	}
	p := sh.page()
	p.ruleList(rules, hash)
	return p.print("")
}

// hashLine begins the last line that arbor ws rules prints; the hash follows.
const hashLine = "rules hash "

var isHashLine = pattern.Of("^" + hashLine + "[0-9a-f]{8}$")

// rulesOf returns the rules in a text, one a line, or in the form that arbor ws rules prints. For an empty text the
// list is empty and not nil.
func rulesOf(text string) []string {
	rules := []string{}
	listed := false // the last rule is an item of a list, whose further lines are indented
	blank := ""     // line ends of the blank lines since the last rule
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		item, marked := strings.CutPrefix(line, "- ")
		switch further, indented := strings.CutPrefix(line, "  "); {
		case strings.TrimSpace(line) == "":
			blank += "\n"
			continue
		case indented && listed:
			rules[len(rules)-1] += blank + "\n" + further
			marked = true
		case isHashLine().MatchString(line):
		default:
			rules = append(rules, strings.TrimSpace(item))
		}
		listed, blank = marked, ""
	}
	return rules
}
