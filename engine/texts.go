package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

const (
	replacedDir  = mdstore.Path(mdstore.ReplacedDir)
	replacedLife = 30 * 24 * time.Hour // how long a file with a replaced text is kept
	mostChanged  = 8000                // most bytes of changed texts that a refusal carries
	firstOf      = 200                 // most characters of a replaced text that a result carries
)

// A replaced is a text that a plan replaces and its session did not write.
type replaced struct {
	plan.Text
	file []byte // all of the file
	told bool   // the result shows the text, because the caller has not read it
}

// replaces returns the texts that a plan replaces and that must be kept. It refuses a plan that replaces a text which
// changed since the session last read it. It accepts one that is too long for a refusal to carry, if IfMatch is set:
// then the caller knows the text. A problem that ends with its node is kept and never refused.
func (e *Engine) replaces(
	ctx context.Context, ws mdstore.ID, act plan.Act, d *plan.Draft,
) (keep []replaced, err error) {
	var changed []plan.Text
	for _, f := range d.Outcome().Files {
		was, now := f.Texts()
		for i, t := range was {
			ends := t.Field == "problem" && now[i].Text == "" && d.Advanced[t.NodeID]
			read, same, own := e.seen.Knows(ctx, act.Session, ws, t)
			switch {
			case f.Old == nil || t.Field == "rules" && !d.AllRules:
			case t.Field == "conclusion" && now[i].Text == "" && d.Moved[t.NodeID]: // the log has it
			case read && !same && !ends && (act.IfMatch == "" || len(t.Text) <= mostChanged):
				changed = append(changed, t)
			case t.Field == "problem" && now[i].Text == "" && !ends: // the log has it
			case !own && t.Text != "":
				keep = append(keep, replaced{t, f.Old, !same})
			}
		}
	}
	for _, t := range d.Relied {
		read, same, _ := e.seen.Knows(ctx, act.Session, ws, t)
		if read && !same && act.IfMatch == "" {
			changed = append(changed, t)
		}
	}
	if changed == nil {
		return keep, nil
	}
	shown := func(t plan.Text) string { return cmp.Or(t.Shown, t.Text) }
	id, names, text := changed[0].NodeID, changed[0].Field, shown(changed[0])
	for _, t := range changed[1:] {
		names, text = names+" and "+t.Field, text+"\n\n"+t.Field+":\n\n"+shown(t)
	}
	then := "what it says now is below, if anything"
	switch size := len(text); {
	case size > mostChanged:
		text, then = "", fmt.Sprintf("it has %d bytes now: read them ({node_get}, {workspace_get}), or give {.ifMatch} "+
			"where no reply has room for them", size)
	case !act.DryRun:
		then += ", and counts as read: the same call goes through, unless it changes again"
		if err := e.seen.NoteTexts(ctx, act.Session, ws, changed, false); err != nil {
			return nil, err
		}
	}
	return nil, errs.New(errs.Conflicting, "%s: %s changed since this session last read it, and nothing was replaced; %s",
		cmp.Or(id, ws), names, then).With(errs.Details{NodeID: string(id), Param: changed[0].Field, Text: text})
}

// keepReplaced returns the changes that write copies of the files with replaced texts, and adds to the outcome the
// texts that the caller had not read.
func keepReplaced(
	ctx context.Context, tx mdstore.Tx, at time.Time, p planned, out *plan.Outcome,
) (changes []mdstore.Change) {
	kept := map[mdstore.ID]mdstore.Path{}
	for _, r := range p.replaced {
		if kept[r.NodeID] == "" {
			name := mdstore.TrashStamp(at, string(cmp.Or(r.NodeID, p.base.Workspace().ID)))
			path := mdstore.Path(mdstore.LocalDir).Join(string(replacedDir), name)
			kept[r.NodeID] = path + ".md"
			for n := 2; ; n++ { // files of the same millisecond
				if _, err := tx.Read(ctx, kept[r.NodeID]); err != nil {
					break
				}
				kept[r.NodeID] = path + mdstore.Path(fmt.Sprintf("-%d.md", n))
			}
			changes = append(changes, mdstore.Change{Path: kept[r.NodeID], New: r.file})
		}
		if r.told {
			first := []rune(r.Text.Text)
			out.Replaced = append(out.Replaced, plan.Text{NodeID: r.NodeID, Field: r.Field, Kept: kept[r.NodeID],
				Text: string(first[:min(len(first), firstOf)])})
		}
	}
	return changes
}

// dropReplaced removes the files with replaced texts that are older than replacedLife. A file that it cannot remove
// stays until the next time.
func dropReplaced(ctx context.Context, st mdstore.Store, now time.Time) {
	local, ok := mdstore.AsStore[mdstore.Local](st)
	if !ok {
		return
	}
	files, _ := local.ListLocal(ctx, replacedDir)
	for _, f := range files {
		at, err := time.Parse(mdstore.StampLayout, f.Name[:min(len(f.Name), len(mdstore.StampLayout))])
		if err == nil && now.Sub(at) > replacedLife {
			_ = local.RemoveLocal(ctx, replacedDir.Join(f.Name))
		}
	}
}
