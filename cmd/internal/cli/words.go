package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A word is an argument of a command, as its line of usage names it.
type word struct {
	name     string // "-" for a word that can only be "-", which means stdin
	optional bool
	many     bool
}

// wordsOf returns the words of a line of usage.
func wordsOf(use string) (all []word) {
	fields := strings.Fields(use)
	for i, w := range fields {
		if strings.HasPrefix(w, "--") {
			break
		}
		if w == "|" || i > 0 && fields[i-1] == "|" { // an alternative to the previous word
			continue
		}
		name, many := strings.CutSuffix(strings.Trim(w, "[]"), "...")
		if last := len(all) - 1; name == "-" && last >= 0 && all[last].many && all[last].optional { // replaces them
			continue
		}
		all = append(all, word{name, strings.HasPrefix(w, "["), many})
	}
	return all
}

// manyIn returns the index of the word that may be given several times, -1 for none.
func manyIn(words []word) int { return slices.IndexFunc(words, func(w word) bool { return w.many }) }

// String returns the word with its article, as messages name it.
func (w word) String() string {
	switch {
	case w.name == "-":
		return "- for stdin"
	case strings.ContainsRune("AEIO", rune(w.name[0])):
		return "an " + w.name
	}
	return "a " + w.name
}

// list returns words as messages name them.
func list(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.String())
	}
	return strings.Join(all, " and ")
}

// strict makes a command and all below it refuse wrong words and flags before they look for a vault. They also refuse
// empty words and flags: if the variable of a script is empty, the script does not mean the default. So `arbor ws
// archive "$WS"` never archives the only workspace there is.
func (sh *shell) strict(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		_, use := ops.SplitUse(cmd.Use)
		words := wordsOf(use)
		e := emptyWord(words, given)
		if e == nil {
			e = emptyFlag(cmd)
		}
		if e == nil {
			e = wrongCount(sh, cmd, words, given)
		}
		if e != nil {
			sh.refused = cmd.CommandPath()
			return e
		}
		return checkDir(sh)
	}
	for _, sub := range cmd.Commands() {
		sh.strict(sub)
	}
}

// wrongCount returns an error if the number of words is wrong.
func wrongCount(sh *shell, cmd *cobra.Command, words []word, given []string) *errs.Error {
	required := slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		return w.optional || w.name == "WS" && sh.flags.workspace != "" || cmd.Flags().Changed(strings.ToLower(w.name)) ||
			w.name == "PARENT" && (cmd.Flags().Changed("before") || cmd.Flags().Changed("after")) // that of the sibling
	})
	most := len(words)
	switch {
	case len(given) < len(required) && cmd.HasSubCommands():
		return sh.choices(cmd, given, usagef("%s needs %s, or a verb: %s", cmd.CommandPath(), list(required),
			strings.Join(subcommands(cmd), ", ")))
	case len(given) < len(required):
		return sh.choices(cmd, given, usagef("%s needs %s", cmd.CommandPath(), list(required)))
	case len(given) <= most || manyIn(words) >= 0:
		return nil
	case cmd.HasSubCommands() && most == 0:
		return unknownCommand(cmd, given[0])
	case most == 0:
		return usagef("%s takes no %q%s", cmd.CommandPath(), given[0], otherSession(cmd))
	}
	const text = "%s takes %s, and %q is more; text with spaces goes in quotes%s"
	return usagef(text, cmd.CommandPath(), list(words), given[most], otherSession(cmd))
}

// otherSession says, for a command below session, how it is told which session is meant.
func otherSession(cmd *cobra.Command) string {
	if strings.HasPrefix(cmd.CommandPath(), "arbor session ") {
		return "; --session SESSION chooses another session than this shell's"
	}
	return ""
}

const choicesShown = 12 // at most this many completions of a missing word

// choices adds the completions of a missing word to an error about it. They may come from the vault.
func (sh *shell) choices(cmd *cobra.Command, given []string, e *errs.Error) *errs.Error {
	if cmd.ValidArgsFunction == nil || sh.sys.Vaults == nil {
		return e
	}
	all, _ := cmd.ValidArgsFunction(cmd, given, "")
	d := errs.Details{}
	for i, offered := range all {
		if i == choicesShown {
			sh.offered = append(sh.offered, fmt.Sprintf("… (%d in all)", len(all)))
			break
		}
		word, what, _ := strings.Cut(offered, "\t")
		d.Candidates = append(d.Candidates, errs.Candidate{ID: word, Title: what})
		if strings.HasPrefix(word, "node-") || strings.HasPrefix(word, "ws-") { // people use titles
			word, what = what, names{long: wholeIDs(sh)}.short(word)
		}
		sh.offered = append(sh.offered, strings.TrimSpace(word+"  "+what))
	}
	if len(d.Candidates) > 0 {
		return e.With(d)
	}
	return e
}

// emptyWord returns an error for the first word that is blank; nil if there is none.
func emptyWord(words []word, given []string) *errs.Error {
	i := slices.IndexFunc(given, blank)
	if i < 0 {
		return nil
	}
	w := word{name: "COMMAND", optional: true} // for a command that only has others below it
	if len(words) > 0 {
		w = words[min(i, len(words)-1)]
	}
	if w.name == "-" {
		w.name = "the word"
	}
	if w.optional {
		return usagef("%s is empty; name one or leave it out", w.name)
	}
	return usagef("%s is empty; name one", w.name)
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// checkDir returns an error if the value of -C is not a folder. Otherwise the search for a vault would find one in a
// folder above.
func checkDir(sh *shell) error {
	if sh.flags.dir == "" {
		return nil
	}
	info, err := os.Stat(sh.dir())
	if err == nil && info.IsDir() {
		return nil
	}
	return errs.New(errs.InvalidPath, "-C %s: there is no such folder, or it cannot be opened", sh.flags.dir)
}

// lenient marks flags that emptyFlag does not check: texts that may be empty, and the flags of other front ends.
const lenient = "lenient"

// mayBeEmpty allows empty values for flags.
func mayBeEmpty(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		must(cmd.Flags().SetAnnotation(name, lenient, nil))
	}
}

// emptyFlag returns an error for the first flag with a blank value or a negative number; nil if there is none.
func emptyFlag(cmd *cobra.Command) (found *errs.Error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, ok := f.Annotations[lenient]; ok || found != nil {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + "/" + name
		}
		switch values, isList := f.Value.(pflag.SliceValue); {
		case isList && (len(values.GetSlice()) == 0 || slices.ContainsFunc(values.GetSlice(), blank)),
			f.Value.Type() == "string" && blank(f.Value.String()):
			found = usagef("%s is empty; give it a value or leave it out", name)
		case f.Value.Type() == "int" && strings.HasPrefix(f.Value.String(), "-"):
			found = usagef("%s is %s; 0 is the least", name, f.Value)
		}
	})
	return found
}
