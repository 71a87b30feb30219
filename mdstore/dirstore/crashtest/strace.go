package crashtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A Call is a system call that has returned, as printed by strace with StraceArgs. These print the path of each
// descriptor, and every string in hexadecimal, so that no string has a comma or a bracket.
type Call struct {
	Name   string
	Args   []Arg
	Return int64 // -1 for an error
	Line   int   // the line of its end, from 1
}

// An Arg is an argument of a call.
type Arg struct {
	Text string // as printed: a number, flags, or a descriptor without its path
	Path string // the path of a descriptor; for AT_FDCWD the working directory
	Data []byte // the bytes of a string; nil for other arguments
}

// Int returns the value of a number, -1 for other arguments.
func (a Arg) Int() int64 {
	n, err := strconv.ParseInt(a.Text, 0, 64)
	if err != nil {
		return -1
	}
	return n
}

// Has reports whether the flags have one of that name.
func (a Arg) Has(flag string) bool { return strings.Contains("|"+a.Text+"|", "|"+flag+"|") }

var (
	aLine = regexp.MustCompile(`^(\d+) +(.*)$`)
	aCall = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\w+)(?:<.*>)?(?: .*)?$`)
	anArg = regexp.MustCompile(`^(?:"((?:[^"\\]|\\.)*)"|([^<"\[{]*)<(.*)>(?:\(deleted\))?)$`)
)

// parseStrace returns the calls of all threads, in the order in which they ended. Signals, exits and calls that never
// returned are left out. A line that cannot be parsed is an error, as the call may matter.
func parseStrace(r io.Reader) (calls []Call, err error) {
	begun := map[string]string{} // unfinished calls by thread
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, end := lines.ReadString('\n')
		if line == "" && end == io.EOF {
			return calls, nil
		}
		m := aLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || end != nil && end != io.EOF {
			return nil, fmt.Errorf("line %d: no number of a thread: %.80q %v", number, line, end)
		}
		pid, rest := m[1], m[2]
		if strings.HasPrefix(rest, "+++") || strings.HasPrefix(rest, "---") {
			continue
		}
		if _, after, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(rest, "<... ") {
			rest = begun[pid] + after
		}
		if first, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			begun[pid] = first
			continue
		}
		delete(begun, pid)
		if strings.Contains(rest, ") = ?") {
			continue
		}
		c := Call{Line: number}
		if m = aCall.FindStringSubmatch(rest); m == nil {
			return nil, fmt.Errorf("line %d: no call: %.80q", number, rest)
		}
		c.Name = m[1]
		if c.Return, err = strconv.ParseInt(m[3], 0, 64); err == nil {
			c.Args, err = parseArgs(m[2])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", number, c.Name, err)
		}
		calls = append(calls, c)
	}
}

// parseArgs splits arguments at the commas outside of brackets.
func parseArgs(text string) (args []Arg, err error) {
	if strings.Contains(text, `"...`) {
		return nil, errors.New("a string is cut off; give strace a larger -s")
	}
	depth, start := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && strings.IndexByte("[{(", text[i]) >= 0:
			depth++
		case i < len(text) && strings.IndexByte("]})", text[i]) >= 0:
			depth--
		case i == len(text) && text != "" || i < len(text) && text[i] == ',' && depth == 0:
			a := Arg{Text: strings.TrimSpace(text[start:i])}
			start = i + 1
			if m := anArg.FindStringSubmatch(a.Text); m != nil && strings.HasPrefix(a.Text, `"`) {
				data, err := strconv.Unquote(`"` + m[1] + `"`)
				if err != nil {
					return nil, fmt.Errorf("a string that is none: %.80q", a.Text)
				}
				a = Arg{Data: []byte(data)}
			} else if m != nil {
				a.Text = m[2]
				if a.Path, err = strconv.Unquote(`"` + m[3] + `"`); err != nil {
					return nil, fmt.Errorf("a path that is none: %.80q", m[3])
				}
			}
			args = append(args, a)
		}
	}
	return args, nil
}
