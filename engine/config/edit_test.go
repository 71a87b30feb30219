package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct{ name, src, key, want string }{
		{"a value is replaced", "# top\na = 1 # why\nb = 2\n", "a", "# top\na = 9 # why\nb = 2\n"},
		{"a list over several lines", "a = [\n  1, # one\n  2,\n]\nb = 2\n", "a", "a = 9\nb = 2\n"},
		{"the end of its table", "[x]\na = 1\n# of a\n\n# of y\n[y]\nb = 1\n", "x.n", "[x]\na = 1\nn = 9\n# of a\n\n# of y\n[y]\nb = 1\n"},
		{"an empty table", "[x]\n\n[y]\nb = 1\n", "x.n", "[x]\nn = 9\n\n[y]\nb = 1\n"},
		{"a table that is missing", "a = 1\n", "x.y.n", "a = 1\n\n[x.y]\nn = 9\n"},
		{"an empty file", "", "n", "n = 9\n"},
		{"an empty file and a table", "", "x.n", "[x]\nn = 9\n"},
		{"no line end", "a = 1", "n", "a = 1\nn = 9\n"},
		{"above the first table", "# all\n\n# of x\n[x]\na = 1\n", "n", "# all\n\nn = 9\n\n# of x\n[x]\na = 1\n"},
		{"after the last key of the root", "a = 1\n\n[x]\n", "n", "a = 1\nn = 9\n\n[x]\n"},
		{"a dotted key", "a.b = 1\nc = 2\n", "a.n", "a.b = 1\nc = 2\na.n = 9\n"},
		{"a dotted key in a table", "[x]\na.b = 1\nc = 2\n", "x.a.n", "[x]\na.b = 1\nc = 2\na.n = 9\n"},
		{"a table above tables", "[x.y]\nb = 1\n", "x.n", "[x.y]\nb = 1\n\n[x]\nn = 9\n"},
		{"CRLF", "a = 1\r\n[x]\r\n", "x.n", "a = 1\r\n[x]\r\nn = 9\r\n"},
		{"a byte order mark", "\ufeffa = 1\n", "a", "\ufeffa = 9\n"},
		{"a byte order mark and a table", "\ufeff[x]\n", "n", "\ufeffn = 9\n\n[x]\n"},
		{"a quoted key", "[\"x y\".'z']\na = 1\n", `"x y".z.a`, "[\"x y\".'z']\na = 9\n"},
		{"a quoted key that is new", "", `x."a b"`, "[x]\n\"a b\" = 9\n"},
		{"texts that look like TOML", "a = \"\"\"\n[x]\nn = 1\n\"\"\"\nb = 'n = 1 # \"'\n[x]\nn = 1\n", "x.n", "a = \"\"\"\n[x]\nn = 1\n\"\"\"\nb = 'n = 1 # \"'\n[x]\nn = 9\n"},
		{"an inline table", "x = {a = 1}\n", "x.n", ""},
		{"a value as a table", "x = 1\n", "x.n", ""},
		{"a table as a value", "[x]\na = 1\n", "x", ""},
		{"an empty table as a value", "[x.a]\n", "x", ""},
		{"a list of tables", "[[x]]\na = 1\n", "x.a", ""},
		{"a file that does not parse", "a = \n", "n", ""},
		{"no key", "", "a b", ""},
		{"two keys", "", "a = 1\nb", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Set([]byte(tt.src), tt.key, 9)
			if string(got) != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("Set(%q, %q)\n got %q, %v\nwant %q", tt.src, tt.key, got, err, tt.want)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	for _, tt := range []struct{ src, key, want string }{
		{"# top\na = 1 # why\nb = 2\n", "a", "# top\nb = 2\n"},
		{"[x]\n  a = [\n1]\n# end\n", "x.a", "[x]\n# end\n"},
		{"a.b = 1\r\nc = 1", "a.b", "c = 1"},
		{"a = 1", "b", "a = 1"},
		{"x = {a = 1}", "x.a", "error"},
		{"x = {a = 1}\nb = 1", "x", "b = 1"},
		{"a = 1\n[x]\nb = 1\n# end\n[y]\nx = 1\n[x.z]\nc = 1\n", "x", "a = 1\n# end\n[y]\nx = 1\n"},
		{"[[x]]\na = 1", "x.a", "error"},
	} {
		got, err := Unset([]byte(tt.src), tt.key)
		if err != nil {
			got = []byte("error")
		}
		if string(got) != tt.want {
			t.Errorf("Unset(%q, %q) is %q, %v; want %q", tt.src, tt.key, got, err, tt.want)
		}
	}
}

var (
	word  = rapid.SampledFrom([]string{"a", "b", "c", `"d e"`, `'f.g'`, `"\u0068"`})
	value = rapid.SampledFrom([]string{"1", "-2.5", "true", `"text"`, `"a # \" = ["`, "'''\n[a]\nb = ''''", "\"\"\"x\\\n  y\"\"\"", "[1, [2], \n # c\n \"]\"]",
		"{a = 1, 'b.c' = {d.\"e=f\" = \"}\"}}", "[{a = 1}, {b = \"]\"}]", "1979-05-27 07:32:00", "nan", "[]", "{}"})
)

// document draws a TOML file as people write it; it need not parse.
func document(t *rapid.T) string {
	var b strings.Builder
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	name := func() string {
		return strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "name"), rapid.SampledFrom([]string{".", " . "}).Draw(t, "dot"))
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
		switch rapid.IntRange(0, 6).Draw(t, "line") {
		case 0:
			fmt.Fprintf(&b, "# note %d = 1", i)
		case 1:
		case 2:
			fmt.Fprintf(&b, "[%s] # head", name())
		case 3:
			fmt.Fprintf(&b, " [[ %s ]]", name())
		default:
			fmt.Fprintf(&b, "  %s =  %s # why %d", name(), value.Draw(t, "value"), i)
		}
		b.WriteString(end)
	}
	return b.String()
}

// The scanner finds the values that the decoder finds, each with its bytes.
func TestTheScannerFindsWhatTheDecoderFinds(t *testing.T) {
	sound := 0
	rapid.Check(t, func(t *rapid.T) {
		src := document(t)
		tree, err := decode(src)
		if err != nil {
			return
		}
		all := scan(src)
		for _, e := range all {
			if slices.ContainsFunc(all, func(o entry) bool { return !o.header && len(o.path) < len(e.path) && below(e.path, o.path) }) {
				return // which is no TOML, though the decoder lets it pass
			}
		}
		sound++
		want := map[string]any{}
		each(nil, tree, func(p []string, v any) { want[fmt.Sprintf("%q", p)] = v })
		got := map[string]any{}
		for _, e := range all {
			if !e.header && !e.within {
				each(e.path, e.value, func(p []string, v any) { got[fmt.Sprintf("%q", p)] = v })
			} else if e.list && !e.within {
				got[fmt.Sprintf("%q", e.path)] = want[fmt.Sprintf("%q", e.path)]
			}
		}
		if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Fatalf("%q\n got %#v\nwant %#v", src, got, want)
		}
	})
	if sound < 10 {
		t.Errorf("only %d files parsed", sound)
	}
}

// Setting a key changes this key and nothing else: no other line, and no other value. Setting it again changes nothing,
// and taking it out of a file that did not have it restores the file but for a header and blank lines.
func TestSetChangesOneKey(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		src := document(t)
		key := strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "key"), ".")
		text := rapid.SampledFrom([]any{"new", int64(3), []any{"x", "y"}}).Draw(t, "new")
		if _, err := decode(src); err != nil {
			return
		}
		out, err := Set([]byte(src), key, text)
		if err != nil {
			return // it says so
		}
		done++
		again, err := Set(out, key, text)
		if err != nil || string(again) != string(out) {
			t.Fatalf("Set(%q, %q) again: %q, %v", src, key, again, err)
		}
		lines := strings.SplitAfter(string(out), "\n")
		if strings.Contains(src, "\r\n") && strings.Contains(strings.ReplaceAll(string(out), "\r\n", ""), "\n") && !strings.Contains(src, "\n[a]\nb") {
			if strings.Count(strings.ReplaceAll(string(out), "\r\n", ""), "\n") > strings.Count(strings.ReplaceAll(src, "\r\n", ""), "\n") {
				t.Fatalf("Set(%q, %q) mixes line ends: %q", src, key, out)
			}
		}
		for line := range strings.Lines(src) {
			if strings.HasPrefix(line, "#") && !slices.Contains(lines, line) {
				t.Fatalf("Set(%q, %q) loses %q: %q", src, key, line, out)
			}
		}
		back, err := Unset(out, key)
		if err != nil {
			t.Fatalf("Unset(%q, %q): %v", out, key, err)
		}
		path, _ := parseKey(key)
		if !slices.ContainsFunc(scan(src), func(e entry) bool { return slices.Equal(e.path, path) }) { // it was added
			for line := range strings.Lines(src) {
				if !strings.Contains(string(back), strings.TrimRight(line, "\r\n")) {
					t.Fatalf("Set and Unset of %q in %q lose %q: %q", key, src, line, back)
				}
			}
		}
	})
	if done < 10 {
		t.Errorf("only %d files were changed", done)
	}
}

// A value that a command line gives is of the type of its key.
func TestParseValue(t *testing.T) {
	for _, tt := range []struct {
		key, text string
		want      string
	}{
		{"vault", "12", `"12"`}, {"max-tokens", "12", "12"}, {"max-tokens", "many", `"many"`}, {"toolsets", "plan,briefing", `["plan", "briefing"]`},
		{"toolsets", `["all"]`, `["all"]`}, {"toolsets", "all", `["all"]`}, {"x.y", "true", "true"}, {"x.y", "some words", `"some words"`},
		{"x.y", "1\nz = 2", `"1\nz = 2"`}, {"providers.a.model", "3", `"3"`},
	} {
		path, err := parseKey(tt.key)
		got := parseValue(path, tt.text)
		text, bad := encode(got)
		if text != tt.want || err != nil || bad != nil {
			t.Errorf("parseValue(%q, %q) is %s, %v, %v; want %s", tt.key, tt.text, text, err, bad, tt.want)
		}
	}
}

// A table that dotted keys make is no value, be it empty.
func TestATableDoesNotBecomeAValue(t *testing.T) {
	for _, src := range []string{"'f.g'.a = {} # why\n", "'f.g'.a = 1\n", "'f.g'.a.b = []\n"} {
		if out, err := Set([]byte(src), "'f.g'", "x"); err == nil {
			t.Errorf("%q becomes %q", src, out)
		}
	}
}
