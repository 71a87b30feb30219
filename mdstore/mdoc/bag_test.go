package mdoc

import (
	"strings"

	"pgregory.net/rapid"
)

// The bags hold plausible lines of unusual forms. Documents drawn from them find what
// mutations of bytes do not: lines that change each other's meaning.

var frontBag = []string{
	"id: node-1", "id: node-1 # who", "title: Plain words", `title: "Quoted: #1"`, "title: 'it''s'", "title: Fix: the thing",
	"title: [执行] Needs test", "title: [a]", "title: 登录接口", "title: a #b", "status: pending", "status: pending # c", "status: # c\n  pending",
	"? status\n: pending", "? status", `"status": x`, "'status': x # y", "status : x", "status:x", "status: |\n  several\n  lines",
	"status: | # c\n  several\n  # lines\n # no line", "status: |2-\n   x\n  y", "status: >-\n  folded\n\n  more", "status: &a pending\nrole: *a", "status: &a pending",
	"status: &a\nrole: *a", "status: !!str x", "status: !foo bar", "status:", "status: ~", "status:   # nothing", "status: \"a\\\n  b\" # c", "status: 'a\n  b'",
	"status: a\n  b\n  c # d", "status: a\n\n  b", "status:\n  pending", "status: >\n\n\n", "status: null", "status: \"\\u263a\"",
	"tags: [a, b]", "tags:\n- a\n- b", "tags:\n  - a # c\n  # d", "list: [a,\n  b]", "meta: {a: 1}", "meta:\n  k: v", "meta: &m\n  k: v\nalso: *m", "meta:\n  k: |\n    # v",
	"# a comment", "  # indented comment", "", "  ", "\t", "😀: smile", `"a b": c`, "note: |\n  x\n  ---\n  y", "note: |+\n  x\n\n", "note: |\n  x\n  # y",
	"text: a\n  b: c", "u: 'x\u2028v'", "u: x\u2028v", "u: x\u0085w: 1", "u: \"a\u2028b\"", "date: 2026-01-01", "n: 0x10", "f: 1.5e3", "order: 3", "updatedAt: 1767225600000",
	"isolated: false", "role: null", "  indented: key", "\ttab: key", "- item", "x: *nope", "<<: {a: b}", "{{a}}: b", "[a, b]: c", "key:value", "q: 'b' # c", "r: \"c\" #d",
	"e: f#g", "v: - x", "w: 'unclosed", "a: b # c: d", "just words", "%YAML 1.2", "--- x", "y: yes", "n: no", "rulesHash: 8e249", "p: @x", "b: \ufeffx",
}

// badFront are the lines of frontBag that make front matter invalid.
const badFront = `
  indented: key
	tab: key
- item
v: - x
w: 'unclosed
just words
%YAML 1.2
--- x
p: @x
x: *nope
`

var wholeFrontBag = []string{
	"{id: x, status: pending}", "{id: x,\n status: pending, }", "{}", "{\n  \"id\": \"x\",\n  \"status\": \"a\"\n}", "{id: x, tags: [a, b], status: }", "  id: x\n  status: y\n", "[a, b]", "",
	"{id: x} # c",
}

var bodyBag = []string{
	"## Log", "## log ##", "Log\n---", "  ## Log", "## 日志", "## Note", "## Note", "Note\n===", "## 备注", "## Own section", "# Title", "Title\n=====", "### Sub", "###### Deep", "    ## code", "##", "#",
	"- a", "- a\n- b", "* x\n\n* y", "1. one\n2. two", "1. a\n1. b", "9) a", "-   wide\n\n    more", "- ", "-", "- - nested", "- a\n  ## in a list", " - b", "   - c", "- ```\n  x", "- <!--\n", "-\tt\n\n\tu", "-      code",
	"> quote\n> ## q", ">", "lazy", "text", "text  ", "two\nlines", "```\ncode\n## Log\n```", "```", "~~~ go", "````\n```", "   ```\n   x\n   ```", "<!-- c\n## Log\n-->", "<!-- one -->", "<!--", "<div>", "<div>\n## x\n</div>", "<script>", "</script>", "<?php", "<![CDATA[",
	"[a]: /u", "[a]: /u\n===", "[a]: /u\n[b]:\n/v", "| a | b |\n|---|---|\n| 1 | 2 |", "a\n-:\n-", "***", "---", "--", "\u00a0", "=======", "    code", "\tcode", "\\## x", "#x", "- [ ] task", "+ p", "10. ten", "<<<<<<< HEAD", ">>>>>>> x", "||||||| base", "ours here\n=======\ntheirs", "a 🙂", "\v", "\f## x", "x\u2028## y",
}

var scalarBag = []string{
	"completed", "", "a: b", "#x", "x #y", "- x", "true", "null", "12", "1.5", "2026-01-01", "it's", `say "q"`, "several\nlines", "several\nlines\n", "x\u2028y", " lead", "trail ", "[x]", "{x}", "😀", "执行: x", "~", "yes", "0x1F", "8eb249a5",
	"12:30", "tab\tx", `a\b`, "|", "> x", "%a", "@b", "`c`", "x:", "---", "...", "\x01", "!t", "&a", "*a", "?", "a, b", "\ufeff", "\n", "# no comment\nx", "3 apples", "a\r\nb", "-1", "null ", "<<",
}

func drawJoined(t *rapid.T, label string, bag []string, least, most int) string {
	var b strings.Builder
	for i := range rapid.IntRange(least, most).Draw(t, label+" parts") {
		if i > 0 {
			b.WriteString(rapid.SampledFrom([]string{"\n\n", "\n\n", "\n", "\n\n\n", "\n  \n"}).Draw(t, "gap"))
		}
		b.WriteString(rapid.SampledFrom(bag).Draw(t, label))
	}
	return b.String()
}

func drawDocument(t *rapid.T) string {
	var front string
	if rapid.IntRange(0, 9).Draw(t, "whole") == 0 {
		front = rapid.SampledFrom(wholeFrontBag).Draw(t, "front")
	} else {
		lines := []string{}
		keys := map[string]bool{}
		for range rapid.IntRange(0, 7).Draw(t, "lines") {
			line := rapid.SampledFrom(frontBag).Draw(t, "line")
			key := strings.Trim(strings.TrimSpace(strings.TrimLeft(strings.SplitN(line+":", ":", 2)[0], "? ")), `"'`)
			if isBad := rapid.IntRange(0, 20).Draw(t, "bad") == 0; isBad || !keys[key] && !strings.Contains(badFront, "\n"+line+"\n") {
				lines = append(lines, line) // a second key and lines that are no YAML only now and then
			}
			keys[key] = true
		}
		front = strings.Join(lines, "\n")
	}
	src := "---\n" + front + "\n" + rapid.SampledFrom([]string{"---", "---", "---", "...", "--- "}).Draw(t, "end") + "\n" +
		rapid.SampledFrom([]string{"\n", "", "\n\n"}).Draw(t, "after") + drawJoined(t, "block", bodyBag, 0, 7)
	if rapid.Bool().Draw(t, "log") {
		src += "\n\n## Log\n\n" + drawJoined(t, "log block", bodyBag, 1, 4) + "\n\n" + drawJoined(t, "block", bodyBag, 0, 4)
	}
	src += rapid.SampledFrom([]string{"\n", "", "\n\n", "\n \n"}).Draw(t, "last")
	switch rapid.IntRange(0, 5).Draw(t, "eol") {
	case 0:
		src = strings.ReplaceAll(src, "\n", "\r\n")
	case 1: // mixed
		lines := strings.Split(src, "\n")
		for i := range lines[:len(lines)-1] {
			if i%3 == 0 {
				lines[i] += "\r"
			}
		}
		src = strings.Join(lines, "\n")
	}
	if rapid.IntRange(0, 7).Draw(t, "bom") == 0 {
		src = "\ufeff" + src
	}
	return src
}

func drawScalar(t *rapid.T) Scalar {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return NullValue()
	case 1:
		return Boolean(rapid.Bool().Draw(t, "bool"))
	case 2:
		return Integer(rapid.Int64().Draw(t, "int"))
	case 3:
		return Number(rapid.Float64().Draw(t, "float"))
	}
	return Text(rapid.SampledFrom(scalarBag).Draw(t, "value"))
}
