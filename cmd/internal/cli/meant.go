package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// meanings maps commands of other programs to commands of arbor.
var meanings = []struct{ words, command string }{
	{"finish resolve conclude close", "complete NODE -m CONCLUSION"},
	{"create task todo subtask issue", "add TITLE"},
	{"get read info describe view cat", "show NODE"},
	{"rename retitle", "set NODE --title TITLE"},
	{"update modify tag assign prioritize", "set NODE KEY=VALUE"},
	{"delete remove del", "rm NODE"},
	{"move reorder", "mv NODE PARENT"},
	{"archive", "ws archive WS"},
	{"block blocked stuck", "problem NODE TEXT"},
	{"claim take", "next --claim"},
	{"ready", "next"},
	{"begin", "start NODE"},
	{"stop abort skip wontdo", "drop NODE -m REASON"},
	{"note annotate comment append", "log NODE TEXT"},
	{"board overview summary burndown report", "stats"},
	{"dep deps depend depends link", "set NODE dependencies=OTHER"},
	{"sequence critical", "graph"},
	{"lint validate doctor verify", "check"},
	{"web browser server page", "serve"},
	{"remember", "memory save SLOT TEXT"},
	{"recall", "memory show SLOT"},
	{"briefing", "ws load"},
	{"resume", "session load"},
	{"commit push pull", "sync"},
	{"projects workspaces workspace", "ws"},
	{"sessions", "session"},
	{"states", "session state"},
	{"slots memories", "memory"},
	{"environment environments", "env"},
	{"deny", "env approve ID --deny"},
	{"approvals", "env approve"},
	{"resolve-conflict merge", "conflicts NODE"},
	{"settings", "admin config"},
}

// verbMeanings maps verbs of other programs to verbs below a noun: the first one that the noun has.
var verbMeanings = []struct{ words, verbs string }{
	{"delete remove del unset drop", "rm clear"},
	{"get read view info describe cat status", "show list"},
	{"update change modify rename edit replace expire activate tag", "set"},
	{"create new make register", "add save start append"},
	{"add append", "save note"},
	{"ls all", "list"},
	{"attach-pwd", "attach"},
	{"resume continue", "load"},
	{"approvals deny", "approve"},
	{"save", "add"},
}

// flagMeanings maps names of flags in other programs to Arbor's flags. %s is the given name. If several rows have the
// name, the first whose flag the command has is used. A flag in capitals stands for the first word of a command.
var flagMeanings = []struct{ words, flag, value string }{
	{"depends depends-on depend dependson deps dep blocked-by requires", "dependencies", ""},
	{"label labels tag", "tags", ""},
	{"owner who assigned-to assign", "assignee", ""},
	{"due-date deadline", "due", ""},
	{"desc description body content details requirement text conclusion summary", "message", ""},
	{"ac criteria acceptance acceptance-criteria", "criterion", ""},
	{"under", "parent", ""},
	{"sort-by order-by", "sort", ""},
	{"overdue ready blocked running terminal", "where", "is:%s"},
	{"mine", "where", "assignee:mine"},
	{"done finished", "where", "is:terminal"},
	{"assignee tag priority due role title", "where", "%s:VALUE"},
	{"owner who", "where", "assignee:VALUE"},
	{"label labels tags", "where", "tag:VALUE"},
	{"assignee tag priority due", "claim", "arbor list --where 'is:ready %s:VALUE'"},
	{"owner who", "claim", "arbor list --where 'is:ready assignee:VALUE'"},
	{"label labels tags", "claim", "arbor list --where 'is:ready tag:VALUE'"},
	{"mine", "claim", "arbor list --where 'is:ready assignee:mine'"},
	{"where filter query", "claim", "arbor list --where 'is:ready QUERY'"},
	{"assignee priority due role title status", "QUERY", "arbor search '%s:VALUE'"},
	{"owner who", "QUERY", "arbor search 'assignee:VALUE'"},
	{"status state", "section", "arbor start NODE, arbor complete NODE or arbor drop NODE"},
	{"parent under", "section", "arbor mv NODE PARENT"},
	{"format", "FORMAT", "arbor export FORMAT"},
	{"format", "json", ""},
	{"csv md ics mermaid", "json", "arbor export %s"},
	{"o output out dir", "DIR", "arbor export html DIR"},
}

// unknownFlag returns the error for an unknown flag of cmd. It suggests the flag that flagMeanings lists for the name,
// else the one with the most similar spelling.
func unknownFlag(cmd *cobra.Command, name string) *errs.Error {
	e := errs.New(errs.UnknownParams, "unknown flag %s", dashed(name))
	_, use := ops.SplitUse(cmd.Use)
	for _, m := range flagMeanings {
		word := m.flag == strings.ToUpper(m.flag) && strings.HasPrefix(strings.Trim(use, "["), m.flag)
		if !slices.Contains(strings.Fields(m.words), name) || cmd.Flags().Lookup(m.flag) == nil && !word {
			continue
		}
		means := "--" + m.flag
		if value := strings.ReplaceAll(m.value, "%s", name); strings.HasPrefix(value, "arbor ") {
			means = value
		} else if value != "" {
			means += " '" + value + "'"
		}
		e.Message += "; did you mean " + means + "?"
		return e.With(errs.Details{Nearest: means})
	}
	if len(name) == 1 {
		return e
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return meant(e, "--", name, known)
}

func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// unknownCommand returns the error for an unknown command below cmd. It suggests the command that meanings or
// verbMeanings have for the name, or else a command of the same name below a noun, or else the one below cmd with the
// most similar spelling.
func unknownCommand(cmd *cobra.Command, name string) *errs.Error {
	path := cmd.CommandPath()
	e := errs.New(errs.UnknownParams, "%s has no command %q", path, name)
	names := func(all ...string) *errs.Error {
		e.Message += "; did you mean " + strings.Join(all, ", or ") + "?"
		return e.With(errs.Details{Nearest: all[0]})
	}
	if !cmd.HasParent() {
		for _, m := range meanings {
			if slices.Contains(strings.Fields(m.words), name) {
				return names("arbor " + m.command)
			}
		}
		if o, ok := ops.Find(name); ok && o.Use != "" {
			return names(o.CommandLine())
		}
		if o, ok := ops.Peer(name); ok && o.Use != "" {
			return names(o.CommandLine())
		}
		if all := called(cmd, name); len(all) > 0 {
			return names(all...)
		}
	}
	var known []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			known = append(append(known, c.Name()), c.Aliases...)
		}
	}
	if cmd.Name() == "ws" && slices.Contains(strings.Fields("create new make add init"), name) {
		return names("arbor init NAME")
	}
	for _, m := range verbMeanings {
		if !cmd.HasParent() || !slices.Contains(strings.Fields(m.words), name) {
			continue
		}
		for _, verb := range strings.Fields(m.verbs) {
			if slices.Contains(known, verb) {
				return names(path + " " + verb)
			}
		}
	}
	return meant(e, path+" ", name, known)
}

// called returns the commands with a name below the nouns of root.
func called(root *cobra.Command, name string) (all []string) {
	for _, noun := range root.Commands() {
		for _, c := range noun.Commands() {
			if !noun.Hidden && c.IsAvailableCommand() && c.Name() == name {
				all = append(all, c.CommandPath())
			}
			for _, sub := range c.Commands() {
				if !noun.Hidden && sub.Name() == name {
					all = append(all, sub.CommandPath())
				}
			}
		}
	}
	return all
}
