package crashtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A scanner reads arguments from the front of rest.
type scanner struct{ rest string }

func (p *scanner) eat(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok {
		p.rest = rest
	}
	return ok
}

// arg reads up to the next comma or closing parenthesis that is not within anything.
func (p *scanner) arg() (a Arg, err error) {
	depth := 0
	for p.rest != "" {
		switch b := p.rest[0]; b {
		case '"':
			data, err := p.quoted()
			if err != nil {
				return a, err
			}
			if p.eat("...") {
				return a, errors.New("a string is cut off; give strace a larger -s")
			}
			if depth == 0 {
				a.Data = data
			}
			continue
		case '<':
			// "3</path>" and "AT_FDCWD</path>"; other uses, as "<<" in flags, hold no path.
			if end := strings.IndexByte(p.rest, '>'); end > 0 && a.Text != "" && a.Data == nil {
				if a.Path, err = unescape(p.rest[1:end]); err != nil {
					return a, err
				}
				p.rest = p.rest[end+1:]
				p.eat("(deleted)")
				continue
			}
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			if b == ')' && depth == 0 {
				return a, nil
			}
			depth--
		case ',':
			if depth == 0 {
				return a, nil
			}
		}
		a.Text += p.rest[:1]
		p.rest = p.rest[1:]
	}
	return a, nil
}

// quoted reads a string in quotes.
func (p *scanner) quoted() ([]byte, error) {
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '"':
			s, err := unescape(p.rest[1:i])
			p.rest = p.rest[i+1:]
			return []byte(s), err
		}
	}
	return nil, errors.New("a string does not end")
}

// unescape reads the escapes of -xx, and those that strace uses without it.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	out := make([]byte, 0, len(s)/4)
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", errors.New("a backslash at the end")
		}
		if at := strings.IndexByte(`nrtvf\"`, s[i]); at >= 0 {
			out = append(out, "\n\r\t\v\f\\\""[at])
			continue
		}
		base, digits := 8, s[i:min(i+3, len(s))]
		if s[i] == 'x' {
			i++
			base, digits = 16, s[i:min(i+2, len(s))]
		}
		n := 0
		for n < len(digits) && strings.IndexByte("0123456789abcdef"[:base], digits[n]) >= 0 {
			n++
		}
		b, err := strconv.ParseUint(digits[:n], base, 8)
		if err != nil {
			return "", fmt.Errorf("an escape that is none: %.20q", s[i:])
		}
		out = append(out, byte(b))
		i += n - 1
	}
	return string(out), nil
}
