package memory_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"arbor/engine/internal/memory"
)

// A summary is the same each time, is of parts of the text in their order, and of more than one only while they are
// within the ratio; it is empty only for an empty text.
func TestSummariesAreOfTheText(t *testing.T) {
	check := func(t *rapid.T, text string, ratio float64) {
		got := memory.Summarize(text, ratio)
		if got != memory.Summarize(text, ratio) {
			t.Fatalf("two summaries of %q", text)
		}
		if (strings.TrimSpace(got) == "") != (strings.TrimSpace(text) == "") {
			t.Fatalf("the summary of %q is %q", text, got)
		}
		rest := text
		for _, word := range strings.Fields(got) {
			_, behind, found := strings.Cut(rest, word)
			if !found {
				t.Fatalf("%q of the summary %q is not in its place in %q", word, got, text)
			}
			rest = behind
		}
		if strings.Contains(got, "\n\n") && float64(utf8.RuneCountInString(got)) > ratio*float64(utf8.RuneCountInString(text))+1 && !strings.Contains(text, "```") {
			t.Fatalf("the summary %q of %q has %d characters at %v", got, text, utf8.RuneCountInString(got), ratio)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, texts().Draw(t, "text"), rapid.Float64Range(0.05, 0.5).Draw(t, "ratio"))
	})
}

const talk = `# Token rotation

We met on Monday. Ann had coffee. Token rotation was the topic: tokens live too long today.

Bob proposed to rotate tokens every hour. Rotation needs a second signing key! The weather was fine. Somebody laughed.

- rotate tokens hourly
- keep two keys

` + "```go\nfunc rotate() {}\n\nfunc keys() {}\n```" + `

Lunch was at noon. It was good. Nobody ordered dessert. The train was late.
`

func TestSummariesSayWhatATextIsAbout(t *testing.T) {
	for ratio, want := range map[float64]string{
		0.15: "Bob proposed to rotate tokens every hour.",
	} {
		got := memory.Summarize(talk, ratio)
		if !strings.Contains(strings.ToLower(got), "rota") || strings.Contains(got, "Lunch") {
			t.Errorf("summary at %v is %q, want such as %q", ratio, got, want)
		}
	}
	for _, whole := range []string{"- rotate tokens hourly\n- keep two keys", "```go\nfunc rotate() {}\n\nfunc keys() {}\n```"} {
		for _, ratio := range []float64{0.05, 0.1, 0.2, 0.3, 0.5} {
			got := memory.Summarize(talk, ratio)
			if first, _, _ := strings.Cut(whole, "\n"); strings.Contains(got, first) && !strings.Contains(got, whole) {
				t.Errorf("summary at %v has a part of %q: %q", ratio, whole, got)
			}
		}
	}
	chinese := "我们讨论了数据库迁移。今天天气很好。数据库迁移要在周五完成！午饭吃了面条。迁移前要备份数据库吗？要。"
	if got := memory.Summarize(chinese, 0.5); !strings.Contains(got, "数据库迁移") || strings.Contains(got, "面条") {
		t.Errorf("summary of Chinese is %q", got)
	}
	if got := memory.Summarize("# One\n\n## Two\n", 0.1); got == "" {
		t.Error("a text of headings has no summary")
	}
}

// What was decided is in a summary before what came about, and lines without full stops are not all of the text.
func TestSummariesPreferDecisions(t *testing.T) {
	const meeting = "The team met on Monday. Everybody was in the room by ten. We looked at three databases for the billing " +
		"service. MySQL is known to all of the team. MongoDB was shown by Ann. We decided to use PostgreSQL for the billing service. " +
		"The weather was fine. Bob brought cake for the team. The team will meet again on Friday."
	for _, ratio := range []float64{0.15, 0.2, 0.4} {
		if got := memory.Summarize(meeting, ratio); !strings.Contains(got, "We decided to use PostgreSQL") {
			t.Errorf("summary at %v is %q", ratio, got)
		}
	}
	if got := memory.Summarize("今天天气很好。大家都到了。我们决定用主从复制。午饭吃了面条。", 0.3); got != "我们决定用主从复制。" {
		t.Errorf("summary of Chinese is %q", got)
	}
	lines := strings.Repeat("a note about the deploy of the service\nanother note on something else\n", 100)
	if got := memory.Summarize(lines, 0.15); len(got) > len(lines)*15/100 {
		t.Errorf("the summary of %d bytes has %d", len(lines), len(got))
	}
}
