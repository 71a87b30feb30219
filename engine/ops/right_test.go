package ops_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"arbor/engine/internal/people"
	"arbor/engine/ops"
)

// Each operation has its right in the one table, tools need no more than work, what writes is not for readers, and
// docs/server.md lists the operations of each right.
func TestEachOperationHasARight(t *testing.T) {
	page, err := os.ReadFile("../../docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	tools := 0
	for _, o := range slices.Concat(ops.All(), ops.Commands()) {
		r := o.Right()
		tool := o.Set != ""
		switch {
		case r == people.None:
			t.Errorf("%s has no right in engine/ops/right.go", o.Name)
		case tool && r > people.Work:
			t.Errorf("%s is offered to assistants, who never have %s", o.Name, r)
		case o.Writes && !o.Looks && r < people.Work:
			t.Errorf("%s writes, and asks for %s only", o.Name, r)
		}
		if tool {
			tools++
		}
		row := "| " + r.String() + " |"
		if i := strings.Index(string(page), row); i < 0 || !strings.Contains(strings.SplitN(string(page)[i:], "\n", 2)[0], "`"+o.Name+"`") {
			t.Errorf("docs/server.md: the row of %s does not name `%s`", r, o.Name)
		}
	}
	if tools < 50 {
		t.Errorf("%d tools", tools)
	}
	var none *people.Who
	reader, ann := &people.Who{Right: people.Read}, &people.Who{Right: people.Decide}
	for _, tt := range []struct {
		who  *people.Who
		may  people.Right
		want bool
	}{
		{none, people.Own, true}, {none, people.Programs, true}, {&people.Who{}, people.Read, false}, {&people.Who{}, people.None, false},
		{reader, people.Read, true}, {reader, people.Work, false}, {ann, people.Decide, true}, {ann, people.Programs, false},
		{ann, people.Own, false}, {&people.Who{Right: people.Work, Programs: true}, people.Programs, false},
	} {
		if got := tt.who.May(tt.may); got != tt.want {
			t.Errorf("%v may %s: %v, want %v", tt.who, tt.may, got, tt.want)
		}
	}
}
