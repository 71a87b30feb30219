package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// A usageError is a command line that says nothing that could be done.
type usageError struct {
	code    errs.Code
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
	return &usageError{code: errs.InvalidParams, text: fmt.Sprintf(format, args...)}
}

// flagError turns an error of the flag library into a usage error with the nearest known flag.
func flagError(cmd *cobra.Command, err error) error {
	u := usagef("%s", err.Error())
	u.command = cmd.CommandPath()
	if text, ok := badValue(err); ok {
		u.text = text
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		u.code = errs.UnknownParams
		name := unknown.GetSpecifiedName()
		if len(name) == 1 || unknown.GetSpecifiedShortnames() != "" {
			u.text = "unknown flag -" + name
			return u
		}
		u.text = "unknown flag --" + name
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if n := ops.Nearest(name, known); n != "" {
			u.nearest = "--" + n
		}
	}
	return u
}

// runGroup is what a command does that only has others below it: it prints its help. With --json there is no result to
// print, so the missing word is an error.
func (sh *shell) runGroup(cmd *cobra.Command, _ []string) error {
	if !sh.flags.json {
		return cmd.Help()
	}
	u := usagef("%s needs a COMMAND: %s", cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))
	u.command = cmd.CommandPath()
	return u
}

// subcommands returns the names of the commands below one that help shows.
func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func unknownCommand(cmd *cobra.Command, name string) *usageError {
	u := usagef("%s has no command %q", cmd.CommandPath(), name)
	u.code, u.command = errs.UnknownParams, cmd.CommandPath()
	var known []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			known = append(append(known, c.Name()), c.Aliases...)
		}
	}
	if n := ops.Nearest(name, known); n != "" {
		u.nearest = cmd.CommandPath() + " " + n
	}
	return u
}
