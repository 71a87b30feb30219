package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A binding connects the words and flags of a command with the fields of an operation's input.
type binding struct {
	sh      *shell
	command *command
	o       ops.Operation
	in      reflect.Value
	words   []word
	later   []func() error // run after the command line is parsed: they set fields from flags that are not bound to them
}

func (b *binding) field(p ops.Param) reflect.Value { return b.in.FieldByIndex(p.Field.Index) }

// flags adds a flag for each field that has one.
func (b *binding) flags(cmd *cobra.Command) {
	var keys []key
	if _, own := b.in.Addr().Interface().(interface{ Words() *[]string }); b.setsKeys() && !own {
		keys = b.keys()
	}
	for _, p := range b.o.Params() {
		tag := p.Field.Tag
		if !b.command.takes(p) {
			continue
		}
		if what := tag.Get("text"); what != "" {
			if b.command.text == nil {
				b.command.text = &textSource{}
			}
			b.command.put = b.field(p).SetString
			b.command.text.flags(cmd, what)
			continue
		}
		isWord := slices.ContainsFunc(b.words, func(w word) bool { return w.name == tag.Get("arg") }) ||
			slices.ContainsFunc(keys, func(k key) bool { return k.Name == p.Name })
		if !isWord && tag.Get("flag") != "-" {
			b.flag(cmd, p)
		}
	}
}

// flag adds the flag of a field.
func (b *binding) flag(cmd *cobra.Command, p ops.Param) {
	tag, fs := p.Field.Tag, cmd.Flags()
	name, short, _ := strings.Cut(tag.Get("flag"), ",")
	if name == "" {
		name = ops.Dashed(p.Name)
	}
	usage := usageOf(p)
	switch to := b.field(p).Addr().Interface().(type) {
	case *string:
		fs.StringVarP(to, name, short, tag.Get("default"), usage)
	case *int:
		fs.IntVarP(to, name, short, 0, usage)
	case **float64:
		ifGiven(b, fs, name, to, fs.Float64P(name, short, 0, usage))
	case *bool:
		fs.BoolVarP(to, name, short, false, usage)
	case *[]mdstore.Ref:
		docs := fs.StringArrayP(name, short, nil, usage)
		b.later = append(b.later, func() (err error) {
			for _, d := range *docs {
				r := splitDoc(d)
				if r.Target, err = fromProject(b.sh, r.Target, false); err != nil {
					return err
				}
				*to = append(*to, r)
			}
			return nil
		})
	case *[]string:
		if is := tag.Get("is"); is == "status" || is == "key" {
			fs.StringSliceVarP(to, name, short, nil, usage)
		} else {
			fs.StringArrayVarP(to, name, short, nil, usage)
		}
		if f := mdstore.FieldOf(p.Name); tag.Get("commas") != "" && !f.Node { // names of nodes may hold commas
			b.later = append(b.later, func() error {
				var items []string
				for _, text := range *to {
					items = append(items, f.Split(text)...)
				}
				if *to != nil {
					*to = append([]string{}, items...)
				}
				return nil
			})
		}
	case **string:
		ifGiven(b, fs, name, to, fs.StringP(name, short, "", usage))
	case **bool:
		ifGiven(b, fs, name, to, fs.BoolP(name, short, false, usage))
	case **int:
		ifGiven(b, fs, name, to, fs.IntP(name, short, 0, usage))
	}
	if tag.Get("empty") == "ok" {
		mayBeEmpty(cmd, name)
	}
	complete := cobra.CompletionFunc(cobra.NoFileCompletions)
	switch is := tag.Get("is"); {
	case is == "node":
		complete = completeFlag(b.sh, nodeOffers(nil))
	case is == "planning":
		complete = completeFlag(b.sh, nodeOffers(func(n *ops.TreeNode) bool {
			return statemachine.TakesChildren(statemachine.Type(n.Type))
		}))
	case is == "status":
		complete = choices(statuses()...)
	case is == "key":
		complete = choices(ops.Keys()...)
	case p.Enum != nil:
		complete = choices(p.Enum...)
	case p.Type == reflect.TypeFor[[]mdstore.Ref]() || p.Type.Kind() == reflect.Bool:
		return
	}
	must(cmd.RegisterFlagCompletionFunc(name, complete))
}

// textsIn returns the texts in a field of an input: the field itself, what it points to, or the items of a list.
func textsIn(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		return []reflect.Value{v}
	case reflect.Pointer:
		if !v.IsNil() {
			return textsIn(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, v.Index(i))
		}
	}
	return all
}

// ifGiven sets a field that is nil unless its flag is given.
func ifGiven[T any](b *binding, fs *pflag.FlagSet, name string, to **T, value *T) {
	b.later = append(b.later, func() error {
		if fs.Changed(name) {
			*to = value
		}
		return nil
	})
}

// param returns the parameter that a word gives.
func (b *binding) param(word string) (ops.Param, bool) {
	for _, p := range b.o.Params() {
		if word != "" && p.Field.Tag.Get("arg") == word {
			return p, true
		}
	}
	return ops.Param{}, false
}

// assign puts a workspace into the flags of the shell, a text into the command's textSource, and all other words into
// the input.
func (b *binding) assign(given []string) error {
	given, err := b.pairs(given)
	if err == nil {
		given, err = b.spread(given)
	}
	if err != nil {
		return err
	}
	for i, value := range given {
		w := b.words[min(i, len(b.words)-1)]
		p, ok := b.param(w.name)
		switch {
		case w.name == "WS":
			if err := workspaceWord(b.sh, value); err != nil {
				return err
			}
		case w.name == "SESSION" && value != "-":
			if of := b.sh.flags.session; of != "" && of != value {
				return usagef("%s and --session %s name two sessions; one is enough", value, of)
			}
			b.sh.flags.session = value
		case ok && p.Type == reflect.TypeFor[json.RawMessage]():
			if err := b.argument(p, value); err != nil {
				return err
			}
		case ok && p.Type.Kind() == reflect.Slice:
			b.field(p).Set(reflect.Append(b.field(p), reflect.ValueOf(value)))
		case ok && i >= len(b.words): // a text without quotes, which the shell has split into words
			b.field(p).SetString(b.field(p).String() + " " + value)
		case ok:
			b.field(p).SetString(value)
		default:
			b.command.text.word = &given[i]
		}
	}
	return nil
}

// further returns the field for all nodes but the first of a command that takes several. For other commands it is an
// empty list.
func (b *binding) further() *[]string {
	if several, ok := b.in.Addr().Interface().(interface{ Further() *[]string }); ok && manyIn(b.words) == 0 {
		return several.Further()
	}
	return new([]string)
}

// spread moves all nodes but the first from the words of a command that takes several nodes to the field that further
// returns. After the nodes come other words that the command needs, such as a parent or "-" for stdin. After a single
// node comes the text, unless a flag gives it.
func (b *binding) spread(given []string) ([]string, error) {
	several, ok := b.in.Addr().Interface().(interface{ Further() *[]string })
	many := manyIn(b.words)
	if !ok || many != 0 { // the first word is the node
		return given, nil
	}
	nodes := len(given)
	for _, w := range b.words[many+1:] {
		switch {
		case nodes == 0, w.many:
		case !w.optional,
			w.name == "-" && given[nodes-1] == "-",
			w.name != "-" && nodes == 2 && b.command.text.ways() == 0:
			nodes--
		}
	}
	if nodes < 2 {
		return given, nil
	}
	more := slices.Clone(given[1:nodes])
	if slices.Contains(more, "-") {
		return nil, usagef("- is %s from stdin, and comes last", b.command.text.what)
	}
	*several.Further() = more
	return slices.Concat(given[:1], given[nodes:]), nil
}

// argument adds a word NAME=VALUE to a parameter that is an object of JSON.
func (b *binding) argument(p ops.Param, word string) error {
	name, value, ok := strings.Cut(word, "=")
	if !ok || name == "" {
		return usagef("%q is no argument; ARG=VALUE gives one, as in package=./engine", word)
	}
	all := map[string]string{}
	if old := b.field(p).Bytes(); len(old) > 0 {
		must(json.Unmarshal(old, &all)) // we wrote it ourselves, below
	}
	if _, twice := all[name]; twice {
		return usagef("%s is given twice", name)
	}
	all[name] = value
	data, err := json.Marshal(all)
	b.field(p).SetBytes(data)
	return err
}

// parse puts words, flags and the defaults of the shell into the input, and refuses combinations that have no meaning.
func (b *binding) parse(cmd *cobra.Command, words []string) error {
	c, sh := b.command, b.sh
	if c.text != nil {
		c.text.hasMsg = cmd.Flags().Changed("message")
	}
	if c.more != nil {
		words = append(words, c.more()...)
	}
	if err := b.assign(words); err != nil {
		return err
	}
	if c.text != nil {
		if err := c.text.once(); err != nil {
			return err
		}
		onlyStdin := slices.ContainsFunc(b.words, func(w word) bool { return w.name == "-" })
		if w := c.text.word; w != nil && *w != "-" && onlyStdin {
			return usagef("%s is given as %q; text goes after -m, and - reads it from stdin", c.text.what, *w)
		}
	}
	for _, set := range b.later {
		if err := set(); err != nil {
			return err
		}
	}
	for _, p := range b.o.Params() {
		switch field := b.field(p); p.Name {
		case "workspaceId":
			field.SetString(sh.flags.workspace)
		case "sessionId":
			field.SetString(sh.session())
		case "dryRun":
			sh.flags.dryRun = sh.flags.dryRun || field.Kind() == reflect.Bool && field.Bool()
		}
	}
	if c.check != nil {
		if err := c.check(cmd); err != nil {
			return err
		}
	}
	for _, p := range b.o.Params() { // except what the engine checks, with better errors
		given := b.field(p)
		if p.Enum == nil || p.Field.Tag.Get("judge") != "" || given.String() == "" {
			continue
		}
		if !slices.Contains(p.Enum, given.String()) {
			return unknownChoice(strings.ToLower(p.Field.Name), given.String(), p.Enum)
		}
	}
	return nil
}

// required refuses a command line that leaves out required parameters, and names all of them.
func (b *binding) required(cmd *cobra.Command) error {
	var missing []string
	for _, p := range b.o.Params() {
		what := p.Field.Tag.Get("text")
		given := p.Type.Kind() != reflect.String && p.Type.Kind() != reflect.Slice || b.field(p).Len() > 0
		if !p.Required || p.Unless != "" || given || !b.command.takes(p) {
			continue
		}
		name, _, _ := strings.Cut(p.Field.Tag.Get("flag"), ",")
		switch {
		case what != "" && !b.command.text.given():
			missing = append(missing, what+" is missing; give it with -m TEXT, -F FILE, - for stdin, or -e for your editor")
		case p.Name == "sessionId":
			missing = append(missing, "no session is named; --session NAME or ARBOR_SESSION names one")
		case name != "" && name != "-":
			missing = append(missing, cmd.CommandPath()+" needs --"+name+" "+p.Help)
		}
	}
	if missing == nil {
		return nil
	}
	return usagef("%s", strings.Join(missing, "; "))
}

// unknownChoice returns the error for a word that is not among the known ones.
func unknownChoice(what, given string, known []string) error {
	return meant(usagef("%s is %q; one of %s is expected", what, given, strings.Join(known, ", ")), "", given, known)
}

// takes reports whether a command takes a parameter.
func (c *command) takes(p ops.Param) bool {
	return !slices.Contains(c.without, p.Name) && !slices.Equal(c.without, allParams)
}
