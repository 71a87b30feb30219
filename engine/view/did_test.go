package view_test

import (
	"testing"

	"arbor/engine/view"
	"arbor/mdstore"
)

// String has one form for each combination of key, verb and values.
func TestAChangeIsSaidInWords(t *testing.T) {
	for _, tt := range []struct {
		change view.Change
		want   string
	}{
		{view.Change{ID: "n", Do: view.Created, Name: "Title"}, "n created: Title"},
		{view.Change{ID: "n", Key: "status", From: "pending", To: "implementing"}, "n status pending → implementing"},
		{view.Change{ID: "n", Key: "title", From: "a", To: ""}, "n title a → "},
		{view.Change{ID: "n", Key: "requirement"}, "n requirement"},
		{view.Change{ID: "n", Key: "problem", Do: "cleared"}, "n problem cleared"},
		{view.Change{ID: "n", Key: "references", Do: view.Plus, To: "x"}, "n references + x"},
		{view.Change{ID: "n", Key: "references", Do: view.Minus, To: "x"}, "n references - x"},
		{view.Change{ID: "n", Key: "references", To: "x", Do: "expired"}, "n references x expired"},
		{view.Counts("w", mdstore.SecDocs, 2, 3), "w docs 2 → 3"},
		{view.Change{Key: "log", Do: "−2"}, "log −2"},
		{view.Change{Do: "merged"}, "merged"},
		{view.Change{ID: "s", Do: "unbound"}, "s unbound"},
	} {
		if got := tt.change.String(); got != tt.want {
			t.Errorf("%#v: %q, want %q", tt.change, got, tt.want)
		}
	}
}
