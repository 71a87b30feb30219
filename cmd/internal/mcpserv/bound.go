package mcpserv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	around    = 128 // bytes of a reply besides its data and its text
	leastText = 40  // bytes of a text that is cut, as JSON, however small replies are to be
	cutsNamed = 8   // texts and lists that a reply names of those that it has in part
	mark      = "… (cut)"
)

// The members of a reply that tell of what it does not have, besides those of its operation.
const (
	keyCut   = "cut"   // what is there in part only
	keyError = "error" // why nothing was done

	keyDryRun = "dryRun" // a member of operations that write
)

// room is the size that an operation keeps its result within: that of the data and the text of a reply.
func (s *Server) room() int { return s.opt.MaxTokens*4 - around }

// bound keeps a reply within its size. Operations keep their lists within it by themselves, where they can say how to get the rest; what is left
// is texts and lists that people made longer than that. Of these the reply has the beginning, as much of each as there is room for when none has more than another,
// and cut says how much that is.
func (s *Server) bound(r *mcp.CallToolResult) *mcp.CallToolResult {
	most := s.opt.MaxTokens*4 - around/2
	data, ok := r.StructuredContent.(json.RawMessage)
	if !ok || wire(r) <= most {
		return r
	}
	whole, ok := ordered(data).(object)
	if !ok {
		return r
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if text == string(data) {
		text = ""
	}
	var best *mcp.CallToolResult
	for low, high := 0, most; low <= high; {
		level := (low + high) / 2
		if c := atLevel(r, whole, text, level, false); wire(c) <= most {
			best, low = c, level+1
		} else {
			high = level - 1
		}
	}
	if best == nil {
		best = atLevel(r, whole, text, 0, true)
	}
	return best
}

// isPlan reports whether data tells what a call would write.
func isPlan(data object) bool {
	return slices.ContainsFunc(data, func(m member) bool { return m.key == keyDryRun && m.value == true })
}

// wire returns the size of a reply as it is sent.
func wire(r *mcp.CallToolResult) int {
	data, err := json.Marshal(r)
	if err != nil {
		return 0
	}
	return len(data)
}

// atLevel returns a reply with no text and no list larger than a level, in bytes of JSON. text is what it shows as text in place of the data, "" for the data.
func atLevel(r *mcp.CallToolResult, whole object, text string, level int, names bool) *mcp.CallToolResult {
	c := cutter{level: level, names: names, plan: isPlan(whole)}
	small := c.value(whole, "").(object)
	for _, m := range small {
		if m.key == "markdown" && text != "" {
			text = m.value.(string)
		}
	}
	if small = append(small, member{keyCut, c.notices()}); r.IsError {
		text = c.text(text)
		small = small[:len(small)-1] // the message says what is to be done
	}
	var b strings.Builder
	write(&b, small)
	out := *r
	out.StructuredContent = json.RawMessage(b.String())
	if text == "" {
		text = b.String()
	}
	out.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	return &out
}

// A cutter cuts values down to a level, and notes what it cut.
type cutter struct {
	level int
	names bool // cut what names something, too
	plan  bool // nothing of it is written: neither a file nor a resource has it
	said  []string
}

// notices tells what was cut, the first few one by one, and where it is whole.
func (c *cutter) notices() []any {
	out := []any{}
	for i, s := range c.said {
		if i == cutsNamed-1 && len(c.said) > cutsNamed {
			out = append(out, fmt.Sprintf("%d more", len(c.said)-i))
			break
		}
		out = append(out, s)
	}
	if c.plan {
		return append(out, "all of it: the same with --dry-run at the command line; as nothing was written, neither a file nor a resource has it")
	}
	return append(out, "all of it: the file, or resource arbor://WORKSPACE/nodes/NODE")
}

// value returns v with what is too large in it cut.
func (c *cutter) value(v any, at string) any {
	switch v := v.(type) {
	case string:
		s := c.text(v)
		if s != v {
			c.said = append(c.said, fmt.Sprintf("%s: %d of %d bytes are here", at, len(s)-len(mark), len(v)))
		}
		return s
	case []any:
		return c.list(v, at)
	case object:
		out := make(object, len(v), len(v)+1)
		for i, m := range v {
			if out[i] = m; c.names || !identifies(m.key) {
				out[i].value = c.value(m.value, strings.TrimPrefix(at+"."+m.key, "."))
			}
		}
		return out
	}
	return v
}

// text returns a text, or what there is room for of it.
func (c *cutter) text(s string) string {
	room := max(c.level, leastText)
	if len(s) <= room && jsonSize(s) <= room {
		return s
	}
	return s[:fitting(s, room-jsonSize(mark))] + mark
}

// list returns a list, or those elements of it that there is room for: the first ones, but of a log the newest.
func (c *cutter) list(v []any, at string) []any {
	out := []any{}
	room := c.level
	newest := oldestFirst(v)
	for i := range v {
		if _, number := v[i].(json.Number); number {
			return v // the lines of a file
		}
		from, index := i, i
		if newest {
			from, index = len(v)-1-i, -1-i // from the end
		}
		before := len(c.said)
		e := c.value(v[from], fmt.Sprintf("%s[%d]", at, index))
		if room -= jsonLen(e) + 1; room < 0 && (i > 0 || c.level == 0) {
			c.said = append(c.said[:before], fmt.Sprintf("%s: %d of %d are here", at, i, len(v)))
			break
		}
		out = append(out, e)
	}
	if newest {
		for i, k := 0, len(out)-1; i < k; i, k = i+1, k-1 {
			out[i], out[k] = out[k], out[i]
		}
	}
	return out
}

// identifies reports whether a member of a result is of use only as a whole.
func identifies(key string) bool {
	switch key {
	case "id", "version", "cursor", "path", "at", "trash", "hint":
		return true
	}
	return strings.HasSuffix(key, "Id") || strings.HasSuffix(key, "Hash")
}

func oldestFirst(list []any) bool {
	return len(list) > 1 && timeOf(list[0]) != "" && timeOf(list[0]) <= timeOf(list[len(list)-1])
}

func timeOf(v any) string {
	o, _ := v.(object)
	for _, m := range o {
		if s, ok := m.value.(string); ok && m.key == "timestamp" {
			return s
		}
	}
	return ""
}
