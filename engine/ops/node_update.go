package ops

import (
	"context"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// NodeUpdateIn changes a node's texts; what is absent stays.
type NodeUpdateIn struct {
	In
	NodeID      string        `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Title       *string       `json:"title,omitempty" help:"the new TITLE"`
	Requirement *string       `json:"requirement,omitempty" empty:"ok" help:"the new requirement, as TEXT"`
	Note        *string       `json:"note,omitempty" empty:"ok" help:"the new note, as TEXT"`
	Conclusion  *string       `json:"conclusion,omitempty" empty:"ok" help:"the new conclusion, as TEXT"`
	Docs        []mdstore.Ref `json:"docs,omitempty" flag:"doc" help:"the documents, all of them, each as PATH:DESC; may be repeated"`
	mdstore.Fields
	Match
	Write
}

var nodeUpdate = op("node_update", writes|repeats, NodeUpdate, Help{
	Summary: "change the title or the texts of a node",
	Use:     "node update NODE [-]",
	Aliases: "set",
	Text: `What is not given stays. Short texts have a flag each; a long one is named by
--section and comes from -F FILE, - (stdin) or -e (your editor, with the text
as it is now). An empty text removes the text of the section. With --session, a
text that changed since the session last read it is not replaced at once: the
command fails with what it says now, and goes through the next time. What is
replaced and was not the session's own is kept in .local/replaced for 30 days.`,
	Example: `arbor node update node-mj2hz4gy --title "Sign-in endpoint"
arbor node update . --section note -e
arbor node update . --section requirement - < requirement.md`,
})

// NodeUpdate changes a node's texts.
func NodeUpdate(ctx context.Context, env *Env, in NodeUpdateIn) (*Wrote, error) {
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	if t.err == nil && in.Title == nil && in.Requirement == nil && in.Note == nil && in.Conclusion == nil && in.Docs == nil && in.Empty() {
		return nil, errs.New(errs.InvalidParams, "nothing is to be updated; give title, requirement, note, conclusion, docs or a field")
	}
	if t.err == nil {
		t.err = env.fields(t.view, &in.Fields)
	}
	p := plan.NodeTexts{Node: t.node, Title: in.Title, Requirement: in.Requirement, Note: in.Note, Conclusion: in.Conclusion, Docs: in.Docs, Fields: in.Fields}
	return done(ctx, env, t, env.act(in.Write, in.Match), p, "node_get shows it as it is now")
}
