package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine"
)

// A usageError is a command line that says nothing that could be done.
type usageError struct {
	code    engine.Code
	text    string
	nearest string // the known word nearest to an unknown one
	command string // whose help tells more; "" where that is not known
}

func (e *usageError) Error() string {
	if e.nearest != "" {
		return e.text + "; did you mean " + e.nearest + "?"
	}
	return e.text
}

func usagef(format string, args ...any) *usageError {
	return &usageError{code: engine.InvalidParams, text: fmt.Sprintf(format, args...)}
}

// flagError turns what the flag library says into a usage error with the nearest known flag.
func flagError(cmd *cobra.Command, err error) error {
	u := usagef("%s", err.Error())
	u.command = cmd.CommandPath()
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		u.text = badValue(bad)
		return u
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		u.code = engine.UnknownParams
		name := unknown.GetSpecifiedName()
		long := len(name) > 1 && unknown.GetSpecifiedShortnames() == ""
		if !long {
			u.text = "unknown flag -" + name
			return u
		}
		u.text = "unknown flag --" + name
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if n := nearest(name, known); n != "" {
			u.nearest = "--" + n
		}
	}
	return u
}

// runGroup is what a command does that only has others below it: help, or a complaint about the word that follows. With --json
// there is no result to give, so that the missing word is an error.
func (sh *shell) runGroup(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return unknownCommand(cmd, args[0])
	case !sh.flags.json:
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	u := usagef("%s needs a COMMAND: %s", cmd.CommandPath(), strings.Join(names, ", "))
	u.command = cmd.CommandPath()
	return u
}

func unknownCommand(cmd *cobra.Command, word string) error {
	u := &usageError{code: engine.UnknownParams, command: cmd.CommandPath()}
	u.text = fmt.Sprintf("%s has no command %q", cmd.CommandPath(), word)
	var known []string
	for _, c := range cmd.Commands() {
		if c.Hidden {
			continue
		}
		known = append(known, c.Name())
		known = append(known, c.Aliases...)
		if slices.Contains(c.SuggestFor, word) {
			u.nearest = cmd.CommandPath() + " " + c.Name()
		}
	}
	if n := nearest(word, known); n != "" && u.nearest == "" {
		u.nearest = cmd.CommandPath() + " " + n
	}
	return u
}

// args returns the check that a command has between least and most words besides its flags. names tell what they are.
func args(least, most int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, words []string) error {
		var u *usageError
		switch {
		case len(words) < least:
			u = usagef("%s needs %s", cmd.CommandPath(), names)
		case len(words) > most && most == 0:
			u = usagef("%s takes no %q", cmd.CommandPath(), words[0])
		case len(words) > most:
			u = usagef("%s takes %s, and %q is more; text with spaces goes in quotes", cmd.CommandPath(), names, words[most])
		default:
			return nil
		}
		u.command = cmd.CommandPath()
		return u
	}
}

// nearest returns the known word that an unknown one most likely means: one that begins with it, else the one with the
// fewest slips, at most one per three letters; "" for none.
func nearest(word string, known []string) string {
	word = strings.ToLower(word)
	if len(word) > 40 {
		return ""
	}
	best, slips := "", len(word)/3+1
	for _, k := range known {
		if len(word) >= 2 && strings.HasPrefix(k, word) {
			return k
		}
		if d := slipsBetween(word, k); d < slips {
			best, slips = k, d
		}
	}
	return best
}

// slipsBetween counts the letters to add, drop, change or swap with their neighbour to make one word of the other.
func slipsBetween(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
