package ops

import (
	"context"

	"arbor/engine/env/trust"
)

// DenyIn names a question.
type DenyIn struct {
	ID string `json:"id" req:"true" arg:"ID"`
}

var deny = op("deny", writes, Deny, Help{
	Summary: "refuse a call that waits for you", Use: "deny ID", Example: "arbor deny x3k9qa",
	Text: "The assistant is told that a person did not agree. Only a person at a terminal\ndenies.",
})

// Deny refuses what a request asks for.
func Deny(ctx context.Context, env *Env, in DenyIn) (*DecideOut, error) {
	return decide(ctx, env, in.ID, trust.Decision{})
}
