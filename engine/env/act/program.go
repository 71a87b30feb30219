package act

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/env"
	"arbor/engine/env/command"
	"arbor/engine/env/jail"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
)

// Run runs the program of a tool, if a person has approved its exact definition and the files of the environment that
// it names.
//
// refused says which access the program was probably refused; "" for none.
func (a *Call) Run(ctx context.Context, given json.RawMessage) (r *command.Result, refused string, err error) {
	argv, err := env.Argv(a.Tool, given)
	if err != nil {
		return nil, "", errs.New(errs.InvalidParams, "%s: %v; {tool_list} shows its parameters", a.Tool.Name, err)
	}
	def, named, err := definitionOf(a.Place, a.Tool, a.Root)
	if err != nil {
		return nil, "", err
	}
	called, err := filesOf(a.Root, argv)
	if err != nil {
		return nil, "", err
	}
	call := trust.Call{Session: a.Session, Environment: a.Place.ID, Tool: a.Tool.Name, Arguments: a.args,
		Version: digestOf(called)}
	if !a.h.Book.Approved(def) {
		what := trust.Request{Kind: trust.KindTool, Call: call, Definition: &def, Diff: definitionText(a.Tool, named)}
		what.Arguments, what.Version = nil, ""
		return nil, "", await(ctx, a.h, what, func(b *trust.Book) string {
			if b.Declined(a.h.Engine.Now(), what) {
				return trust.Denied
			}
			return ""
		})
	}
	by, err := a.allowed(ctx, call, commandText(argv)+filesText(called))
	if err != nil {
		return nil, "", err
	}
	now, err := filesOf(a.Root, argv) // while a person was asked, or between the two looks
	if err == nil && !slices.Equal(now, called) {
		err = errs.New(errs.Conflicting,
			"%s: a file that it names changed meanwhile; call again, and it is asked for as it is now", a.Tool.Name)
	}
	if err != nil {
		return nil, "", err
	}
	spec := a.reach(argv)
	if r, err = command.Run(ctx, spec); command.Missing(err) { // the program, or what its definition reads besides
		return nil, "", errs.New(errs.FileNotFound, "%s: %v", a.Tool.Name, err)
	} else if err != nil {
		return nil, "", err
	}
	ran := fmt.Sprintf("%s ran in %s, %s%s", a.Tool.Name, a.Place.ID, by, InLog(trust.Request{Call: call}))
	a.logged(ctx, ran, fmt.Sprintf("exit code %d", r.Code))
	return r, command.Refused(spec, r), nil
}

// Approved reports whether a person has approved a tool with a command as it is now in a place.
func (h *Here) Approved(p *env.Place, t env.Tool) bool {
	r, err := h.Open(p)
	if err != nil {
		return false
	}
	defer r.Close()
	def, _, err := definitionOf(p, t, r)
	return err == nil && h.Book.Approved(def)
}

// definitionOf returns what a person approves of a tool: its exact definition, and the files of the root that it names.
func definitionOf(p *env.Place, t env.Tool, r *jail.Root) (trust.ApprovedTool, []namedFile, error) {
	named, err := filesOf(r, t.Command)
	def := trust.ApprovedTool{Environment: p.ID, Name: t.Name, Digest: env.Digest(t), Program: digestOf(named)}
	def.Unconfined = command.Confinement() == ""
	return def, named, err
}

// A namedFile is a file of the environment that a command names, as it is now.
type namedFile struct{ path, sum string }

// mostWords is how many words of a command are looked at, which is more than anybody writes.
const mostWords = 100_000

// filesOf returns the files of a root that a command names: its program, if given with a folder, and each argument, or
// word of an argument, that is the path of a file. So it finds the script of an interpreter, a file behind an option,
// and files in a line for a shell.
func filesOf(r *jail.Root, argv []string) (all []namedFile, err error) {
	program := filepath.ToSlash(argv[0])
	rel := inRoot(r, argv[0])
	if strings.Contains(program, "/") && rel != "" {
		sum, err := r.Digest(rel)
		if err != nil {
			return nil, err
		}
		all = append(all, namedFile{rel, sum})
	}
	words := 0
	for _, arg := range argv[1:] {
		apart := strings.FieldsFunc(arg, func(c rune) bool { return strings.ContainsRune(" \t\n\r;&|()<>'\"`=,:@{}[]", c) })
		if len(arg) > 2 && arg[0] == '-' {
			apart = append(apart, arg[2:]) // as -fFILE
		}
		for _, word := range append([]string{arg}, apart...) {
			if words++; words > mostWords {
				return nil, errs.New(errs.InvalidParams, "an argument has too many words to tell which files it names")
			}
			rel := inRoot(r, word)
			if rel == "" || slices.ContainsFunc(all, func(f namedFile) bool { return f.path == rel }) {
				continue
			}
			if sum, err := r.Digest(rel); err == nil {
				all = append(all, namedFile{rel, sum})
			}
		}
	}
	return all, nil
}

// inRoot returns the path in a root that a word would name there, "" for none.
func inRoot(r *jail.Root, word string) string {
	if filepath.IsAbs(word) {
		rel, err := filepath.Rel(r.Path(), word)
		if err != nil {
			return ""
		}
		word = rel
	}
	rel := filepath.ToSlash(filepath.Clean(word))
	if word == "" || len(word) > 4096 || rel == "." || !filepath.IsLocal(word) || strings.Contains(word, "\x00") {
		return ""
	}
	return rel
}

// digestOf returns the digest of files with their paths; "" for none.
func digestOf(all []namedFile) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range all {
		b.WriteString(f.path + "\x00" + f.sum + "\n")
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// definitionText shows the definition of a tool for approval: each argument of its program on its own line, and the
// files to which the approval applies.
func definitionText(t env.Tool, named []namedFile) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, strings.ReplaceAll(value, "\n", `\n`))
		}
	}
	line("description", t.Description)
	line("defined in", t.Source)
	b.WriteString(commandText(t.Command) + filesText(named))
	for _, v := range t.Env {
		line("variable", v)
	}
	var schema bytes.Buffer
	if json.Compact(&schema, t.Parameters) == nil {
		line("parameters", schema.String())
	}
	for _, p := range t.Read {
		line("reads also", strconv.Quote(p))
	}
	for _, said := range confinedText(command.Confinement(), t.Network) {
		line(said[0], said[1])
	}
	line("timeout", t.Timeout.String())
	if t.ReadOnly {
		line("read only", "it says that it changes nothing, and is not asked about again")
	}
	return b.String()
}

// commandText shows a program and its arguments, each in a line of its own and in quotes.
func commandText(argv []string) string {
	quotes := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	var b strings.Builder
	for i, arg := range argv {
		fmt.Fprintf(&b, "%-12s \"%s\"\n", []string{"program", "argument"}[min(i, 1)], quotes.Replace(arg))
	}
	return b.String()
}

// filesText lists the files to which an approval applies.
func filesText(all []namedFile) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%-12s %s, as it is now (SHA-256 %s…)\n", "holds for", strings.ReplaceAll(f.path, "\n", `\n`), f.sum[:16])
	}
	return b.String()
}
