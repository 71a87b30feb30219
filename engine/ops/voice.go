package ops

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"arbor/engine/errs"
	"arbor/engine/internal/say"
	"arbor/mdstore/pattern"
)

// Shell writes operations as commands and parameters as flags: "arbor next --claim". It is the voice of the command
// line and of the page.
var Shell = say.Voice{Op: shellOp, Param: shellParam}

// CommandLine returns the command of the operation without its words: "arbor mv".
func (o Operation) CommandLine() string {
	path, words := SplitUse(o.Use)
	if strings.HasPrefix(words, "--") {
		path += " " + words
	}
	return "arbor " + path
}

// SplitUse returns the two parts of a Help.Use: the command, and the words behind it.
func SplitUse(use string) (path, words string) {
	i := 0
	all := strings.Fields(use)
	for i < len(all) && all[i][0] >= 'a' && all[i][0] <= 'z' {
		i++
	}
	return strings.Join(all[:i], " "), strings.Join(all[i:], " ")
}

var capital = pattern.Of("[A-Z]")

// Dashed returns a JSON name in the form of a flag: rulesHash as rules-hash.
func Dashed(name string) string { return strings.ToLower(capital().ReplaceAllString(name, "-$0")) }

// byName finds operations by their names.
var byName = sync.OnceValue(func() map[string]Operation {
	found := map[string]Operation{}
	for _, o := range append(All(), Commands()...) {
		found[o.Name] = o
	}
	return found
})

func shellOp(name string, words []string) string {
	o, known := byName()[name]
	switch {
	case !known:
		return say.Called(name, words)
	case name == "node_transition" && len(words) == 0:
		return "arbor start or arbor complete"
	case name == "node_update" && slices.Contains(words, "checked"): // a command of its own
		return "arbor tick NODE NUMBER"
	case name == "node_transition": // its actions are commands
		return "arbor " + words[len(words)-1] + " " + cmp.Or(strings.Join(words[:len(words)-1], " "), "NODE")
	}
	line := o.CommandLine()
	_, takes := SplitUse(o.Use)
	_, flags := reflect.New(o.In).Interface().(interface{ Words() *[]string }) // its keys are those of files
	for _, w := range words {
		i := slices.IndexFunc(o.Params(), func(p Param) bool { return p.Name == w })
		word := ""
		if i >= 0 {
			word = o.Params()[i].Field.Tag.Get("arg")
		}
		if word == "" && !flags && strings.Contains(takes, "KEY=VALUE") {
			word = w + "="
		}
		line += " " + cmp.Or(word, shellParam(w))
	}
	return line
}

// shellFlags are the flags that are not named like their parameters, and values that have flags of their own.
var shellFlags = map[string]string{
	"workspaceId": "--workspace", "sessionId": "--session", "nodeId": "NODE", "leaseSeconds": "--lease",
	"maxLogEntries": "--log", "checked": "--tick", "newKeys": "--new", "criteria": "--criterion",
	"continue: false": "--read", "dryRun: false": "no --dry-run",
}

func shellParam(given string) string {
	name, value, _ := strings.Cut(given, ": ")
	flag := cmp.Or(shellFlags[given], shellFlags[name], "--"+Dashed(name))
	if value != "" && value != "true" && value != "false" {
		flag += " " + value
	}
	return flag
}

// said puts what an operation returned into the words of its caller: the hint and the warnings, or the error.
func (env *Env) said(out any, err error) (any, error) {
	if err != nil {
		return nil, errs.As(err).In(env.Voice)
	}
	env.Say(out)
	return out, nil
}

// Say puts the hint and the warnings of a result into the words of the caller, as Operation.Run does.
func (env *Env) Say(out any) {
	if o, ok := out.(interface{ out() *Out }); ok {
		o.out().Hint = env.Voice.Text(o.out().Hint)
	}
	if w, ok := out.(interface{ wrote() *Wrote }); ok {
		for i, s := range w.wrote().Warned {
			w.wrote().Warned[i] = env.Voice.Text(s)
		}
	}
}
