package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// WorkspaceUpdateDocsIn changes the documents of a workspace.
type WorkspaceUpdateDocsIn struct {
	In
	Action      string `json:"action" req:"true" flag:"-" enum:"add,remove,expire,activate"`
	Path        string `json:"path" req:"true" arg:"PATH"`
	Description string `json:"description,omitempty" arg:"DESC" flag:"-"`
	Match
	Write
}

// WorkspaceUpdateDocsOut carries the documents as they are now.
type WorkspaceUpdateDocsOut struct {
	Docs []mdstore.Ref `json:"docs"`
	Wrote
}

var workspaceUpdateDocs = op("workspace_update_docs", writes, WorkspaceUpdateDocs, Help{
	Summary: "add, remove, expire or activate a document",
	Use:     "docs",
	Also:    "ws docs",
	Aliases: "doc",
	Text: `Without a verb it lists them. The documents of the workspace are part of the
context of every node in it, unless they are expired.`,
	Example: `arbor docs
arbor docs add docs/api.md "the endpoints"
arbor docs expire docs/old.md`,
})

// WorkspaceUpdateDocs changes the documents of a workspace.
func WorkspaceUpdateDocs(ctx context.Context, env *Env, in WorkspaceUpdateDocsIn) (*WorkspaceUpdateDocsOut, error) {
	warned, err := []string(nil), error(nil)
	if in.Action == string(plan.AddRef) {
		if warned, err = env.present(ctx, in.Path); err != nil {
			return nil, err
		}
	}
	p := plan.WorkspaceDoc{Do: plan.RefAction(in.Action), Doc: mdstore.Ref{Target: in.Path, Description: in.Description}}
	now, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), p,
		"every context of this workspace names its active documents")
	if err != nil {
		return nil, err
	}
	w.Warned = append(w.Warned, warned...)
	return &WorkspaceUpdateDocsOut{Docs: nonNil(now), Wrote: w}, nil
}
