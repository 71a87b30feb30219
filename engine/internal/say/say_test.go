package say_test

import (
	"strings"
	"testing"

	"arbor/engine/internal/say"
)

func TestEveryFrontEndReadsItsOwnWords(t *testing.T) {
	text := "{node_next claim} or {node_transition n1 start}; {.force: true} does it"
	if got, want := say.Tools(text), "node_next with claim or node_transition n1 start; force: true does it"; got != want {
		t.Errorf("Tools\n got %q\nwant %q", got, want)
	}
	shell := say.Voice{
		Op:    func(name string, words []string) string { return "arbor " + strings.Join(words, " ") },
		Param: func(given string) string { return "--" + strings.TrimSuffix(given, ": true") },
	}
	if got, want := shell.Text(text), "arbor claim or arbor n1 start; --force does it"; got != want {
		t.Errorf("shell\n got %q\nwant %q", got, want)
	}
}

func TestWhatIsNoMarkStays(t *testing.T) {
	for _, s := range []string{"", "plain", "{", "}", "{}", "{{}}", "{node}", "{Node_list}", "{node_list", "node_list (arbor list)",
		`{"node_list": 1}`, "{a b}", "${HOME}", "}{", "{{node", strings.Repeat("{", 1000)} {
		if got := say.Tools(s); got != s {
			t.Errorf("Tools(%q)\n got %q", s, got)
		}
	}
}
