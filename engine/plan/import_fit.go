package plan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// way returns how a new node comes to its status, for its log.
func way(t statemachine.Type, to statemachine.Status, why string) []mdstore.StatusChange {
	from := statemachine.Initial(t)
	log := []mdstore.StatusChange{{By: mdstore.ByCreation, Why: why}}
	if to == statemachine.Monitoring {
		steps, _ := statemachine.Rise(from, false) // from the initial status it is always granted
		for _, s := range steps {
			log = append(log, mdstore.StatusChange{By: string(s.Action), From: s.From, To: s.To, Why: why})
		}
	} else if to != from {
		log = append(log, mdstore.StatusChange{By: mdstore.ByHand, From: from, To: to, Why: why})
	}
	return log
}

// fields takes values that the fields of a node cannot have out of them, and keeps them as keys of their own.
func (m *importing) fields(n *ImportNode, at string) {
	_ = n.Fields.Adopt(m.d.now) // the check below finds a wrong date
	for range mdstore.AllFields() {
		key, err := n.Fields.Check()
		if err == nil {
			return
		}
		f := mdstore.FieldOf(key)
		if f == nil {
			return
		}
		m.left(at, "%v; %s keeps it as imported-%s", err, short(n.Title), key)
		n.Own = append(slices.Clone(n.Own), mdoc.FieldValue{Key: "imported-" + key, Value: mdoc.Text(n.Fields.Text(f))})
		n.Fields.Clear(f)
	}
}

// fitTitle returns a text as the title of a node; cut reports that the title lacks something of it.
func fitTitle(s string) (fit string, cut bool) {
	all := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	fit = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		hidden := unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		if hidden && r != '\u200c' && r != '\u200d' {
			return -1
		}
		return r
	}, string(all))
	fit = strings.Join(strings.Fields(fit), " ")
	if title(errs.InvalidTitle, "", fit) != nil && utf8.RuneCountInString(fit) <= maxTitle {
		fit = strings.NewReplacer("\u200c", "", "\u200d", "").Replace(fit) // they join nothing
	}
	if fit == "" {
		return "(untitled)", true
	}
	if all = []rune(fit); len(all) > maxTitle {
		return strings.TrimSpace(string(all[:maxTitle-1])) + "…", true
	}
	return fit, false
}
