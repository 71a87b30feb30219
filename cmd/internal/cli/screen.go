package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A terminal says what the streams are connected to.
type terminal struct {
	in, out, err bool // whether the stream is a terminal
	width        int  // columns of the terminal on stdout; 0 if there is none
	errWidth     int  // the same for stderr
}

func terminalOf(sys *System) (t terminal) {
	_, t.in = terminalFile(sys.Stdin)
	errFD, isTerminal := terminalFile(sys.Stderr)
	if t.err = isTerminal; isTerminal {
		t.errWidth, _, _ = term.GetSize(errFD)
	}
	fd, out := terminalFile(sys.Stdout)
	if t.out = out; out {
		t.width, _, _ = term.GetSize(fd) // 0 if unknown
	}
	return t
}

// terminalFile returns the number of the file behind a stream, and whether it is a terminal.
func terminalFile(stream any) (fd int, ok bool) {
	f, ok := stream.(*os.File)
	if !ok || f == nil {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// style returns how drawings on stdout look.
func (sh *shell) style() render.Style {
	return render.Style{Color: sh.color(sh.term.out), ASCII: sh.ascii(), Width: sh.term.width}
}

// color reports whether a stream gets colours: a terminal, unless they are turned off; any stream, if they are forced.
func (sh *shell) color(isTerminal bool) bool {
	if sh.flags.noColor || sh.getenv("NO_COLOR") != "" {
		return false
	}
	if force := sh.getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return isTerminal && sh.getenv("TERM") != "dumb"
}

// ascii reports whether the locale names an encoding other than UTF-8. It is false without a locale.
func (sh *shell) ascii() bool {
	locale := strings.ToLower(cmp.Or(sh.getenv("LC_ALL"), sh.getenv("LC_CTYPE"), sh.getenv("LANG")))
	utf8 := strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
	return locale != "" && !utf8 && runtime.GOOS != "windows"
}

// wrapped wraps text to the columns of a terminal; 0 means no terminal.
func wrapped(s string, columns int) string {
	if columns > 0 {
		return render.Wrap(s, columns)
	}
	return s
}

// print prints a result that this package has made safe to print; it may have colours. On a terminal it wraps the text,
// except JSON and diffs, which are for copying. After a failure of print, nothing more is printed to either stream, and
// the command fails with that error.
func (sh *shell) print(s string) error {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	if !sh.flags.json && !sh.flags.dryRun {
		s = wrapped(s, sh.term.width)
	}
	if sh.unprinted == nil {
		_, sh.unprinted = io.WriteString(sh.sys.Stdout, s)
	}
	return sh.unprinted
}

// text prints text from a vault with control characters made harmless, even to a pipe, which may end at a terminal. The
// exact bytes are in --json, and in a diff that is piped.
func (sh *shell) text(s string) error { return sh.print(render.VisibleLines(s)) }

// json prints a value as one indented JSON document without empty members, as in verbose replies.
func (sh *shell) json(v any) error {
	data, err := ops.Sparse(v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return err
	}
	return sh.print(string(escaped(b.Bytes())))
}

// part prints a part of a workspace or node as JSON, with the diagnostics of its file and a hint.
func (sh *shell) part(members map[string]any, ds []mdoc.Diagnostic, hint string) error {
	if members["hint"] = hint; len(ds) > 0 {
		members["diagnostics"] = ds
	}
	for name, v := range members {
		data, err := ops.Sparse(v)
		if err != nil {
			return err
		}
		if members[name] = data; string(data) == "{}" {
			delete(members, name)
		}
	}
	return sh.json(members)
}

// escaped returns JSON in which the control characters that JSON allows in strings are escaped: a terminal would act on
// them, and any JSON reader sees the text as it is.
func escaped(data []byte) (safe []byte) {
	for _, r := range string(data) {
		if r != '\n' && render.Unprintable(r) {
			safe = fmt.Appendf(safe, `\u%04x`, r)
		} else {
			safe = utf8.AppendRune(safe, r)
		}
	}
	return safe
}

// listLines is the greatest number of lines that a listing takes without --all.
const listLines = 200

// A cell is one field of a table, painted as its status or with an SGR parameter.
type cell struct {
	text   string
	status statemachine.Status // if not "", paints the text in the colour of this status
	sgr    string
}

// table returns rows as lines with aligned columns; with -q only the first column. On a terminal, the last column is
// cut at the edge, and the table has a head.
func (sh *shell) table(head []string, rows [][]cell) (all []string) {
	if sh.flags.quiet {
		for _, r := range rows {
			all = append(all, render.Visible(r[0].text))
		}
		return all
	}
	if sh.term.out && len(rows) > 0 {
		h := make([]cell, len(head))
		for i, s := range head {
			h[i] = cell{text: s, sgr: "2"}
		}
		rows = slices.Insert(rows, 0, h)
	}
	return sh.rows(rows)
}

// rows returns rows as lines with aligned columns, whatever the width of their characters.
func (sh *shell) rows(rows [][]cell) (all []string) {
	var widths []int
	for _, r := range rows {
		widths = append(widths, make([]int, max(0, len(r)-len(widths)))...)
		for i := range r {
			r[i].text = render.Visible(r[i].text)
			widths[i] = max(widths[i], render.Columns(r[i].text))
		}
	}
	style := sh.style()
	for _, r := range rows {
		line := ""
		for len(r) > 1 && r[len(r)-1].text == "" {
			r = r[:len(r)-1]
		}
		last, at := len(r)-1, 0
		for i, c := range r[:last] {
			line += c.paint(style) + strings.Repeat(" ", widths[i]-render.Columns(c.text)+2)
			at += widths[i] + 2
		}
		if style.Width > 0 {
			r[last].text = render.Truncate(r[last].text, max(1, style.Width-at), style.ASCII)
		}
		all = append(all, line+r[last].paint(style))
	}
	return all
}

func (c cell) paint(style render.Style) string {
	if c.status != "" {
		return style.PaintStatus(c.status, c.text)
	}
	return style.Paint(c.sgr, c.text)
}

// lines returns the lines of a drawing.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// bounded prints at most listLines lines of a listing. If some are left out, it says how to get them: with --all, or as
// rest says.
func (sh *shell) bounded(lines []string, what string, rest ...string) error {
	shown := lines
	if !sh.flags.all && len(lines) > listLines {
		shown = lines[:listLines-1]
	}
	sh.print(strings.Join(shown, "\n"))
	if len(shown) < len(lines) {
		rest = append(rest, "--all brings the rest")
		sh.warn("%d of %d %s; %s", len(shown), len(lines), what, rest[0])
	}
	return sh.unprinted
}

// listed prints the rows of a list as a table, or says that there are none. If items are left out, it says which
// options print them.
func (sh *shell) listed(what string, head []string, rows [][]cell, of ops.Listed) error {
	if len(rows) == 0 {
		sh.say("no %s", what)
	}
	err := sh.bounded(sh.table(head, rows), "lines")
	if of.Cursor != "" {
		sh.warn("%d of %d %s; --cursor %s brings what follows, --all everything", len(rows), of.Total, what, of.Cursor)
	}
	return err
}

// damage warns about the diagnostics of a file whose content was printed.
func (sh *shell) damage(ds []mdoc.Diagnostic) {
	for _, d := range ds {
		sh.warn("!! %s", render.Visible(d.String()))
	}
}
