package mdstore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
)

// entries reads log entries, one in a line: "10:00:01 AI ? why".
func entries(day, text string) (all []mdstore.LogEntry) {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		all = append(all, mdstore.ParseLog(mdstore.FormatLog(day+" "+f[0], f[1], f[2])))
	}
	return all
}

func TestOpenQuestions(t *testing.T) {
	const today = "2026-12-01"
	for _, c := range []struct{ name, day, log, want string }{
		{"an open one", today, "10:00:00 AI ? which port", "which port"},
		{"answered", today, "10:00:00 AI ? which port\n10:00:01 Human ! 8080", ""},
		{"the newest is answered", today, "10:00:00 AI ? one\n10:00:01 AI ? two\n10:00:02 Human ! yes", "one"},
		{"another is answered", today, "10:00:00 AI ? one\n10:00:01 AI ? two\n10:00:02 Human ! re 10:00:00 yes", "two"},
		{"no question at that time", today, "10:00:00 AI ? one\n10:00:02 Human ! re 10:00:01 yes", "one"},
		{"a text that begins like a time", today, "10:00:00 AI ? one\n10:00:02 Human ! re 10 of them", ""},
		{"an assistant answers nothing", today, "10:00:00 AI ? one\n10:00:02 AI ! yes", "one"},
		{"a person's question is none", today, "10:00:00 Human ? one", ""},
		{"an answer before the question", today, "10:00:00 AI ? one\n09:00:00 Human ! yes", "one"},
		{"no text", today, "10:00:00 AI ? \n10:00:00 AI ?", ""},
		{"no blank behind the sign", today, "10:00:00 AI ?why", ""},
		{"from before questions were known", "2026-11-27", "10:00:00 AI ? one", ""},
	} {
		var got []string
		for _, q := range mdstore.OpenQuestions(entries(c.day, c.log)) {
			got = append(got, q.Text)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: open are %q, want %q", c.name, got, c.want)
		}
	}
}

// What a scan keeps of a node tells its open questions as its document does, against a model that counts.
func TestAScanKnowsOpenQuestions(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var log strings.Builder
		var open []int // the seconds at which open questions were asked
		for s := range 20 {
			at := fmt.Sprintf("10:00:%02d", s)
			line := func(who, event string) { fmt.Fprintf(&log, "- [2026-12-01 %s] [%s] %s\n", at, who, event) }
			switch rnd.IntN(5) {
			case 0, 1:
				open = append(open, s)
				line("AI", fmt.Sprintf("? question %d\n  with more", s))
			case 2:
				line("Human", "! an answer")
				open = open[:max(0, len(open)-1)]
			case 3:
				to := rnd.IntN(20)
				line("Human", fmt.Sprintf("! re 10:00:%02d an answer", to))
				open = slices.DeleteFunc(open, func(q int) bool { return q == to })
			default:
				line([]string{"AI", "Human"}[rnd.IntN(2)], "no ? and no ! here")
			}
		}
		f := mdstore.File{
			Path: "ws/nodes/n/Node.md",
			Data: []byte("---\nid: n\ntitle: N\ntype: execution\nstatus: pending\n" +
				"parentId: root\n---\n\n## Requirement\n\nx\n\n## Log\n\n" + log.String()),
		}
		n := mdstore.ParseNode(f)
		var got, lean []string
		for _, q := range n.OpenQuestions() {
			got = append(got, q.Time+" "+q.Text)
		}
		for _, q := range n.Lean().OpenQuestions() {
			lean = append(lean, q.Time+" "+q.Text)
		}
		var want []string
		for _, s := range open {
			want = append(want, fmt.Sprintf("2026-12-01 10:00:%02d question %d", s, s))
		}
		if !slices.Equal(got, want) || !slices.Equal(lean, want) {
			t.Fatalf("seed %d: the document says %q, the scan %q, want %q of\n%s", seed, got, lean, want, log.String())
		}
	}
}

// What the page puts before an answer makes it answer that question.
func TestAnAnswerNamesItsQuestion(t *testing.T) {
	q := mdstore.Question{Time: "2026-12-01 10:20:30", Text: "which?"}
	e := mdstore.LogEntry{Time: "2026-12-02 10:00:00", Operator: mdstore.OperatorHuman, Event: q.Answering() + "that one"}
	if at, ok := e.Answers(); at != "10:20:30" || !ok {
		t.Errorf("%q answers the question of %q, %v", e.Event, at, ok)
	}
}

// What is written as an event that is no answer is none when it is read.
func TestBlanksDoNotHideAnAnswer(t *testing.T) {
	for _, before := range []string{"", " ", "   ", "\n", "\r\n", " \n ", "\r\n\r\n", "\t", "\u00a0", "\u200b", "x\n"} {
		event := before + "! 8443 of [a] ! b"
		read := mdstore.ParseLog(mdstore.FormatLog("2026-11-28 12:00:00", mdstore.OperatorHuman, event))
		if _, answers := read.Answers(); answers != mdstore.IsAnswer(event) {
			t.Errorf("IsAnswer(%q) = %v, and once it is read %v: %q", event, !answers, answers, read.Event)
		}
	}
}
