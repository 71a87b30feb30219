package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

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

// runEditor waits for the editor to end. An interrupt is the editor's business.
func runEditor(sh *shell, file string) error {
	name := editorName(sh)
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		words := strings.Fields(name)
		cmd = exec.Command(words[0], append(words[1:], file)...)
	} else {
		cmd = exec.Command("/bin/sh", "-c", name+` "$1"`, name, file) // EDITOR may have arguments, as "code --wait"
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.sys.Stdin, sh.sys.Stdout, sh.sys.Stderr
	if err := cmd.Run(); err != nil {
		return usagef("the editor %q failed (%v); set VISUAL or EDITOR to one that works", name, err)
	}
	return nil
}

func editorName(sh *shell) string {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	return cmp.Or(strings.TrimSpace(sh.getenv("VISUAL")), strings.TrimSpace(sh.getenv("EDITOR")), usual)
}
