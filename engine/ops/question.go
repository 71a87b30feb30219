package ops

import (
	"context"
	"fmt"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// An Asked is a question that a call of log_append wrote, for a front end that can put it to a person at once.
type Asked struct {
	Workspace mdstore.ID
	Node      mdstore.ID
	Title     string
	Time      string // of the log entry
	Text      string
}

// Answer writes a person's answer to a question, so that the node waits no longer, and returns the result of the call
// that asked it. If the person gave no answer, text is "" and nothing is written.
func (q *Asked) Answer(ctx context.Context, env *Env, text string) *LogAppendOut {
	out := &LogAppendOut{Timestamp: q.Time, Answer: text,
		Wrote: Wrote{Success: true, Changed: true, Out: Out{Hint: waiting(q.Node), ws: q.Workspace}}}
	if text != "" {
		person := *env
		person.Operator, person.Caller, person.By = mdstore.OperatorHuman, ByDecider, "in the client (elicitation)"
		written, err := logAppend.Run(ctx, &person, &LogAppendIn{In: In{WorkspaceID: string(q.Workspace)},
			NodeID: string(q.Node), Event: mdstore.Question{Time: q.Time}.Answering() + text})
		if err == nil {
			out.Wrote = written.(*LogAppendOut).Wrote
		} else {
			out.Warned = []string{"the answer was not written: " + err.Error()}
		}
	}
	env.Say(out)
	return out
}

// waiting returns the hint of a question that is open: how a person answers it.
func waiting(node mdstore.ID) string {
	return fmt.Sprintf("{node_next} skips the node until a person answers: on the page, in the file, or with "+
		"arbor log %s -m '! ANSWER'", node)
}

// answered returns the hint that says which question of a node an event answers, if a person gives the answer.
func (env *Env) answered(t target, act plan.Act, event string) (hint string, ok bool) {
	if t.err != nil || t.view == nil || !act.Person || !mdstore.IsAnswer(event) {
		return "", false
	}
	n, ok := t.view.Node(t.node)
	if !ok {
		return "", false
	}
	open := n.OpenQuestions()
	i := mdstore.Answered(open, mdstore.LogEntry{Operator: act.By(), Event: event})
	switch {
	case i < 0:
		return "no question is open that it answers", true
	case len(open) > 1:
		return fmt.Sprintf("it answers: %s; open are %d more", open[i].Text, len(open)-1), true
	}
	return "it answers: " + open[i].Text, true
}
