package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine"
	"arbor/engine/ops"
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
		if n := ops.Nearest(name, known); n != "" {
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
	if n := ops.Nearest(word, known); n != "" && u.nearest == "" {
		u.nearest = cmd.CommandPath() + " " + n
	}
	return u
}

// args returns the check that a command has between least and most words besides its flags. names tell what they are, without those that may be missing where others may
// not be; these follow.
func args(least, most int, names string, optional ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, words []string) error {
		var u *usageError
		switch {
		case len(words) < least:
			u = usagef("%s needs %s", cmd.CommandPath(), names)
		case len(words) > most && most == 0:
			u = usagef("%s takes no %q", cmd.CommandPath(), words[0])
		case len(words) > most:
			takes := names
			for _, name := range optional {
				takes += " (and " + name + ")"
			}
			u = usagef("%s takes %s, and %q is more; text with spaces goes in quotes", cmd.CommandPath(), takes, words[most])
		default:
			return nil
		}
		u.command = cmd.CommandPath()
		return u
	}
}
