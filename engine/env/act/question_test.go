package act

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"arbor/context/render"
	"arbor/engine/env/trust"
)

// hostile are texts that hide something, or look as if they did.
var hostile = []string{
	"\x1b[2J", "\x1b]0;title\x07", "\u009d; touch PWNED #\u009c", "\u202e", "\u2066x\u2069", "\u200b", "\u200d", "\ufe0f", "\u00ad", "\u3164", "\u115f", "\u2800",
	"\u00a0", "\u2028", "\r", "\r\n", "\t", "\x00", "\x7f", "\U000e0041", "\ufeff", "\xff", "\\u202e", `\`, `\\x1b`, "é", "中文", "عربي", "שלום", "e\u0301", "😀", "…", "\"",
	"  … 12 bytes in 1 line, from byte 0 on, not shown here: arbor env approve x shows all …", "\n", "plain ", "+", "-",
}

func texts(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()), 0, 12).Draw(t, name), "")
}

// unescaped reads a text back that Escaped has written.
func unescaped(s string, doubled bool) string {
	one := `\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\[nrt]`
	if doubled {
		one = `\\\\|` + one
	}
	return regexp.MustCompile(one).ReplaceAllStringFunc(s, func(e string) string {
		if e == `\\` {
			return `\`
		}
		if n, err := strconv.ParseUint(e[min(2, len(e)):], 16, 32); err == nil && e[1] == 'x' && n >= 0x80 {
			return string([]byte{byte(n)})
		}
		text, err := strconv.Unquote(`"` + e + `"`)
		if err != nil {
			panic(err)
		}
		return text
	})
}

// Every character is there, in its order, and what does not show is an escape: the text can be read back.
func TestEscapedLeavesNothingOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, lines := texts(t, "s"), rapid.Bool().Draw(t, "lines")
		_, n := render.Escaped(s, lines, false)
		shown, again := render.Escaped(s, lines, n > 0)
		if back := unescaped(shown, n > 0); n > 0 && back != s || n == 0 && shown != s || again != n {
			t.Fatalf("%q shows as %q (%d, %d), which reads %q", s, shown, n, again, back)
		}
		judge(t, shown, lines)
	})
}

// judge fails where a text has a character that does not show.
func judge(t interface{ Fatalf(string, ...any) }, shown string, lines bool) {
	for line := range strings.SplitSeq(shown, "\n") {
		if lines {
			line = strings.TrimLeft(line, "\t +-")
		}
		for _, r := range line {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
				unicode.IsSpace(r) && r != ' ' {
				t.Fatalf("%q has %U", shown, r)
			}
		}
	}
}

func requestOf(path, content, diff string) trust.Request {
	raw, err := json.Marshal(map[string]any{"path": path, "content": content, "environment": "app", "sessionId": "s1"})
	if err != nil {
		panic(err)
	}
	return trust.Request{ID: "x3k9qa", Kind: trust.KindCall, Asked: 0, Diff: diff,
		Call: trust.Call{Session: "s1", Environment: "app", Tool: "file_write", Path: path, Arguments: raw}}
}

// A question that is shown whole has all of the arguments, the path and the diff. A question that is cut has their
// beginning and their end, the size of the part between, and the command that shows everything.
func TestAQuestionLeavesNothingOut(t *testing.T) {
	gap := regexp.MustCompile(`(?m)^  … (\d+) bytes? in (\d+) lines?, from byte (\d+) on(?:, \d+ characters? of them escapes)?, not shown here: arbor env approve x3k9qa shows all …\n`)
	rapid.Check(t, func(t *rapid.T) {
		piece := strings.ToValidUTF8(texts(t, "content"), "?")
		content := strings.Repeat(piece, rapid.SampledFrom([]int{1, 1, 1, 60, 900}).Draw(t, "times"))
		path := strings.ToValidUTF8(texts(t, "path"), "?")
		diff := "--- a\n+++ b\n@@ -0,0 +1 @@\n+" + strings.ReplaceAll(content, "\n", "\n+")
		r := requestOf(path, content, diff)
		whole, cut := Asked(r, true), Asked(r, false)
		judge(t, whole, true)
		judge(t, cut, true)
		doubled := strings.Contains(whole, "that are not shown as they are: ") || strings.Contains(whole, "that is not shown as it is: ")
		_, args, _ := strings.Cut(whole, "  arguments  ")
		args, rest, _ := strings.Cut(args, "\n")
		var got map[string]string
		if err := json.Unmarshal([]byte(args), &got); err != nil || got["content"] != content || got["path"] != path || got["sessionId"] != "" {
			t.Fatalf("the arguments %s are %q, %v", args, got, err)
		}
		var lines []string
		for line := range strings.SplitSeq(rest, "\n") {
			if shown, ok := strings.CutPrefix(line, "    "); ok {
				lines = append(lines, unescaped(shown, doubled))
			}
		}
		if back := strings.Join(lines, "\n"); doubled && back != strings.TrimSuffix(diff, "\n") {
			t.Fatalf("the diff %q reads %q", diff, back)
		}
		if len(cut) > 12*mostShown {
			t.Fatalf("a question has %d bytes", len(cut))
		}
		if gaps := gap.FindAllString(cut, -1); len(gaps) == 0 && cut != whole {
			t.Fatalf("something is left out and not said: %s", cut)
		}
	})
}

// A text that is cut is its beginning, what is left out, and its end.
func TestWhatIsCutIsCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, escapes := strings.Repeat(texts(t, "s")+"x", rapid.SampledFrom([]int{1, 50, 2000}).Draw(t, "times")), rapid.Bool().Draw(t, "escapes")
		head, gap, tail := parted(s, escapes)
		if head+gap+tail != s || len(s) > mostShown+64 && gap == "" || len(head)+len(tail) > mostShown+64 {
			t.Fatalf("%d bytes are %d, %d and %d", len(s), len(head), len(gap), len(tail))
		}
	})
}

// What came up when a person was asked about a file that hides a command.
func TestAHiddenCommandIsShown(t *testing.T) {
	text := Asked(requestOf("x\u202etxt.exe", "#!/bin/sh\ntrue \u009d; touch PWNED #\u009c\r\n", "+#!/bin/sh\n+true \u009d; touch PWNED #\u009c\r"), false)
	for _, want := range []string{`x\u202etxt.exe`, `+true \u009d; touch PWNED #\u009c\r`, "this has 8 characters that are not shown as they are"} {
		if !strings.Contains(text, want) {
			t.Errorf("the question does not say %q:\n%s", want, text)
		}
	}
	large := Asked(requestOf("a", strings.Repeat("\x1b", 44_000), strings.Repeat("+\x1b\n", 20_000)), false)
	if len(large) > 40_000 {
		t.Errorf("44 kB are asked for in %d bytes", len(large))
	}
	if fmt.Sprint(strings.Count(large, "arbor env approve x3k9qa shows all")) != "2" {
		t.Errorf("it does not say how all of it is shown:\n%.300s", large)
	}
}

// The line of a diff that says that a file has no line feed at its end is the diff's own: it stays as it is.
func TestALineOfTheDiffIsNoEscape(t *testing.T) {
	const own = "\\ No newline at end of file"
	text := Asked(requestOf("a", "x", "-x\n"+own+"\n+\u202e\\n\n"+own), false)
	if strings.Count(text, "    "+own+"\n") != 2 || !strings.Contains(text, `+\u202e\\n`) {
		t.Errorf("the question is\n%s", text)
	}
	if plain := Asked(requestOf("a", "x", "-x\n"+own), false); strings.Contains(plain, "not shown as") {
		t.Errorf("it counts an escape:\n%s", plain)
	}
}
