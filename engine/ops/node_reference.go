package ops

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type NodeReferenceIn struct {
	In
	NodeID         string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	TargetIDOrPath string `json:"targetIdOrPath" req:"true" arg:"TARGET"`
	Action         string `json:"action" req:"true" flag:"-" enum:"add,remove,expire,activate"`
	Description    string `json:"description,omitempty" arg:"DESC" flag:"-"`
	Match
	Write
}

type NodeReferenceOut struct {
	References []Reference `json:"references"`
	Wrote
}

// Reference is a node's reference to another node or to a document.
type Reference struct {
	// a node's id, or a document's path; for a new node also the title of another new node
	TargetID    string          `json:"targetId" req:"true"`
	Type        string          `json:"type,omitempty" enum:"node,doc" listed:"never"` // assemble.RefNode or assemble.RefDoc
	Description string          `json:"description,omitempty"`
	Expired     mdstore.Expired `json:"status,omitempty" listed:"never"`
}

var nodeReference = op("node_reference", writes, NodeReference, Help{
	Summary: "change a node's references to nodes and documents",
	Use:     "ref NODE",
	Text: `Without a verb it lists them. A reference names another node or a document. The
node's context includes what an active reference says, but not that node's own
references.`,
	Example: `arbor ref node-mj2hz4gy
arbor ref add node-mj2hz4gy "Sign-in endpoint" "the limits are there"
arbor ref add node-mj2hz4gy docs/api.md
arbor ref set node-mj2hz4gy docs/old.md status=expired`,
})

// NodeReference adds, removes, expires or activates a reference of a node.
func NodeReference(ctx context.Context, env *Env, in NodeReferenceIn) (*NodeReferenceOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	target, err := env.refTarget(s, in.TargetIDOrPath)
	if err != nil {
		return nil, err
	}
	warned := []string(nil)
	n, err := s.Known(id)
	if err != nil {
		return nil, fail(err)
	}
	if _, isNode := s.Referred(n, target); !isNode && in.Action == string(plan.AddRef) {
		if warned, err = env.present(ctx, target); err != nil && !strings.ContainsAny(target, "/.:") {
			err = errs.Recoded(s.Unknown(target), errs.ReferenceNotFound)
		}
		if err != nil {
			return nil, err
		}
	}
	now, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), plan.Reference{
		Node: id, Do: plan.RefAction(in.Action), Ref: mdstore.Ref{Target: target, Description: in.Description},
	})
	if err != nil {
		return nil, fail(err)
	}
	o.Warned = append(o.Warned, warned...)
	return &NodeReferenceOut{References: references(s, now), Wrote: env.wrote(ctx, s.Workspace().ID, o, "the context of "+string(id)+" brings what its active references lead to")}, nil
}

// present checks that the project has a document. If it is missing, a person gets an error, an assistant a warning.
func (env *Env) present(ctx context.Context, target string) (warned []string, err error) {
	isWord := env.Caller != ByAssistant && !strings.ContainsAny(target, "/.:") // no path, unless a file has that very name
	if !env.Engine.Absent(ctx, target) && !(isWord && env.Engine.Absent(ctx, "./"+target)) {
		return nil, nil
	}
	lacks := cmp.Or(env.Engine.Lacks(ctx, target), fmt.Errorf("%s: no such file in the project", target))
	e := errs.New(errs.ReferenceNotFound, "%v; name it as seen from %s, or make it first",
		lacks, env.shown(ctx, env.Engine.Project(), "the project's folder")).With(errs.Details{Paths: []string{target}})
	if env.Caller == ByAssistant {
		return []string{e.Message}, nil
	}
	return nil, e
}

// refTarget returns the id of the node that a target names. Any other target is the path of a document and stays as it
// is.
func (env *Env) refTarget(s *view.View, target string) (string, error) {
	if env.Names != NamesExact && target != "" {
		switch t, err := s.Resolve(target); {
		case err == nil:
			return string(t), nil
		case errs.As(err).Code == errs.AmbiguousID && !strings.ContainsAny(target, "/."):
			return "", fail(err) // do not take it for the path of a document
		}
	}
	return target, nil
}

func references(s *view.View, rs []mdstore.Ref) []Reference {
	out := make([]Reference, len(rs))
	for i, r := range rs {
		out[i] = Reference{r.Target, assemble.RefDoc, r.Description, r.Expired}
		if _, ok := s.Node(mdstore.ID(r.Target)); ok || view.NamesNode(r.Target) {
			out[i].Type = assemble.RefNode
		}
	}
	return out
}
