package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	known := []string{"status", "start", "complete", "cancel", "context", "tree", "log", "ws"}
	for word, want := range map[string]string{
		"stauts": "status", "comp": "complete", "compelte": "complete", "cancle": "cancel", "Tree": "tree", "tre": "tree",
		"foo": "", "frobnicate": "", "x": "", "": "", strings.Repeat("status", 50): "",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestOneSlipIsForgiven(t *testing.T) {
	known := []string{"start", "submit", "complete", "fail", "retry", "reopen", "cancel"}
	for _, k := range known {
		for i := range len(k) {
			for _, slip := range []string{
				k[:i] + k[i+1:],                // dropped
				k[:i] + "x" + k[i:],            // added
				k[:i] + "x" + k[i+1:],          // changed
				k[:i] + swapped(k[i:]),         // swapped
				strings.ToUpper(k[:i]) + k[i:], // in capitals
			} {
				if got := Word(slip, known); got != k {
					t.Errorf("Word(%q) = %q, want %q", slip, got, k)
				}
			}
		}
	}
}

func swapped(s string) string {
	if len(s) < 2 {
		return s
	}
	return s[1:2] + s[:1] + s[2:]
}
