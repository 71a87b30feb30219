package statemachine

import "fmt"

// Mermaid returns the life cycle of a type as a Mermaid state diagram, drawn
// from the rows and ending in a line break; "" for an unknown type.
func Mermaid(t Type) string {
	c := cycle(t)
	if c.kind == "" {
		return ""
	}
	text := "stateDiagram-v2\n" + arrow("[*]", Initial(t), "")
	for _, r := range rules {
		if r.Type == t {
			text += arrow(r.From, r.To, r.label())
		}
	}
	for _, s := range c.statuses {
		if Terminal(s) {
			text += arrow(s, "[*]", "")
		}
	}
	return text
}

// Table returns the life cycle of a type as a Markdown table of its rows,
// ending in a line break; "" for an unknown type.
func Table(t Type) string {
	if cycle(t).kind == "" {
		return ""
	}
	text := "| from | action | to | needs |\n|---|---|---|---|\n"
	for _, r := range rules {
		if r.Type == t {
			text += fmt.Sprintf("| %s | %s | %s | %s |\n", r.From, r.Do, r.To, join(r.asks(), "; "))
		}
	}
	return text
}

// asks is what a row wants before it is taken.
func (r Rule) asks() []string {
	if r.Automatic {
		return append([]string{"automatic"}, r.Need.names()...)
	}
	return r.Need.names()
}

func (r Rule) label() string {
	if asks := r.asks(); len(asks) > 0 {
		return fmt.Sprintf("%s (%s)", r.Do, join(asks, ", ")) // a semicolon would end the statement
	}
	return string(r.Do)
}

func arrow(from, to Status, label string) string {
	if label != "" {
		label = ": " + label
	}
	return fmt.Sprintf("    %s --> %s%s\n", from, to, label)
}
