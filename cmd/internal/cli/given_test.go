package cli

import "testing"

// Given words appear in errors as they were given, also if a word is the name of a tool.
func TestAWordThatIsGivenStays(t *testing.T) {
	w := newWorld(t)
	contains(t, "arbor show", w.fails(exitNotFound, "show", "node_list"), "node_list: no such node")
	contains(t, "arbor", w.fails(exitInvalid, "node_transition", "x"), `no command "node_transition"`)
	w.ok("node", "update", "node-c", "--title", "node_get")
	contains(t, "arbor submit", w.fails(exitRefused, "submit", "node-c"), "node_get (node-c): cannot submit")
}
