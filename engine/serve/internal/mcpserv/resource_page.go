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

// page returns the part of a text that begins at the byte from and takes at most room bytes of JSON, in whole lines if
// one fits. If some of the text is left, a last line by Arbor says how much, and which URI has it; uri returns the URI
// of the text from a byte on. ok is false if from is behind the end.
func page(text string, from, room int, uri func(from int) string) (part string, ok bool) {
	if from > 0 && from >= len(text) {
		return "", false
	}
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) { // the text has changed since
		from++
	}
	rest := text[from:]
	if len(rest) <= room && jsonSize(rest) <= room {
		return rest, true
	}
	longest := notice(len(text), len(text), uri(len(text)))
	room = max(room-jsonSize("\n"+longest), leastPage)
	kept := 0
	for line := range strings.Lines(rest) {
		size := jsonSize(line)
		if size > room {
			break
		}
		room -= size
		kept += len(line)
	}
	part = rest[:kept]
	if kept == 0 { // a line that is longer than a page
		kept = ops.Fitting(rest, room)
		part = rest[:kept] + "\n"
	}
	return part + notice(len(rest)-kept, len(text), uri(from+kept)), true
}

func notice(left, all int, uri string) string {
	return fmt.Sprintf("[Arbor: cut here; %d of %d bytes are left out, %s has them]\n", left, all, uri)
}
