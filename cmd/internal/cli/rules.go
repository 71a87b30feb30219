package cli

import (
	"context"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

type rulesOptions struct {
	*shell
	in   ops.WorkspaceUpdateRulesIn
	text textSource // one rule a line
}

func newRules(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "Read the rules of a workspace, or change them",
		Long: `Without a verb it prints the rules and their hash. Where there are rules, arbor add
asks for that hash: having it is the proof that the rules were read.`,
		Example: `arbor rules
arbor rules add "No new dependencies"
arbor rules replace -F rules.txt`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return unknownCommand(cmd, words[0])
			}
			return runRules(cmd.Context(), &rulesOptions{shell: sh})
		},
	}
	cmd.AddCommand(
		newRulesChange(sh, "add", "Add rules", `arbor rules add "No new dependencies" "Tests first"`, nil),
		newRulesChange(sh, "remove", "Remove rules, each by its exact text", `arbor rules remove "No new dependencies"`, nil),
		newRulesChange(sh, "replace", "Put these rules in place of all there are", "arbor rules replace -F rules.txt\narbor rules replace \"The only rule\"", nil))
	return cmd
}

func runRules(ctx context.Context, opt *rulesOptions) error {
	out, err := call(ctx, opt.shell, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: opt.shell.in()})
	if err != nil {
		return err
	}
	rules, hash := out.Workspace.Rules, out.Workspace.RulesHash
	if !opt.flags.json {
		opt.damage(out.Diagnostics)
	}
	switch {
	case opt.flags.json:
		return opt.json(struct {
			Rules       []string          `json:"rules"`
			RulesHash   string            `json:"rulesHash"`
			Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
			ops.Out
		}{rules, hash, out.Diagnostics, hinted("arbor rules add adds to them; arbor add asks for the hash as --rules-hash where there are any")})
	case opt.flags.quiet:
		return opt.shell.text(strings.Join(rules, "\n"))
	case len(rules) == 0:
		opt.say("%s has no rules", out.Workspace.Name)
		return nil
	}
	p := opt.page()
	p.items(rules)
	if hash != "" {
		p.b.WriteString("\n" + p.style.Paint("2", strings.TrimSpace(hashLine)) + " " + hash + "\n")
	}
	return p.print()
}

func newRulesChange(sh *shell, action, short, example string, run func(context.Context, *rulesOptions) error) *cobra.Command {
	if run == nil {
		run = runRulesChange
	}
	opt := &rulesOptions{shell: sh, in: ops.WorkspaceUpdateRulesIn{Action: action}}
	cmd := &cobra.Command{
		Use: action + " [RULE...] [-]", Short: short, Example: example,
		Long: `Rules come as words, one rule each, or one a line from -F FILE or - (stdin). A file
may be what arbor rules prints: the marks of a list and the line of the hash are no
rules.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: sh.completeRules(action),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.text.what = "the rules"
			if len(words) == 1 && words[0] == "-" {
				if err := opt.text.parsed(cmd, words); err != nil {
					return err
				}
			} else if opt.in.Rules = words; len(words) > 0 && opt.text.file != "" {
				return usagef("the rules are given in words and in a file; one of both is enough")
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVarP(&opt.text.file, "file", "F", "", "one rule a line from a `FILE`; - is stdin")
	must(cmd.MarkFlagFilename("file"))
	sh.matches(cmd)
	return cmd
}

func runRulesChange(ctx context.Context, opt *rulesOptions) error {
	if opt.text.given() {
		text, err := opt.text.read(ctx, opt.shell, nil)
		if err != nil {
			return err
		}
		opt.in.Rules = rulesOf(text)
	} else if len(opt.in.Rules) == 0 {
		return usagef("arbor rules %s needs a RULE, -F FILE, or - for stdin", opt.in.Action)
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.WorkspaceUpdateRules, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

// hashLine is what the hash follows in the last line that arbor rules prints.
const hashLine = "rules hash "

var isHashLine = regexp.MustCompile("^" + hashLine + "[0-9a-f]{8}$")

// rulesOf returns the rules of a text, one a line, or as arbor rules prints them. Of an empty text it is an empty list, which replace takes.
func rulesOf(text string) []string {
	rules := []string{}
	listed := false // the last rule is an item of a list, whose further lines are indented
	blank := ""     // the lines without text since
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
		case isHashLine.MatchString(line):
		default:
			rules = append(rules, strings.TrimSpace(item))
		}
		listed, blank = marked, ""
	}
	return rules
}
