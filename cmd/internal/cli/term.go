package cli

import (
	"io"
	"runtime"
	"strings"

	"golang.org/x/term"

	"arbor/context/render"
)

// A terminal says what the streams are connected to.
type terminal struct {
	in, out, err bool // whether the stream is a terminal
	width        int  // columns of the terminal that stdout is; 0 where it is none
}

func terminalOf(sys *System) terminal {
	t := terminal{in: isTerminal(sys.Stdin), out: isTerminal(sys.Stdout), err: isTerminal(sys.Stderr)}
	if t.out {
		if w, _, err := term.GetSize(int(isFile(sys.Stdout).Fd())); err == nil {
			t.width = w
		}
	}
	return t
}

func isTerminal(stream any) bool {
	f := isFile(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// style returns how drawings on stdout look.
func (sh *shell) style() render.Style {
	return render.Style{Color: sh.color(sh.term.out), ASCII: sh.ascii(), Width: sh.term.width}
}

// color reports whether a stream has colours: a terminal that has not been asked for none, or any stream when they
// are forced.
func (sh *shell) color(isTerminal bool) bool {
	if sh.flags.noColor || sh.getenv("NO_COLOR") != "" {
		return false
	}
	if force := sh.getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return isTerminal && sh.getenv("TERM") != "dumb"
}

// ascii reports whether the locale names an encoding other than UTF-8. No locale at all says nothing: files are UTF-8
// anyway.
func (sh *shell) ascii() bool {
	if runtime.GOOS == "windows" {
		return false
	}
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(sh.getenv(key)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// print prints a result that is one of this package's own drawings: it is safe to print already, and may have colours.
func (sh *shell) print(s string) error {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	_, err := io.WriteString(sh.sys.Stdout, s)
	return err
}

// text prints text from a vault: to a terminal without what would do something to it, to anything else byte by byte.
func (sh *shell) text(s string) error { return sh.print(sh.safe(s)) }

// safe returns text of several lines as stdout may have it.
func (sh *shell) safe(s string) string {
	if sh.term.out {
		return render.VisibleLines(s)
	}
	return s
}
