package ops

import (
	"cmp"
	"context"

	"arbor/engine/search"
	"arbor/mdstore"
)

// AskIn is a question in plain words.
type AskIn struct {
	Question    string `json:"question" req:"true" arg:"QUESTION"`
	In          string `json:"in,omitempty" enum:"plan,memory,sessions,states,docs,all" help:"only in this PLACE"`
	WorkspaceID string `json:"workspaceId,omitempty" flag:"-"`
	Limit       int    `json:"limit,omitempty" min:"0" flag:"limit,n" help:"at most N passages; 5 unless given"`
}

// AskOut has the passages that answer, the best first.
type AskOut struct {
	Passages []Answer `json:"passages"`
	Unread   []string `json:"unread,omitempty"` // files that cannot be read, and were not looked at
	Out
}

// Answer is a passage with its source and the sentence that matches.
type Answer struct {
	Source
	Text     string `json:"text"`
	Sentence string `json:"sentence"`
}

const answersShown = 5 // passages unless told otherwise

var ask = op("ask", reads|repeats, Ask, Help{
	Summary: "find the passages that answer a question",
	Use:     "ask QUESTION...",
	Text: `The question is asked in plain words, of which any may match, whatever their
endings. No model is called: the passages are paragraphs of files, the best
first, each with its source and the sentence that matches.`,
	Example: `arbor ask "Why was the invoice given up?"
arbor ask 为什么不用 Redis --in memory`,
})

// Ask ranks paragraphs by the words of a question.
func Ask(ctx context.Context, env *Env, in AskIn) (*AskOut, error) {
	q, err := search.Question(in.Question)
	if err != nil {
		return nil, badParam("question", "%v", err)
	}
	all, unread, err := sources(ctx, env, in.WorkspaceID, in.In)
	if err != nil {
		return nil, err
	}
	p := search.NewPass(q, func(h *search.Head) bool { return h.Type != mdstore.EntryRolled })
	err = lookAt(ctx, env, all, func(i int, f *search.File, data []byte) {
		search.Paragraphs(f)
		p.Look(i, f, data)
	})
	if err != nil {
		return nil, err
	}
	read := func(i int) (*search.File, []byte, error) {
		f, data, err := all[i].read(ctx, env)
		search.Paragraphs(&f)
		return &f, data, err
	}
	var found []Answer
	for _, a := range p.Passages(cmp.Or(in.Limit, answersShown), func(i int) mdstore.Path { return all[i].path() }, read) {
		f, _, err := read(a.File)
		if err == nil {
			found = append(found, Answer{all[a.File].source(env, f, a.Shown), string(a.Text), a.Sentence})
		}
	}
	out := &AskOut{Unread: unreadShown(unread)}
	env.fit(out, len(found), func(n int) {
		if out.Passages, out.Hint = nonNil(found[:n]), "search finds every place of a word"; n == 0 {
			out.Hint = "no passage has a word of the question; search with other words"
		}
	})
	return out, nil
}
