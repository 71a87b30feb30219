package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/mdstore"
	"arbor/statemachine"
)

// priorities are those of RFC 5545 by the words of the key priority.
var priorities = map[string]int{"critical": 1, "high": 3, "medium": 5, "low": 9}

// writeCalendar writes a calendar of RFC 5545, with an event of a day for each node that has a due date. Calendars of
// Google, Apple and Outlook show events, and no to-dos.
func writeCalendar(p Plan) (string, error) {
	c, w := &calendar{}, p.View.Workspace()
	c.line("BEGIN:VCALENDAR", "")
	c.line("VERSION:", "2.0")
	c.line("PRODID:", "-//Arbor//Arbor//EN")
	c.line("X-WR-CALNAME:", w.Name)
	events := 0
	for _, n := range p.Nodes {
		if n.Due == nil || *n.Due == "" {
			continue
		}
		day, err := time.Parse(mdstore.DayLayout, *n.Due)
		if err != nil {
			continue // check tells of it
		}
		events++
		at := time.UnixMilli(cmp.Or(n.UpdatedAt, n.CreatedAt)).UTC().Format("20060102T150405Z")
		c.line("BEGIN:VEVENT", "")
		c.line("UID:", string(n.ID)+"@"+string(w.ID))
		c.line("DTSTAMP:", at)
		c.line("DTSTART;VALUE=DATE:", day.Format("20060102"))
		c.line("SUMMARY:", mark(n)+n.Title)
		if text := strings.TrimSpace(n.Requirement()); text != "" {
			c.line("DESCRIPTION:", text)
		}
		if n.Priority != nil && priorities[*n.Priority] > 0 {
			c.line("PRIORITY:", fmt.Sprint(priorities[*n.Priority]))
		}
		if len(n.Tags) > 0 {
			c.line("CATEGORIES:", slices.Clone(n.Tags)...)
		}
		if statemachine.Terminal(n.Status) && n.Status != statemachine.Completed {
			c.line("STATUS:", "CANCELLED")
		}
		c.line("TRANSP:", "TRANSPARENT")
		c.line("END:VEVENT", "")
	}
	c.line("END:VCALENDAR", "")
	if events == 0 {
		return "", refused("no node has a due date, so there is nothing for a calendar; {node_update} with due sets one")
	}
	return c.String(), nil
}

// mark is what stands before the title of a node that is done.
func mark(n *mdstore.Node) string {
	if n.Status == statemachine.Completed {
		return "✓ "
	}
	return ""
}

// A calendar is made of lines of at most 75 bytes, which are continued in others that begin with a blank.
type calendar struct{ strings.Builder }

var inCalendar = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// line adds a property with a text, or several.
func (c *calendar) line(name string, texts ...string) {
	for i, text := range texts {
		texts[i] = inCalendar.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.Join(texts, ","))
	const most = 75
	room := most
	for _, r := range name + text {
		if size := utf8.RuneLen(r); size > room {
			c.WriteString("\r\n ")
			room = most - 1
		}
		c.WriteRune(r)
		room -= utf8.RuneLen(r)
	}
	c.WriteString("\r\n")
}
