package mcpserv

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"arbor/engine/ops"
)

// leastPage is the least room of a page, in bytes, so that a client that follows the pages reaches the end of a text
// however small replies are.
const leastPage = 64

// jsonSize returns how many bytes a text takes within a string of JSON, as package encoding/json writes it.
var jsonSize = ops.TextSize

// page returns the part of a text from a place on that takes at most room bytes of JSON, in whole lines where a line
// fits. If that is not the rest of the text, a last line by Arbor says how much is left out, and which URI has it: uri
// returns that of a place. ok is false for a place behind the end.
func page(text string, from place, room int, uri func(place) string) (part string, ok bool) {
	rest, ok := tail(text, from)
	if !ok {
		return "", false
	}
	if len(rest) <= room && jsonSize(rest) <= room {
		return rest, true
	}
	at := place{max(from.line, 1), from.col}
	longest := notice(len(text), len(text), uri(place{at.line + strings.Count(rest, "\n"), len(text)}))
	room = max(room-jsonSize("\n"+longest), leastPage)
	kept := 0
	for line := range strings.Lines(rest) {
		size := jsonSize(line)
		if size > room {
			break
		}
		room -= size
		kept += len(line)
		at = place{line: at.line + 1}
	}
	part = rest[:kept]
	if kept == 0 { // a line that is longer than a page
		kept = ops.Fitting(rest, room)
		part = rest[:kept] + "\n"
		at.col += kept
	}
	return part + notice(len(rest)-kept, len(text), uri(at)), true
}

func notice(left, all int, uri string) string {
	return fmt.Sprintf("[Arbor: cut here; %d of %d bytes are left out, %s has them]\n", left, all, uri)
}

// tail returns the text from a place on. ok is false if the text ends before it.
func tail(text string, from place) (rest string, ok bool) {
	for i := 1; i < from.line; i++ {
		_, rest, more := strings.Cut(text, "\n")
		if !more || rest == "" {
			return "", false
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	if from.col > len(line) || from.col > 0 && from.col < len(text) && !utf8.RuneStart(text[from.col]) {
		return "", false
	}
	return text[from.col:], true
}
