package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine"
)

// strict makes a command and all below it refuse words and flags that are given and say nothing. A script whose variable
// is empty means some node, and not the default: `arbor ws archive "$WS"` must not archive the only workspace there is.
func (sh *shell) strict(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if u := emptyWord(cmd, words); u != nil {
			return u
		}
		if u := emptyFlag(cmd); u != nil {
			return u
		}
		if check != nil {
			if err := check(cmd, words); err != nil {
				return err
			}
		}
		return sh.checkDir()
	}
	for _, sub := range cmd.Commands() {
		sh.strict(sub)
	}
}

// checkDir refuses a folder of -C that is none. Looking for a vault from there would find one of the folders above.
func (sh *shell) checkDir() error {
	if sh.flags.dir == "" {
		return nil
	}
	info, err := os.Stat(sh.dir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return engine.Fail(engine.InvalidPath, "-C %s: there is no such folder", sh.flags.dir)
	case err != nil:
		return engine.Fail(engine.InvalidPath, "-C %s: the folder cannot be opened: %v", sh.flags.dir, err)
	case !info.IsDir():
		return engine.Fail(engine.InvalidPath, "-C %s: a file, not a folder", sh.flags.dir)
	}
	return nil
}

// emptyWord returns what is wrong with the first word that holds nothing but space; nil where there is none.
func emptyWord(cmd *cobra.Command, words []string) error {
	i := slices.IndexFunc(words, blank)
	if i < 0 {
		return nil
	}
	name, optional := wordName(cmd, i)
	u := usagef("%s is empty; name one", name)
	if optional {
		u.text += " or leave it out"
	}
	u.command = cmd.CommandPath()
	return u
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// wordName returns what a command's line of usage calls its i-th word, and whether that can be left out.
func wordName(cmd *cobra.Command, i int) (name string, optional bool) {
	name, optional = "COMMAND", true // of a command that only has others below it
	_, rest, _ := strings.Cut(cmd.Use, " ")
	n := 0
	for _, w := range strings.Fields(rest) {
		if strings.HasPrefix(w, "--") {
			break
		}
		bare := strings.TrimSuffix(strings.Trim(w, "[]"), "...")
		if bare == "" || bare == "-" || bare == "|" {
			continue
		}
		name, optional = bare, strings.HasPrefix(w, "[")
		if n == i {
			break
		}
		n++
	}
	return name, optional
}

// lenient marks flags whose own command judges what they hold: texts that may be empty, and the flags of other front ends.
const lenient = "lenient"

// mayBeEmpty lets flags be given with nothing in them.
func mayBeEmpty(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		must(cmd.Flags().SetAnnotation(name, lenient, nil))
	}
}

// emptyFlag returns what is wrong with the first flag that is given and holds nothing but space, or a number below zero;
// nil where there is none.
func emptyFlag(cmd *cobra.Command) error {
	var found *usageError
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, ok := f.Annotations[lenient]; ok || found != nil {
			return
		}
		switch values, isList := f.Value.(pflag.SliceValue); {
		case isList && (len(values.GetSlice()) == 0 || slices.ContainsFunc(values.GetSlice(), blank)),
			f.Value.Type() == "string" && blank(f.Value.String()):
			found = usagef("%s is empty; give it a value or leave it out", flagNames(f))
		case f.Value.Type() == "int" && strings.HasPrefix(f.Value.String(), "-"):
			found = usagef("%s is %s; 0 is the least", flagNames(f), f.Value)
		}
	})
	if found == nil {
		return nil
	}
	found.command = cmd.CommandPath()
	return found
}

func flagNames(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return fmt.Sprintf("-%s/--%s", f.Shorthand, f.Name)
	}
	return "--" + f.Name
}

// badValue says what a flag takes, where it was given something else.
func badValue(e *pflag.InvalidValueError) string {
	takes := map[string]string{
		"int": "a whole number", "duration": "a length of time such as 30m or 1h30m", "bool": "true or false",
	}[e.GetFlag().Value.Type()]
	if takes == "" {
		return e.Error()
	}
	return fmt.Sprintf("--%s: %s is expected, not %q", e.GetFlag().Name, takes, e.GetValue())
}
