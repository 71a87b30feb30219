package ops

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"arbor/engine/internal/search"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// today returns the date where the caller is.
func (env *Env) today() time.Time { return env.Engine.Now().Local() }

// day returns today's date in the form of fields.
func (env *Env) day() string { return env.today().Format(mdstore.DayLayout) }

// language returns what a query about these nodes can name: the keys that one of them has, and dates in words.
func (env *Env) language(ctx context.Context, nodes iter.Seq[*mdstore.Node]) search.Language {
	return search.Language{
		Own: func(key string) bool {
			for n := range nodes {
				if _, ok := env.own(ctx, n).Key(key); ok {
					return true
				}
			}
			return false
		},
		Day:  func(word string) (string, error) { return mdstore.Day(word, env.today()) },
		Mine: env.Engine.Person,
	}
}

// own returns a node's own keys. It reads the file if the view does not know them.
func (env *Env) own(ctx context.Context, n *mdstore.Node) mdstore.Owns {
	if own, ok := n.Facts().Own(); ok {
		return own
	}
	f, err := env.Engine.ReadFile(ctx, n.Path)
	if err != nil {
		return nil // it was deleted meanwhile
	}
	return mdstore.ParseNode(f).Own()
}

// A standing answers is: in queries for the nodes of one view. It is safe for concurrent use.
type standing struct {
	own            func(*mdstore.Node) mdstore.Owns
	today          string
	ready, blocked func() map[mdstore.ID]bool
}

func (env *Env) standing(ctx context.Context, v *view.View) *standing {
	return &standing{
		own:   func(n *mdstore.Node) mdstore.Owns { return env.own(ctx, n) },
		today: env.day(),
		ready: sync.OnceValue(func() map[mdstore.ID]bool {
			held, _ := env.Engine.Claims(ctx) // empty if they cannot be told
			all := map[mdstore.ID]bool{}
			for n := range v.Ready(held.Left(v.Workspace().ID, plan.Act{})) {
				all[n.ID] = true
			}
			return all
		}),
		blocked: sync.OnceValue(func() map[mdstore.ID]bool {
			all := map[mdstore.ID]bool{}
			for n := range v.Blocked() {
				all[n.ID] = true
			}
			return all
		}),
	}
}

// is reports whether a node is in one of search.States.
func (s *standing) is(n *mdstore.Node, state string) bool {
	over := statemachine.Terminal(n.Status)
	switch state {
	case search.IsReady:
		return s.ready()[n.ID]
	case search.IsBlocked:
		return s.blocked()[n.ID]
	case search.IsOverdue:
		return n.Overdue(s.today)
	case search.IsRunning:
		return view.Begun(n) && !over
	case search.IsTerminal:
		return over
	}
	return false
}

// head returns what a query can ask of a node besides its texts.
func (s *standing) head(n *mdstore.Node) search.Head {
	h := search.Head{In: search.InPlan, Type: string(n.Type), Status: string(n.Status), ID: string(n.ID), Title: n.Title,
		Tags: n.Tags, Time: max(n.CreatedAt, n.UpdatedAt), Fields: &n.Fields}
	h.Own = func() mdstore.Owns { return s.own(n) }
	h.Is = func(state string) bool { return s.is(n, state) }
	return h
}

// doubt returns a hint about the first word of a query that looks like a field but is none, is no valid status, or is a
// value of the field is; "" if there is no such word.
func doubt(q *search.Query) string {
	for _, t := range q.Terms {
		if state, _, _ := strings.Cut(t.Text, ":"); !t.Quoted && t.Field == "" && slices.Contains(search.States(), state) {
			return fmt.Sprintf("%q is read as text; did you mean is:%s?", t.Text, state)
		}
		i := strings.IndexAny(t.Text, ":<>=")
		if word, ok := strings.CutPrefix(t.Text, "status:"); ok && t.Field == "status" &&
			!slices.Contains(statemachine.AllStatuses(), statemachine.Status(strings.ToLower(word))) {
			return fmt.Sprintf("no node has the status %s; those of nodes are %s", word, listed(statemachine.AllStatuses()))
		}
		if t.Quoted || t.Field != "" || i < 1 {
			continue
		}
		name, op, value := t.Text[:i], t.Text[i:i+1], strings.TrimLeft(t.Text[i:], ":<>=")
		near := ""
		if f := mdstore.FieldNamed(name); f != nil {
			near = f.Key
		} else if i > len("due") {
			near = Nearest(name, search.Fields())
		} else if slices.Contains(search.Fields(), name) {
			near = name
		}
		if op == "=" {
			op = ":"
		}
		if near != "" && value != "" {
			return fmt.Sprintf("%q is read as text; did you mean %s%s%s?", t.Text, near, op, value)
		}
	}
	return ""
}

// compared is a field, an operator and a value with blanks between.
var compared = pattern.Of(`([A-Za-z]+)(\s*)(<=|>=|[:<>=])(\s*)([^\s)]+)`)

// apart returns a hint about the first comparison of a query whose parts stand apart; "" if there is none.
func apart(query string) string {
	for _, m := range compared().FindAllStringSubmatch(query, -1) {
		if m[2]+m[4] == "" || mdstore.FieldNamed(m[1]) == nil && !slices.Contains(search.Fields(), m[1]) {
			continue
		}
		op := m[3]
		if op == "=" {
			op = ":"
		}
		return fmt.Sprintf("%q is read as text; did you mean %s%s%s, without blanks?", m[0], m[1], op, m[5])
	}
	return ""
}

// where returns a function that reports whether a node of the view matches a query; "" matches each. The hint is that
// of doubt.
func (env *Env) where(
	ctx context.Context, v *view.View, query string,
) (matches func(*mdstore.Node) bool, hint string, err error) {
	if query == "" {
		return func(*mdstore.Node) bool { return true }, "", nil
	}
	q, err := search.Parse(query, env.language(ctx, v.All()))
	if err != nil {
		return nil, "", badParam("where", "%v", err)
	}
	hint = cmp.Or(apart(query), doubt(q))
	is := env.standing(ctx, v)
	if !q.Texts() {
		matches := q.Heads()
		return func(n *mdstore.Node) bool {
			h := is.head(n)
			return matches(&h)
		}, hint, nil
	}
	var all []source
	for n := range v.All() {
		all = append(all, source{ws: v.Workspace(), node: n, is: is})
	}
	p := search.NewPass(q, func(*search.Head) bool { return true })
	if err := lookAt(ctx, env, all, p.Look); err != nil {
		return nil, "", err
	}
	best, _ := p.Best(len(all), func(i int) mdstore.Path { return all[i].path() })
	found := make(map[mdstore.Path]bool, len(best))
	for _, h := range best {
		found[all[h.File].path()] = true
	}
	return func(n *mdstore.Node) bool { return found[n.Path] }, hint, nil
}
