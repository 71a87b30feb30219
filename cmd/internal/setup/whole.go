package setup

import (
	_ "embed"
	"fmt"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore/pattern"
)

//go:embed neovim.lua
var neovimFile string

//go:embed obsidian.base
var obsidianFile string

// A whole is a file that set-up writes from its first line to its last one. That first line has a digest of the rest,
// which shows whether a person has edited the file.
type whole struct {
	comment string // what begins a line that the reader of the file ignores
	text    string // {{COMMAND}} stands for the program
}

var wholeMark = pattern.Of(`^(?:--|#) arbor:([0-9a-f]{8}) [^\n]*\n`)

// in returns the text of the file for a program.
func (w *whole) in(command string) string {
	body := strings.ReplaceAll(w.text, "{{COMMAND}}", strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(command))
	return fmt.Sprintf("%s arbor:%s (arbor setup writes this file, --undo takes it out)\n", w.comment, digest(body)) + body
}

// put returns the new text of the file: what set-up writes, or none if remove. Without force, a file that a person has
// written or edited is an error.
func putWhole(text, want string, remove, force bool) (string, error) {
	if remove {
		want = ""
	}
	at := wholeMark().FindStringSubmatchIndex(text)
	switch {
	case text == "", text == want, force:
		return want, nil
	case at == nil && remove:
		return text, nil // it has nothing of ours
	case at == nil:
		return "", fmt.Errorf(": it is there, and set-up has not written it; rename it, or --force replaces it")
	case digest(text[at[1]:]) != text[at[2]:at[3]]:
		return "", fmt.Errorf(": somebody has edited it; put the edits into a file of your own, or --force drops them")
	}
	return want, nil
}

// wholeOf returns the file of a client that has one to itself.
func (opt *Options) wholeOf(p place) ([]*file, error) {
	if len(opt.Args) > 0 {
		return nil, errs.New(errs.InvalidParams, "%s has no entry of the MCP server: it takes no %s", p.title, opt.Args[0])
	}
	path, err := opt.locate(p.file)
	if err != nil {
		return nil, err
	}
	f := opt.fileAt(p.scope, path)
	f.whole = p.whole.in(opt.Command)
	return []*file{f}, nil
}
