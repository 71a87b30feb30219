package mdstore

import (
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// Texts of other programs are stored in files below headings. A text that would not read back as it is, because it has
// a meaning in Markdown, is stored in a fence, unchanged.

// The info strings of two kinds of fences: one that holds a text unchanged, and one with escaped lines. There each line
// begins with a backslash, and a backslash is written as \\ and a carriage return as \r, so that no line looks like a
// conflict mark of git or like Markdown beyond the limits of a file.
const (
	verbatimInfo = "verbatim"
	escapedInfo  = "verbatim escaped"
)

// outer are the characters at both ends of a text that Markdown does not keep.
const outer = " \t\r\n"

// Verbatim returns the stored form of a text: the text itself, or the text in a fence. FromVerbatim reads it back byte
// for byte, also with blank lines around it. A text with a NUL byte or invalid UTF-8 cannot be stored.
func Verbatim(text string) string {
	if standsAlone(text) {
		return text
	}
	if fenced := Fenced(text); fits(fenced) {
		return fenced
	}
	return escaped(text)
}

// gitMarks match the lines that git writes around a conflict. Two of them in a file count as an unfinished merge.
var gitMarks = pattern.Of("(?m)^(<<<<<<< |>>>>>>> )")

// fits reports whether a stored text leaves a file sound.
func fits(stored string) bool {
	if gitMarks().MatchString(stored) {
		return false
	}
	_, wrong := mdoc.Parse("", []byte("---\n---\n\n## a\n\n"+stored+"\n"), SlotForm)
	return len(wrong) == 0
}

// escaped returns a text in a fence in which its lines are escaped.
func escaped(text string) string {
	text = strings.NewReplacer("\\", `\\`, "\r", `\r`, "\n", "\n\\").Replace(text)
	return "```" + escapedInfo + "\n\\" + text + "\n```"
}

// unescaped undoes escaped for the text in a fence.
func unescaped(held string) string {
	lines := strings.Split(held, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), `\`)
	}
	return strings.NewReplacer(`\\`, `\`, `\r`, "\r").Replace(strings.Join(lines, "\n"))
}

// Fenced returns a text in a fence that is longer than any in it, whether it needs one or not.
func Fenced(text string) string {
	longest := 2
	for _, run := range backticks().FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + verbatimInfo + "\n" + text + "\n" + fence
}

var backticks = pattern.Of("`+")

// standsAlone reports whether a text reads back unchanged below a heading: it begins and ends with a visible character,
// has no carriage return, no heading that would end it and no block that would swallow what follows, and does not begin
// with a comment or a fence of ours.
func standsAlone(text string) bool {
	if text == "" {
		return true
	}
	if strings.Trim(text, outer) != text || strings.Contains(text, "\r") || strings.HasPrefix(text, "<!--") {
		return false
	}
	if _, _, ours := opening(text); ours {
		return false
	}
	const before, behind = "---\n---\n\n## a\n\n", "\n\n## b\n"
	d, wrong := mdoc.Parse("", []byte(before+text+behind), nil)
	if len(wrong) > 0 || gitMarks().MatchString(text) {
		return false
	}
	high := slices.DeleteFunc(d.Headings(), func(h mdoc.Heading) bool { return h.Level > 2 })
	return len(high) == 2 && high[1].Span.Start == len(before)+len(text)+2
}

// opening returns the fence of a text that begins as Fenced or escaped makes it, and what reads the text in it.
func opening(text string) (fence string, read func(string) string, ours bool) {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSuffix(first, "\r")
	read = func(s string) string { return s }
	if fence, ours = strings.CutSuffix(first, escapedInfo); ours {
		read = unescaped
	} else {
		fence, ours = strings.CutSuffix(first, verbatimInfo)
	}
	return fence, read, ours && len(fence) >= 3 && strings.Trim(fence, "`") == ""
}

// FromVerbatim returns the text that is stored. Text that people add below a fence follows its text. If the fence has
// no end, everything is text.
func FromVerbatim(stored string) string {
	text := strings.Trim(stored, outer)
	fence, read, ours := opening(text)
	if !ours {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	_, inside, _ := strings.Cut(text, "\n")
	for at := 0; at < len(inside); {
		line, _, _ := strings.Cut(inside[at:], "\n")
		if strings.TrimRight(line, outer) == fence {
			held := read(strings.TrimSuffix(inside[:at], "\n"))
			if added := strings.Trim(inside[at+len(line):], outer); added != "" {
				held += "\n\n" + added
			}
			return held
		}
		at += len(line) + 1
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}
