package mdstore

import (
	"slices"
	"strings"
)

// The signs that an event of a log begins with.
const (
	askedSign  = "? "  // an assistant asks a person: "[AI] ? text"
	answerSign = "! "  // a person answers the newest open question: "[Human] ! text"
	nameSign   = "@"   // the name of a person: see NamedEvent
	answersAt  = "re " // or another one: "[Human] ! re HH:MM:SS text"
)

// questionsSince is the day of the first version that knows questions. An older log entry that looks like a question is
// an ordinary entry.
const questionsSince = "2026-11-28 00:00:00"

const questionKept = 200 // bytes of a question outside of its file

// A Question is an entry of a log in which an assistant asks a person.
type Question struct {
	Time string `json:"timestamp"`
	Text string `json:"text"` // its first line, cut after 200 bytes
}

// Answering returns what the event of an answer to the question begins with.
func (q Question) Answering() string {
	return answerSign + answersAt + q.Time[len(q.Time)-len("15:04:05"):] + " "
}

// AskedEvent returns the event of a log entry that asks a question.
func AskedEvent(text string) string { return askedSign + strings.TrimLeft(text, " ") }

// Asks reports whether an entry asks a question.
func (e LogEntry) Asks() bool {
	return e.Operator == OperatorAI && e.Time >= questionsSince && signed(e.Event, askedSign)
}

// Answers reports whether an entry answers a question, and at which time of day that was asked; "" is the newest open
// one.
func (e LogEntry) Answers() (at string, ok bool) {
	if e.Operator != OperatorHuman || !IsAnswer(e.Event) {
		return "", false
	}
	if named, ok := strings.CutPrefix(e.Event, answerSign+answersAt); ok {
		at, text, _ := strings.Cut(named, " ")
		if len(at) == len("15:04:05") && timeShaped("2006-01-02 "+at) && strings.TrimSpace(text) != "" {
			return at, true
		}
	}
	return "", true
}

// Plain returns the event without the sign by which it asks or answers, and without the time that an answer names.
func (e LogEntry) Plain() string {
	if e.Asks() {
		return strings.TrimPrefix(e.Event, askedSign)
	}
	switch at, ok := e.Answers(); {
	case !ok:
		return e.Event
	case at == "":
		return strings.TrimPrefix(e.Event, answerSign)
	default:
		return strings.TrimPrefix(e.Event, answerSign+answersAt+at+" ")
	}
}

// IsAnswer reports whether an event has the form of an answer once it is in a file: ParseLog leaves out what is blank
// before it. It is an answer only if a person wrote it.
func IsAnswer(event string) bool { return signed(strings.TrimLeft(event, blankBefore), answerSign) }

// NamedEvent returns an event that begins with the name of the person who made it: "@ann text". A sign stays first.
func NamedEvent(person, event string) string {
	name := nameSign + person + " "
	for _, sign := range []string{askedSign, answerSign} {
		if strings.HasPrefix(event, sign) {
			if at, ok := (LogEntry{Operator: OperatorHuman, Event: event}).Answers(); ok && at != "" {
				sign += answersAt + at + " "
			}
			return sign + name + strings.TrimPrefix(event, sign)
		}
	}
	return name + event
}

// unnamed returns an event without the name that NamedEvent put before it.
func unnamed(event string) string {
	if named, ok := strings.CutPrefix(event, nameSign); ok {
		if _, text, ok := strings.Cut(named, " "); ok {
			return text
		}
	}
	return event
}

func signed(event, sign string) bool {
	text, ok := strings.CutPrefix(event, sign)
	return ok && strings.TrimSpace(text) != ""
}

// OpenQuestions returns the unanswered questions of a log, oldest first. It reads the entries in the order of their
// times. An answer that names a time answers the open question of that time only.
func OpenQuestions(log []LogEntry) (open []Question) {
	log = slices.Clone(log)
	slices.SortStableFunc(log, func(a, b LogEntry) int { return strings.Compare(a.Time, b.Time) })
	for _, e := range log {
		if i := Answered(open, e); i >= 0 {
			open = slices.Delete(open, i, i+1)
		} else if e.Asks() {
			first, _, _ := strings.Cut(strings.TrimPrefix(e.Event, askedSign), "\n")
			first = strings.ReplaceAll(first, factsBetween, "")
			if len(first) > questionKept {
				first = strings.ToValidUTF8(first[:questionKept], "") + "…"
			}
			open = append(open, Question{Time: e.Time, Text: strings.TrimSpace(first)})
		}
	}
	return open
}

// Answered returns the index of the open question that an entry answers, -1 for none.
func Answered(open []Question, e LogEntry) int {
	at, answers := e.Answers()
	for i := len(open) - 1; answers && i >= 0; i-- {
		if at == "" || strings.HasSuffix(open[i].Time, " "+at) {
			return i
		}
	}
	return -1
}

// OpenQuestions returns the unanswered questions of the node's log, oldest first. If the document is not loaded, they
// come from the facts.
func (n *Node) OpenQuestions() []Question {
	switch {
	case n.doc != nil:
		return OpenQuestions(n.LogWith("] "+askedSign, "] "+answerSign))
	case n.facts.part(partQuestions) == "": // true for nearly all nodes
		return nil
	}
	return n.facts.questions()
}

func (f Facts) questions() (open []Question) {
	for line := range f.lines(partQuestions) {
		open = append(open, Question{Time: line[:len(TimeLayout)], Text: line[len(TimeLayout)+1:]})
	}
	return open
}

// packed returns questions as facts keep them, one in a line.
func packed(open []Question) string {
	var lines []string
	for _, q := range open {
		lines = append(lines, q.Time+" "+q.Text)
	}
	return strings.Join(lines, "\n")
}
