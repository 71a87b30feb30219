package mcpserv

import (
	"strings"
	"testing"
)

// If a hint or a refusal names a tool that this server does not offer, it says so.
func TestToolsThatAreOffAreNamedAsSuch(t *testing.T) {
	w := newWorld(t, Options{Tools: []string{"memory_list"}})
	r := w.connect(nil).do("memory_list", map[string]any{"workspaceId": planID})
	if want := "memory_save (tool set memory, not offered here)"; !strings.Contains(r["hint"].(string), want) {
		t.Errorf("memory_list\n got %q\nwant %q in it", r["hint"], want)
	}
}
