package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// A textSource is a text that comes in one of several ways: -m TEXT, -F FILE, -e, or a word that is the text or "-" for
// stdin. Text is literal: no escapes, no comments.
type textSource struct {
	what    string // "conclusion"
	message string
	hasMsg  bool
	file    string
	edit    bool
	word    *string // an argument that is the text, or "-"; nil if there is none
}

// flags adds -m, -F and -e to a command. what names the text in help and errors, as "the conclusion".
func (t *textSource) flags(cmd *cobra.Command, what string) {
	t.what = what
	fs := cmd.Flags()
	fs.StringVarP(&t.message, "message", "m", "", what+": this `TEXT`, as it stands")
	fs.StringVarP(&t.file, "file", "F", "", what+" from a `FILE`; - is stdin")
	fs.BoolVarP(&t.edit, "edit", "e", false, what+" from your editor (VISUAL, EDITOR)")
	must(cmd.RegisterFlagCompletionFunc("message", cobra.NoFileCompletions))
	must(cmd.MarkFlagFilename("file"))
	mayBeEmpty(cmd, "message")
}

// once refuses a text that is given in several ways.
func (t *textSource) once() error {
	if n := t.ways(); n > 1 {
		return usagef("%s is given in %d ways; one of -m TEXT, -F FILE, -e and - is enough", t.what, n)
	}
	return nil
}

// ways returns in how many ways the text is given.
func (t *textSource) ways() int {
	all := []bool{t.hasMsg, t.file != "", t.edit, t.word != nil}
	return len(slices.DeleteFunc(all, func(used bool) bool { return !used }))
}

func (t *textSource) given() bool { return t.ways() > 0 }

// read returns the text; it must be given. start returns the text that an editor begins with; nil for none.
func (t *textSource) read(ctx context.Context, sh *shell, start func(context.Context) (string, error)) (string, error) {
	switch {
	case t.hasMsg:
		return checkText(t.what, t.message)
	case t.file == "-", t.word != nil && *t.word == "-":
		return readStdin(ctx, sh, t.what)
	case t.file != "":
		return readFile(ctx, sh, t.what, t.file)
	case t.word != nil:
		return checkText(t.what, *t.word)
	}
	begin, err := "", error(nil)
	if start != nil {
		begin, err = start(ctx)
	}
	if err != nil {
		return "", err
	}
	return editText(ctx, sh, t.what, begin)
}

// checkText refuses a text that no file of a vault may hold: one that is too long or not UTF-8.
func checkText(what, s string) (string, error) {
	if len(s) > mdstore.MaxEntry {
		return "", errs.New(errs.InvalidContent, "%s has more than %d bytes; "+
			"keep it in a file of its own and add that as a document", what, mdstore.MaxEntry)
	}
	if !utf8.ValidString(s) {
		valid := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError })
		return "", errs.New(errs.InvalidContent, "%s is not UTF-8 from byte %d on; convert it first (iconv)", what, valid+1)
	}
	return s, nil
}

// readFile reads a text from a file named on the command line, which may be a pipe.
func readFile(ctx context.Context, sh *shell, what, name string) (string, error) {
	return await(ctx, func() (string, error) {
		f, err := os.Open(resolve(sh.dir(), name))
		if err != nil {
			return "", unreadable(what, err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return "", errs.New(errs.InvalidPath, "%s: %s is a folder; a file is expected", what, name)
		}
		return readText(what, f)
	})
}

func unreadable(what string, err error) error {
	return errs.New(errs.InvalidPath, "%s cannot be read: %s", what, errs.OfFile(err))
}

// readText reads a whole text. It removes a byte order mark, and line ends at the very end.
func readText(what string, r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, mdstore.MaxEntry+1))
	if err != nil {
		return "", unreadable(what, err)
	}
	text, err := checkText(what, string(data))
	return strings.TrimRight(strings.TrimPrefix(text, "\ufeff"), "\r\n"), err
}

// await returns what f returns, or ctx's error when ctx is cancelled, because a read from a person or a pipe cannot be
// cancelled. The result of f is then lost.
func await(ctx context.Context, f func() (string, error)) (string, error) {
	done := make(chan func() (string, error), 1)
	go func() {
		s, err := f()
		done <- func() (string, error) { return s, err }
	}()
	select {
	case answer := <-done:
		return answer()
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readStdin reads a whole text from stdin.
func readStdin(ctx context.Context, sh *shell, what string) (string, error) {
	if sh.term.in {
		sh.say("%s: type it, and end it with Ctrl-D on a line of its own", what)
	}
	return await(ctx, func() (string, error) { return readText(what, sh.sys.Stdin) })
}

// editText lets a person write a text in their editor, beginning with start. The file is kept until the command has
// succeeded, so that no text is lost.
func editText(ctx context.Context, sh *shell, what, start string) (string, error) {
	if !sh.term.in || !sh.term.out {
		return "", usagef("an editor needs a terminal; give %s with -m TEXT, -F FILE or - for stdin", what)
	}
	f, err := os.CreateTemp("", "arbor-*.md")
	if err == nil {
		_, err = f.WriteString(start)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return "", fmt.Errorf("no file for your editor: %w", err)
	}
	sh.typed = f.Name()
	if err := runEditor(sh, sh.typed); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text, err := readFile(ctx, sh, what, sh.typed)
	if err == nil && strings.TrimSpace(text) == "" {
		os.Remove(sh.typed)
		sh.typed = ""
		err = usagef("%s came back empty from the editor: nothing was changed", what)
	}
	return text, err
}

// Editor returns the command that opens a file in the person's editor, and the editor's name.
func Editor(getenv func(string) string, file string) (cmd *exec.Cmd, name string) {
	windows, usual := runtime.GOOS == "windows", "vi"
	if windows {
		usual = "notepad"
	}
	name = cmp.Or(strings.TrimSpace(getenv("VISUAL")), strings.TrimSpace(getenv("EDITOR")), usual)
	cmd = exec.Command("/bin/sh", "-c", name+` "$1"`, name, file) // EDITOR may have arguments, as "code --wait"
	if words := strings.Fields(name); windows {
		cmd = exec.Command(words[0], append(words[1:], file)...)
	}
	return cmd, name
}

// runEditor runs the editor and waits for it to end. Only the editor handles an interrupt.
func runEditor(sh *shell, file string) error {
	cmd, name := Editor(sh.getenv, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.sys.Stdin, sh.sys.Stdout, sh.sys.Stderr
	if err := cmd.Run(); err != nil {
		return usagef("the editor %q failed (%v); set VISUAL or EDITOR to one that works", name, err)
	}
	return nil
}
