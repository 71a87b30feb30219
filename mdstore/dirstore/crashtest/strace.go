// Package straced reads what strace wrote of a program: its system calls in
// the order in which they ended, with the paths of descriptors and all bytes
// that were written. It understands the output of
//
//	strace -f -y -xx -s 2097152 -o FILE
//
// which says of each descriptor what file it is, and hides nothing of any string.
package crashtest

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Call is a system call that has returned.
type Call struct {
	PID    int
	Name   string
	Args   []Arg
	Return int64  // -1 for an error
	Opened string // the path of the descriptor that it returned, if it is one
	Line   int    // where it ended, counted from 1
}

// An Arg is an argument of a call.
type Arg struct {
	Text string // as it stands there: a number, flags, or a descriptor without its path
	Path string // of a descriptor; of AT_FDCWD the working directory
	Data []byte // of a string; nil for everything else
}

// Int returns an argument that is a number, -1 for one that is none.
func (a Arg) Int() int64 {
	n, err := strconv.ParseInt(a.Text, 0, 64)
	if err != nil {
		return -1
	}
	return n
}

// Has reports whether flags hold one of that name.
func (a Arg) Has(flag string) bool {
	for f := range strings.SplitSeq(a.Text, "|") {
		if f == flag {
			return true
		}
	}
	return false
}

// Parse returns the calls of all threads. Signals, exits and calls that never returned are left out.
func Parse(r io.Reader) ([]Call, error) {
	var calls []Call
	begun := map[int]string{} // by thread: a call that others interrupted
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := lines.ReadString('\n')
		if line == "" && err == io.EOF {
			return calls, nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		pid, rest, err := thread(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if strings.HasPrefix(rest, "+++") || strings.HasPrefix(rest, "---") {
			continue
		}
		if _, after, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(rest, "<... ") {
			rest = begun[pid] + after
			delete(begun, pid)
		}
		if first, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			begun[pid] = first
			continue
		}
		c, ok, err := parseCall(rest)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if ok {
			c.PID, c.Line = pid, number
			calls = append(calls, c)
		}
	}
}

// thread cuts off the number of the thread, which stands first where there may be several.
func thread(line string) (pid int, rest string, err error) {
	head, rest, ok := strings.Cut(line, " ")
	pid, err = strconv.Atoi(head)
	if !ok || err != nil {
		return 0, "", fmt.Errorf("no number of a thread: %.80q", line)
	}
	return pid, strings.TrimLeft(rest, " "), nil
}

// parseCall parses "name(args) = return"; ok is false for a call that did not return.
func parseCall(s string) (c Call, ok bool, err error) {
	name, rest, found := strings.Cut(s, "(")
	if !found {
		return c, false, fmt.Errorf("no call: %.80q", s)
	}
	c.Name = name
	p := scanner{rest: rest}
	for !p.eat(")") {
		a, err := p.arg()
		if err != nil {
			return c, false, fmt.Errorf("%s: %w", name, err)
		}
		c.Args = append(c.Args, a)
		if !p.eat(", ") && !strings.HasPrefix(p.rest, ")") {
			return c, false, fmt.Errorf("%s: neither a comma nor the end: %.80q", name, p.rest)
		}
	}
	result, found := strings.CutPrefix(strings.TrimLeft(p.rest, " "), "= ")
	if !found {
		return c, false, fmt.Errorf("%s: no result: %.80q", name, p.rest)
	}
	if strings.HasPrefix(result, "?") {
		return c, false, nil
	}
	p = scanner{rest: result}
	a, err := p.arg()
	if err != nil {
		return c, false, fmt.Errorf("%s: %w", name, err)
	}
	number, _, _ := strings.Cut(a.Text, " ")
	if c.Return, err = strconv.ParseInt(number, 0, 64); err != nil {
		return c, false, fmt.Errorf("%s: the result is %q", name, a.Text)
	}
	c.Opened = a.Path
	return c, true, nil
}
