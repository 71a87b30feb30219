package setup

import (
	"strings"

	"github.com/tailscale/hujson"
)

// lineStart returns where the line of an offset begins.
func (t *text) lineStart(at int) int { return strings.LastIndexByte(t.src[:at], '\n') + 1 }

// indent returns the white space that begins the line of an offset.
func (t *text) indent(at int) string {
	line := t.src[t.lineStart(at):]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// leads reports whether nothing but white space stands before an offset in its line.
func (t *text) leads(at int) bool { return strings.Trim(t.src[t.lineStart(at):at], " \t") == "" }

// closes reports whether the bracket at an offset stands at the beginning of a line after that of open.
func (t *text) closes(open, at int) bool { return t.lineStart(at) > open && t.leads(at) }

// nl returns the line end that is used around an offset.
func (t *text) nl(at int) string {
	i := strings.LastIndexByte(t.src[:at], '\n')
	if i < 0 {
		if i = strings.IndexByte(t.src, '\n'); i < 0 {
			return "\n"
		}
	}
	if i > 0 && t.src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit returns one step of indentation, as the container has it, or else any other one of the file.
func (t *text) unit(c *hujson.Value) string {
	if u := t.step(c); u != "" {
		return u
	}
	for v := range t.root.All() {
		if u := t.step(v); u != "" {
			return u
		}
	}
	return plainUnit
}

// plainUnit is one step of indentation in a file that has none. It is another one than in a file that set-up makes, so that the two can be told apart.
const plainUnit = "    "

// step returns how much deeper what is in a container stands than the container's own line; "" where that is not to be seen.
func (t *text) step(v *hujson.Value) string {
	if k := v.Value.Kind(); k != '{' && k != '[' {
		return ""
	}
	open, _, all := slots(v)
	if len(all) == 0 || !t.leads(all[0].start) {
		return ""
	}
	step, ok := strings.CutPrefix(t.indent(all[0].start), t.indent(open))
	if !ok {
		return ""
	}
	return step
}

// gap returns what follows a colon in the file, "" in one without white space.
func (t *text) gap() string {
	for v := range t.root.All() {
		if o, ok := v.Value.(*hujson.Object); ok && len(o.Members) > 0 {
			if m := o.Members[0]; m.Name.EndOffset+len(m.Name.AfterExtra)+1 == m.Value.StartOffset {
				return ""
			}
			return " "
		}
	}
	return " "
}
