package importtanmi

import (
	"path"
	"strings"

	"arbor/mdstore"
)

// refLine reads an item of a list of documents: `[name](path)`, with ` - description` and ` (status)` after it where they are, or
// one of the forms that Arbor reads. known is false where the item says nothing about its status.
func refLine(item string) (r mdstore.Ref, known bool) {
	item = strings.Join(strings.Fields(oneLine(item, len(item))), " ")
	name, target, after, ok := link(item)
	if !ok {
		text, expired, known := cutStatus(item)
		r = mdstore.ParseRef(text)
		r.Expired = r.Expired || expired
		return r, known || r.Expired
	}
	after, expired, known := cutStatus(after)
	desc := strings.TrimSpace(strings.TrimPrefix(after, "-"))
	switch {
	case desc == "":
		desc = name
	case name == path.Base(target), name == target, name == desc:
	default:
		desc = name + " - " + desc
	}
	if desc == target {
		desc = ""
	}
	return mdstore.Ref{Target: target, Description: desc, Expired: expired}, known
}

// link reads a link at the start of s. Brackets in its name and parentheses in its target may be nested.
func link(s string) (name, target, after string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return "", "", "", false
	}
	mid := -1
	if end := closing(s, '[', ']'); end > 0 && strings.HasPrefix(s[end:], "](") {
		mid = end
	} else {
		mid = strings.Index(s, "](")
	}
	if mid < 0 {
		return "", "", "", false
	}
	name = strings.TrimSpace(s[1:mid])
	s = s[mid+1:]
	end := closing(s, '(', ')')
	if end < 0 {
		if end = strings.LastIndexByte(s, ')'); end < 0 {
			return "", "", "", false
		}
	}
	target = strings.TrimSpace(s[1:end])
	target = strings.TrimSuffix(strings.TrimPrefix(target, "<"), ">")
	return name, target, strings.TrimSpace(s[end+1:]), target != ""
}

// closing returns the index of the bracket that closes the one s starts with, -1 where it stays open.
func closing(s string, open, end byte) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// cutStatus cuts a status in parentheses off the end of s. Other text in parentheses stays.
func cutStatus(s string) (rest string, expired, known bool) {
	s = strings.TrimSpace(s)
	for _, pair := range [][2]string{{"(", ")"}, {"（", "）"}} {
		in, ok := strings.CutSuffix(s, pair[1])
		i := strings.LastIndex(in, pair[0])
		if !ok || i < 0 {
			continue
		}
		rest := strings.TrimSpace(in[:i])
		switch fold(in[i+len(pair[0]):]) {
		case "expired", "已失效", "失效", "已过期", "过期":
			return rest, true, true
		case "active", "有效", "生效", "生效中", "活跃":
			return rest, false, true
		}
	}
	return s, false, false
}

// memoScheme is how the original refers to memos.
const memoScheme = "memo://"

// byItself reports whether a description is the one that the original makes of the target when it is given none.
func byItself(r mdstore.Ref) bool {
	return r.Description == "节点引用: "+r.Target || r.Description == "备忘引用: "+r.Target
}

// looksLikeNode reports whether a target has the form of the ids that the original makes.
func looksLikeNode(target string) bool {
	rest, ok := strings.CutPrefix(target, "node-")
	if !ok || strings.Count(rest, "-") != 1 || strings.HasSuffix(rest, "-") {
		return false
	}
	return strings.Trim(rest, "-0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
