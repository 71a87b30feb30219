package ops

import (
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// shortIDs are the short ids of the nodes of a view.
type shortIDs struct {
	view *view.View
	of   func(id string) string
}

// shortOf returns how a brief reply names nodes: by the last six characters of a generated id, which calls accept too.
// It keeps ids that people chose, and ids whose last six characters are not unique in the workspace.
func (env *Env) shortOf(out any) func(id string) string {
	ws := mdstore.ID("")
	if o, ok := out.(interface{ out() *Out }); ok {
		ws = o.out().ws
	}
	return func(id string) string {
		if !mdstore.ID(id).Generated("node") {
			return id
		}
		v := env.Engine.Live().Last(ws) // what a reply names is read already
		if v == nil {
			return id
		}
		if env.ids.view != v {
			env.ids = shortIDs{v, view.ShortIDs(v)}
		}
		return env.ids.of(id)
	}
}

var generatedID = pattern.Of(`\bnode-[0-9a-z]{8,9}-[0-9a-z]{6}\b`)

// shortIn returns a hint with ids as shortOf names them, except in paths and cursors.
func (env *Env) shortIn(out any, text string) string {
	short := env.shortOf(out)
	var b strings.Builder
	at := 0
	for _, m := range generatedID().FindAllStringIndex(text, -1) {
		if m[0] > 0 && text[m[0]-1] == '/' || m[1] < len(text) && strings.IndexByte("/@", text[m[1]]) >= 0 {
			continue
		}
		b.WriteString(text[at:m[0]] + short(text[m[0]:m[1]]))
		at = m[1]
	}
	return b.String() + text[at:]
}
