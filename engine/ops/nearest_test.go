package ops_test

import (
	"strings"
	"testing"

	"arbor/engine/ops"
)

func TestNearest(t *testing.T) {
	known := []string{"status", "start", "complete", "cancel", "context", "tree", "log", "ws"}
	for word, want := range map[string]string{
		"stauts": "status", "comp": "complete", "compelte": "complete", "cancle": "cancel", "Tree": "tree", "tre": "tree",
		"foo": "", "frobnicate": "", "x": "", "": "", strings.Repeat("status", 50): "",
	} {
		if got := ops.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
