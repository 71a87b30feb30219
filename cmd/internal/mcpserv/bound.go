package mcpserv

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bound keeps a reply within its size. Operations keep within theirs by themselves, where they can say how to get the rest; what is left
// is texts of somebody's that are longer than that: they are cut, the longest first, and the reply says so.
func (s *Server) bound(r *mcp.CallToolResult) *mcp.CallToolResult {
	most := s.opt.MaxTokens * 4
	size := wire(r)
	data, ok := r.StructuredContent.(json.RawMessage)
	if size <= most || !ok {
		return r
	}
	var whole any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // times in milliseconds stay whole
	if dec.Decode(&whole) != nil {
		return r
	}
	top, ok := whole.(map[string]any)
	if !ok {
		return r
	}
	text := r.Content[0].(*mcp.TextContent)
	written := text.Text != string(data)
	for room := len(data) * most / size; size > most && room > 64; room = room * 9 / 10 {
		top["cut"] = cuts(top, room)
		small, err := encode(top)
		if err != nil {
			return r
		}
		r.StructuredContent = small
		switch md, is := top["markdown"].(string); {
		case is && written:
			text.Text = md
		case r.IsError:
			text.Text = clip(text.Text, room)
		default:
			text.Text = string(small)
		}
		size = wire(r)
	}
	return r
}

// wire returns the size of a reply as it is sent.
func wire(r *mcp.CallToolResult) int {
	data, err := json.Marshal(r)
	if err != nil {
		return 0
	}
	return len(data)
}

// cuts makes a value fit into so many bytes of JSON, as far as there is something to cut, and says what is missing.
func cuts(top map[string]any, room int) []string {
	said := map[string]string{}
	var order []string
	if before, ok := top["cut"].([]string); ok {
		for _, c := range before {
			at, _, _ := strings.Cut(c, ": ")
			said[at] = c
			order = append(order, at)
		}
	}
	delete(top, "cut")
	for size := weigh(top); size > room; size = weigh(top) {
		at, what := cutHeaviest(top, "", size-room)
		if at == "" {
			break
		}
		if said[at] == "" {
			order = append(order, at)
		}
		said[at] = at + ": " + what
	}
	out := make([]string, len(order))
	for i, at := range order {
		out[i] = said[at]
	}
	return out
}

const (
	leastText = 240 // bytes of a text that is cut
	mark      = "… (cut)"
)

// cutHeaviest takes about excess bytes out of the heaviest part of a container, and returns where that was and how much is left of it; "" where there is
// nothing to be cut.
func cutHeaviest(in any, at string, excess int) (where, what string) {
	switch in := in.(type) {
	case map[string]any:
		key := heaviest(in)
		if key == "" {
			return "", ""
		}
		name := strings.TrimPrefix(at+"."+key, ".")
		switch v := in[key].(type) {
		case string:
			if len(v) <= leastText+len(mark) {
				return "", ""
			}
			in[key] = strings.TrimSuffix(clip(strings.TrimSuffix(v, mark), max(leastText, len(v)-excess-len(mark))), "…") + mark
			return name, fmt.Sprintf("%d bytes are left of a longer text", len(in[key].(string))-len(mark))
		case []any:
			if i, heavy := outlier(v); heavy || len(v) < 2 {
				if s, ok := v[i].(string); ok {
					return cutElement(v, i, s, name, excess)
				}
				return cutHeaviest(v[i], fmt.Sprintf("%s[%d]", name, i), excess)
			}
			in[key] = fewer(v, excess)
			return name, fmt.Sprintf("%d are left of more", len(in[key].([]any)))
		default:
			return cutHeaviest(v, name, excess)
		}
	case []any:
		if len(in) == 0 {
			return "", ""
		}
		i, _ := outlier(in)
		return cutHeaviest(in[i], fmt.Sprintf("%s[%d]", at, i), excess)
	}
	return "", ""
}

func cutElement(list []any, i int, s, name string, excess int) (where, what string) {
	if len(s) <= leastText+len(mark) {
		return "", ""
	}
	cut := strings.TrimSuffix(clip(strings.TrimSuffix(s, mark), max(leastText, len(s)-excess-len(mark))), "…")
	list[i] = cut + mark
	return fmt.Sprintf("%s[%d]", name, i), fmt.Sprintf("%d bytes are left of a longer text", len(cut))
}

// heaviest returns the key whose value takes most of an object and can be cut.
func heaviest(m map[string]any) string {
	best, at := 0, ""
	for k, v := range m {
		switch v.(type) {
		case string, []any, map[string]any:
			if w := weigh(v); w > best || w == best && k < at {
				best, at = w, k
			}
		}
	}
	return at
}

// outlier returns the heaviest element of a list, and whether it takes more than half of the list.
func outlier(list []any) (at int, heavy bool) {
	best, sum := -1, 0
	for i, v := range list {
		w := weigh(v)
		sum += w
		if w > best {
			best, at = w, i
		}
	}
	return at, best*2 > sum
}

// fewer takes elements out of a list: the last ones, but of a log the oldest.
func fewer(list []any, excess int) []any {
	oldestFirst := timeOf(list[0]) != "" && timeOf(list[0]) <= timeOf(list[len(list)-1])
	for excess > 0 && len(list) > 1 {
		if oldestFirst {
			excess -= weigh(list[0]) + 1
			list = list[1:]
		} else {
			excess -= weigh(list[len(list)-1]) + 1
			list = list[:len(list)-1]
		}
	}
	return list
}

func timeOf(v any) string {
	m, _ := v.(map[string]any)
	t, _ := m["timestamp"].(string)
	return t
}

func weigh(v any) int {
	data, err := encode(v)
	if err != nil {
		return 0
	}
	return len(data)
}
