package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// Sends says that the result may carry texts of these nodes; "" is the workspace itself.
func (o *Out) Sends(ws mdstore.ID, nodes ...mdstore.ID) *Out {
	o.ws, o.nodes = ws, append(o.nodes, nodes...)
	return o
}

func (o *Out) out() *Out { return o }

// Sent notes which texts a reply has brought the caller's session whole: those that are strings of its data, or stand
// in its text. So it does not matter what cut the others, nor that they are looked up once more: what has changed
// since was not in the reply. Empty texts need no room.
func (env *Env) Sent(ctx context.Context, result any, r Reply) {
	of, ok := result.(interface{ out() *Out })
	if !ok || env.Session == "" || of.out().ws == "" {
		return
	}
	ws, nodes, inData := of.out().ws, of.out().nodes, map[string]bool{"": true}
	data := json.NewDecoder(bytes.NewReader(r.Data))
	for token, err := data.Token(); err == nil; token, err = data.Token() {
		if s, is := token.(string); is {
			inData[s] = true
		}
	}
	page := ""
	if r.Text != string(r.Data) { // Markdown, with and without the marks of quotes
		page = "\n" + strings.ReplaceAll(r.Text, "\r\n", "\n") + "\n"
		page += strings.ReplaceAll(page, "\n> ", "\n")
	}
	cut := func(s string) bool {
		item := "- " + strings.ReplaceAll(s, "\n", "\n  ")
		return !inData[s] && !strings.Contains(page, "\n"+s+"\n") && !strings.Contains(page, ": "+s+"\n") &&
			!strings.Contains(page, "\n"+item+"\n")
	}
	var sent []plan.Text
	err := env.Engine.Live().ReadAgain(ctx, func(ctx context.Context) error {
		v, err := env.Engine.View(ctx, ws)
		if err != nil {
			return err
		}
		sent = nil
		for s := range inData { // a node without a title is shown by its id
			if n, ok := v.Node(mdstore.ID(s)); ok && inData[n.Title] && n.Title != s {
				sent = append(sent, plan.Text{NodeID: n.ID, Field: "title", Text: n.Title})
			}
		}
		for _, id := range nodes {
			doc := v.Workspace().Doc
			if n, ok := v.Node(id); ok {
				doc = n.Doc()
			} else if id != "" {
				continue
			}
			texts := plan.TextsOf(id, doc)
			sent = append(sent, slices.DeleteFunc(texts, func(t plan.Text) bool { return slices.ContainsFunc(t.Parts, cut) })...)
		}
		return nil
	})
	if err == nil { // else nothing was read, and what is replaced is kept
		_ = env.Engine.NoteSent(ctx, ws, env.Session, sent)
	}
}
