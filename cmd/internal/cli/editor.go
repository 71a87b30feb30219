package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// editText lets a person write a text in their editor, beginning with start. The file is kept until the command has
// succeeded, so that no text is lost.
func editText(ctx context.Context, sh *shell, what, start string) (string, error) {
	if !sh.term.in || !sh.term.out {
		return "", usagef("an editor needs a terminal; give %s with -m TEXT, -F FILE or - for stdin", what)
	}
	f, err := os.CreateTemp("", "arbor-*.md")
	if err != nil {
		return "", fmt.Errorf("no file for your editor: %w", err)
	}
	if _, err = f.WriteString(start); err == nil {
		err = f.Close()
	}
	if err != nil {
		return "", fmt.Errorf("no file for your editor: %w", err)
	}
	sh.temps = append(sh.temps, f.Name())
	if err := runEditor(sh, f.Name()); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text, err := readFile(ctx, sh, what, f.Name())
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		os.Remove(f.Name())
		sh.temps = slices.DeleteFunc(sh.temps, func(name string) bool { return name == f.Name() })
		return "", usagef("%s came back empty from the editor: nothing was changed", what)
	}
	return text, nil
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
	for _, key := range []string{"VISUAL", "EDITOR"} {
		if name := strings.TrimSpace(sh.getenv(key)); name != "" {
			return name
		}
	}
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}
