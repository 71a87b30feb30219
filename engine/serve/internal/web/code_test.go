package web

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCodeIsMarked(t *testing.T) {
	for source, want := range map[string]string{
		"```go\nfunc f() { // of \"x\"\n\treturn \"if // no\"\n}\n```": "<b>func</b> f() { <i>// of &#34;x&#34;</i>\n\t<b>return</b> " +
			"&#34;if // no&#34;\n}\n",
		"``` Python\nif x: # why\n```":                    "<b>if</b> x: <i># why</i>\n",
		"```sql\nSELECT a -- all\nFROM t /* if\n */\n```": "<b>SELECT</b> a <i>-- all</i>\n<b>FROM</b> t <i>/* if\n */</i>\n",
		"```sh\necho 'it is # no'\n```":                   "echo &#39;it is # no&#39;\n",
		"```\nif x // no language\n```":                   "if x // no language\n",
		"```yaml\na: <b> # <i>\n```":                      "a: &lt;b&gt; <i># &lt;i&gt;</i>\n",
	} {
		got := strings.TrimSpace(string(rendered(source, linker{})))
		got = strings.TrimSuffix(strings.TrimPrefix(got, "<pre><code>"), "</code></pre>")
		if strings.ReplaceAll(got, "&quot;", "&#34;") != want {
			t.Errorf("%s\nis  %q\nwant %q", source, got, want)
		}
	}
}

var marks = regexp.MustCompile(`</?[bi]>`)

// Marks change nothing of a text, whatever it is.
func TestMarkedCodeIsTheSameText(t *testing.T) {
	names := slices.Sorted(maps.Keys(codeForms))
	piece := rapid.SampledFrom([]string{"if", "//", "/*", "*/", "#", "--", "\"", "'", "`", "\\", "\n", "<", "&", "é", "<!--", "-->", " ", "x"})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOf(piece).Draw(t, "code"), "") + "\n"
		name := rapid.SampledFrom(names).Draw(t, "language")
		got := string(rendered("~~~~"+name+"\n"+source+"~~~~\n", linker{}))
		got = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(got), "<pre><code>"), "</code></pre>")
		if text := html.UnescapeString(marks.ReplaceAllString(got, "")); text != source {
			t.Errorf("%s %q is %q", name, source, text)
		}
	})
}
