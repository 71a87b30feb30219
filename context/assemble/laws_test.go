package assemble_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/mdstore"

	"pgregory.net/rapid"
)

// Context selects what the model selects.
func TestContextSelectsWhatTheModelSelects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := genModel(t)
		n := m.nodes[rapid.IntRange(0, len(m.nodes)-1).Draw(t, "focus")]
		most := rapid.IntRange(-1, 4).Draw(t, "maxLogEntries")
		v := m.vault()
		b, err := assemble.Context(v, mdstore.ID(n.id), assemble.Options{MaxLogEntries: most, Doc: v.Doc})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := plain(b), m.expect(n, most); got != want {
			t.Errorf("the context of %s is\n%s\nwant\n%s", n.id, got, want)
		}
		if got, want := shownBytes(b)+omittedBytes(b), m.total(n); got != want {
			t.Errorf("%d bytes are shown or omitted, want %d\n%s", got, want, plain(b))
		}
	})
}

// plain writes a bundle down without its places and sizes, each kind of omission as one sum.
func plain(b *assemble.Bundle) string {
	var s strings.Builder
	w := b.Workspace
	fmt.Fprintf(&s, "%q %q %v %v %s\n", w.Goal, w.Rules, w.Docs, problemOf(w.Problem), w.RulesHash)
	for _, c := range b.Chain {
		fmt.Fprintf(&s, "%s %s %q %v %q %q %v", c.NodeID, c.Status, c.Requirement, c.Docs, c.Note, c.Conclusion, problemOf(c.Problem))
		for _, e := range c.LogEntries {
			fmt.Fprintf(&s, " %q", e.Event)
		}
		for _, own := range c.Sections {
			fmt.Fprintf(&s, " %s %q", own.Name, own.Text)
		}
		for _, own := range c.Own {
			fmt.Fprintf(&s, " %s: %q", own.Key, own.Text())
		}
		s.WriteString("\n")
	}
	for _, c := range b.ChildConclusions {
		fmt.Fprintf(&s, "child %s %s %q\n", c.NodeID, c.Status, c.Conclusion)
	}
	fmt.Fprintln(&s, b.ChildCounts)
	for _, r := range b.References {
		fmt.Fprintf(&s, "ref %s %q %s %q %q\n", r.TargetID, r.Description, r.Status, r.Requirement, r.Conclusion)
	}
	sums := map[string][2]int{}
	for _, o := range b.Omitted {
		k := o.Reason + " " + o.What + " " + o.Role
		sums[k] = [2]int{sums[k][0] + o.Count, sums[k][1] + o.Bytes}
	}
	fmt.Fprintln(&s, sums)
	return s.String()
}

func problemOf(p *mdstore.Problem) string {
	if p == nil {
		return "-"
	}
	return strconv.Quote(p.Text) + strconv.Quote(p.NextStep)
}

// expect writes down what plain should give.
func (m *model) expect(n *modelNode, most int) string {
	var s strings.Builder
	sums := map[string][2]int{}
	omit := func(kind string, count, bytes int) {
		if count > 0 {
			sums[kind] = [2]int{sums[kind][0] + count, sums[kind][1] + bytes}
		}
	}
	active := func(refs []modelRef, kind string) []assemble.Doc {
		docs := []assemble.Doc{}
		for _, r := range refs {
			if r.expired {
				omit("expired "+kind, 1, len(r.target)+len(r.description))
			} else {
				docs = append(docs, assemble.Doc{Path: r.target, Description: r.description})
			}
		}
		return docs
	}
	state := func(text, next string) string {
		if text+next == "" {
			return "-"
		}
		return strconv.Quote(text) + strconv.Quote(next)
	}
	if most == 0 {
		most = assemble.DefaultLogEntries
	} else if most < 0 {
		most = 1 << 20
	}
	hidden, shown, end := m.split(n)
	for _, c := range hidden {
		omit("isolated node ancestor", 1, c.bytes())
	}
	if end != "" {
		omit(end+" node ancestor", 1, 0)
	}
	fmt.Fprintf(&s, "%q %q %v %v %s\n", "Users sign in", m.rules, active(m.docs, "doc workspace"), state(m.problem, m.next), mdstore.RulesHash(m.rules))
	for _, c := range shown {
		role := "ancestor"
		if c == n {
			role = "focus"
		}
		fmt.Fprintf(&s, "%s %s %q %v %q %q %v", c.id, c.status, c.requirement, active(c.docs, "doc "+role), c.note, c.conclusion, state(c.problem, c.next))
		for i, e := range c.log {
			if i < len(c.log)-most {
				omit("maxLogEntries log "+role, 1, len(stamp)+len("AI")+len(e))
			} else {
				fmt.Fprintf(&s, " %q", e)
			}
		}
		if c == n {
			fmt.Fprintf(&s, " Own %q own: %q", c.own, c.ownKey)
		} else {
			fmt.Fprintf(&s, " Own %q", "")
		}
		s.WriteString("\n")
	}
	others := map[string]int{}
	for _, c := range m.nodes {
		if c.parent != n.id {
			continue
		}
		if terminal(c.status) && c.conclusion != "" {
			fmt.Fprintf(&s, "child %s %s %q\n", c.id, c.status, c.conclusion)
		} else {
			others[c.status]++
		}
	}
	fmt.Fprintln(&s, others)
	for _, r := range n.refs {
		if r.expired {
			omit("expired reference focus", 1, len(r.target)+len(r.description))
		} else if to := m.node(r.target); to != nil {
			fmt.Fprintf(&s, "ref %s %q %s %q %q\n", to.id, r.description, to.status, to.requirement, to.conclusion)
		} else {
			fmt.Fprintf(&s, "ref %s %q  %q %q\n", r.target, r.description, "", "")
		}
	}
	fmt.Fprintln(&s, sums)
	return s.String()
}

var mark = "\n[… "

// shownBytes counts what model.total counts.
func shownBytes(b *assemble.Bundle) int {
	text := func(s string) int { return len(uncut(s)) }
	docs := func(ds []assemble.Doc) (n int) {
		for _, d := range ds {
			n += len(d.Path) + len(d.Description)
		}
		return n
	}
	problem := func(p *mdstore.Problem) int {
		if p == nil {
			return 0
		}
		return text(p.Text) + text(p.NextStep)
	}
	n := docs(b.Workspace.Docs) + problem(b.Workspace.Problem) - text(b.Focus().Requirement)
	for _, c := range b.Chain {
		n += text(c.Requirement) + text(c.Conclusion) + text(c.Note) + docs(c.Docs) + problem(c.Problem)
		for _, e := range c.LogEntries {
			n += len(e.Timestamp) + len(e.Operator) + len(e.Event)
		}
		for _, own := range c.Sections {
			n += len(own.Name) + text(own.Text)
		}
		for _, own := range c.Own {
			n += len(own.Key) + text(own.Text())
		}
	}
	for _, c := range b.ChildConclusions {
		n += len(c.Conclusion)
	}
	for _, r := range b.References {
		n += len(r.Description) + len(r.Requirement) + len(r.Conclusion)
	}
	return n
}

// alwaysBytes counts the rest: what stays whatever the budget.
func alwaysBytes(b *assemble.Bundle) int {
	n := len(uncut(b.Workspace.Goal)) + len(uncut(b.Focus().Requirement))
	for _, r := range b.Workspace.Rules {
		n += len(r)
	}
	return n
}

// uncut returns a text without the line that says how much is left out.
func uncut(s string) string {
	if strings.HasPrefix(s, mark[1:]) {
		return ""
	}
	if i := strings.LastIndex(s, mark); i >= 0 {
		return s[:i]
	}
	return s
}

// within reports whether a is b, or a beginning of it.
func within(a, b string) bool { return strings.HasPrefix(uncut(b), uncut(a)) }

func omittedBytes(b *assemble.Bundle) int {
	n := 0
	for _, o := range b.Omitted {
		n += o.Bytes
	}
	return n
}

// What a budget does to any workspace, counted in either form.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := genModel(t)
		v := m.vault()
		n := m.nodes[rapid.IntRange(0, len(m.nodes)-1).Draw(t, "focus")]
		form := forms[rapid.SampledFrom([]string{"JSON", "indented"}).Draw(t, "form")]
		opt := assemble.Options{Measure: form.measure(0), Doc: v.Doc, ReverseLog: rapid.Bool().Draw(t, "reverse")}
		ask := func(budget int) *assemble.Bundle {
			opt.Budget = budget
			b, err := assemble.Context(v, mdstore.ID(n.id), opt)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		full := ask(0)
		last := full
		budgets := []int{1 << 40, full.Tokens + 40}
		for range 12 {
			budgets = append(budgets, rapid.IntRange(1, full.Tokens+20).Draw(t, "budget"))
		}
		slices.Sort(budgets)
		slices.Reverse(budgets)
		for i, budget := range budgets {
			b := ask(budget)
			if !reflect.DeepEqual(b, ask(budget)) {
				t.Fatalf("budget %d: two answers", budget)
			}
			if b.Tokens != assemble.Tokens(len(form(b))) || b.Budget != budget {
				t.Fatalf("budget %d: %d tokens stated of budget %d, but they are %d", budget, b.Tokens, b.Budget, assemble.Tokens(len(form(b))))
			}
			if !b.OverBudget && b.Tokens > budget || b.OverBudget && b.Tokens < budget {
				t.Fatalf("budget %d: %d tokens, over budget %t", budget, b.Tokens, b.OverBudget)
			}
			if i < 2 && strings.Contains(omitted(b), "budget") {
				t.Fatalf("budget %d is enough for %d tokens, but\n%s", budget, full.Tokens, omitted(b))
			}
			if b.Workspace.Goal != full.Workspace.Goal || !slices.Equal(b.Workspace.Rules, full.Workspace.Rules) || b.Focus().Requirement != n.requirement || b.Focus().NodeID != mdstore.ID(n.id) {
				t.Fatalf("budget %d took what is never left out", budget)
			}
			if got, want := shownBytes(b)+omittedBytes(b), m.total(n); got != want {
				t.Fatalf("budget %d: %d bytes are shown or omitted, want %d\n%s", budget, got, want, plain(b))
			}
			if less := missing(b, last); less != "" {
				t.Fatalf("budget %d shows %s, budget %d does not", budget, less, last.Budget)
			}
			if wrong := disorder(b, full); wrong != "" {
				t.Fatalf("budget %d: %s\n%s", budget, wrong, plain(b))
			}
			for _, c := range b.Chain {
				for _, s := range []string{c.Requirement, c.Note, c.Conclusion} {
					if i := strings.LastIndex(s, mark); i >= 0 && i < 64 {
						t.Fatalf("budget %d shows as little as %q", budget, s)
					}
				}
			}
			if b.OverBudget && shownBytes(b) > 0 {
				t.Fatalf("budget %d is exceeded, and still\n%s", budget, plain(b))
			}
			last = b
		}
	})
}

// A bound of the reply is kept by cutting rules, goal and requirement too, after everything else. Whatever is cut is
// counted, and a larger bound never shows less.
func TestBoundOfTheReply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := genModel(t)
		n := m.nodes[rapid.IntRange(0, len(m.nodes)-1).Draw(t, "focus")]
		n.requirement = strings.TrimSpace(strings.Repeat(n.requirement+"\n", 20))
		v := m.vault()
		form := forms[rapid.SampledFrom([]string{"JSON", "indented"}).Draw(t, "form")]
		ask := func(bound int) *assemble.Bundle {
			b, err := assemble.Context(v, mdstore.ID(n.id), assemble.Options{Measure: form.measure(bound), Doc: v.Doc})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		full, least := ask(0), len(form(ask(1)))
		whole := func(b *assemble.Bundle) bool {
			return b.Workspace.Goal == full.Workspace.Goal && len(b.Workspace.Rules) == len(full.Workspace.Rules) &&
				b.Focus().Requirement == n.requirement
		}
		bounds := []int{len(form(full)) + 1}
		for range 12 {
			bounds = append(bounds, rapid.IntRange(1, len(form(full))).Draw(t, "bound"))
		}
		slices.Sort(bounds)
		last := full
		for _, bound := range slices.Backward(bounds) {
			b := ask(bound)
			if size := len(form(b)); size > max(bound, least) {
				t.Fatalf("bound %d: %d bytes, and %d are possible", bound, size, least)
			}
			if b.OverBudget || b.Budget != 0 {
				t.Fatalf("bound %d: budget %d, over budget %t", bound, b.Budget, b.OverBudget)
			}
			if less := missing(b, last); less != "" {
				t.Fatalf("bound %d shows %s, a larger one does not", bound, less)
			}
			kept := len(b.Workspace.Rules)
			if kept > len(last.Workspace.Rules) || !slices.Equal(b.Workspace.Rules, full.Workspace.Rules[:kept]) ||
				!within(b.Workspace.Goal, last.Workspace.Goal) || !within(b.Focus().Requirement, last.Focus().Requirement) {
				t.Fatalf("bound %d shows more rules, goal or requirement than a larger one", bound)
			}
			if !whole(b) && shownBytes(b) > 0 {
				t.Fatalf("bound %d cuts what counts most before the rest\n%s", bound, plain(b))
			}
			got, want := alwaysBytes(b)+shownBytes(b)+omittedBytes(b), alwaysBytes(full)+m.total(n)
			if got != want {
				t.Fatalf("bound %d: %d bytes are shown or omitted, want %d\n%s", bound, got, want, plain(b))
			}
			last = b
		}
	})
}

// missing names something that small shows and large does not.
func missing(small, large *assemble.Bundle) string {
	problem := func(a, b *mdstore.Problem) bool {
		return a == nil || b != nil && within(a.Text, b.Text) && within(a.NextStep, b.NextStep)
	}
	nodes := map[mdstore.ID]assemble.ChainPart{}
	for _, c := range large.Chain {
		nodes[c.NodeID] = c
	}
	for _, c := range small.Chain {
		l, ok := nodes[c.NodeID]
		if !ok || !within(c.Requirement, l.Requirement) || !within(c.Note, l.Note) || !within(c.Conclusion, l.Conclusion) ||
			!problem(c.Problem, l.Problem) || len(c.Docs) > len(l.Docs) || len(c.LogEntries) > len(l.LogEntries) {
			return "something of node " + string(c.NodeID)
		}
		for i, own := range c.Sections {
			if len(c.Sections) > len(l.Sections) || !within(own.Text, l.Sections[i].Text) {
				return "own section " + own.Name
			}
		}
		if len(c.Own) > len(l.Own) {
			return "own keys"
		}
	}
	for _, c := range small.ChildConclusions {
		if !slices.Contains(large.ChildConclusions, c) {
			return "child " + string(c.NodeID)
		}
	}
	if len(small.References) > len(large.References) || len(small.Workspace.Docs) > len(large.Workspace.Docs) || !problem(small.Workspace.Problem, large.Workspace.Problem) {
		return "a reference, or something of the workspace"
	}
	return ""
}

// disorder says where b left something out before its turn.
func disorder(b, full *assemble.Bundle) string {
	var what, wrong string // the first stage that is not complete, and the first that began nevertheless
	stage := func(name string, done, begun bool) {
		if begun && what != "" && wrong == "" {
			wrong = name + " began before all of " + what + " was gone"
		}
		if !done && what == "" {
			what = name
		}
	}
	above := len(full.Chain) - 1
	kept := map[mdstore.ID]assemble.ChainPart{}
	for _, c := range b.Chain {
		kept[c.NodeID] = c
	}
	for _, c := range full.Chain[:above] {
		k := kept[c.NodeID]
		stage("logs of "+string(c.NodeID), len(k.LogEntries) == 0, len(k.LogEntries) < len(c.LogEntries))
		for i, e := range k.LogEntries { // the newest are kept
			from := c.LogEntries[len(c.LogEntries)-len(k.LogEntries):]
			if len(c.LogEntries) > 1 && c.LogEntries[0] != c.LogEntries[len(c.LogEntries)-1] && e != from[i] && e != c.LogEntries[i] {
				return "not the newest entries of " + string(c.NodeID)
			}
		}
	}
	for _, c := range full.Chain[:above] {
		stage("notes of "+string(c.NodeID), kept[c.NodeID].Note == "", kept[c.NodeID].Note != c.Note)
	}
	f, g := b.Focus(), full.Focus()
	for i, own := range slices.Backward(g.Sections) {
		stage(
			"own section "+own.Name,
			f.Sections == nil || uncut(f.Sections[i].Text) == "",
			f.Sections == nil || f.Sections[i].Text != own.Text,
		)
	}
	stage("references", len(b.References) == 0, len(b.References) < len(full.References))
	stage("child conclusions", len(b.ChildConclusions) == 0, len(b.ChildConclusions) < len(full.ChildConclusions))
	for _, c := range full.Chain[:above] {
		k := kept[c.NodeID]
		stage("texts of "+string(c.NodeID), k.Requirement == "" && k.Conclusion == "" && k.Problem == nil && len(k.Docs) == 0, len(k.Docs) < len(c.Docs))
	}
	for _, c := range full.Chain[:above] {
		_, there := kept[c.NodeID]
		stage("nodes of "+string(c.NodeID), !there, !there)
	}
	stage("log of the focus", len(f.LogEntries) == 0, len(f.LogEntries) < len(g.LogEntries))
	stage("docs of the focus", len(f.Docs) == 0, len(f.Docs) < len(g.Docs))
	stage("texts of the focus", f.Note == "" && f.Conclusion == "" && f.Problem == nil, g.Note != "" && f.Note == "")
	stage("docs of the workspace", len(b.Workspace.Docs) == 0, len(b.Workspace.Docs) < len(full.Workspace.Docs))
	stage("own keys", f.Own == nil, f.Own == nil)
	stage("names of own sections", f.Sections == nil, f.Sections == nil)
	return wrong
}
