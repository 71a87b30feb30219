package act

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/env/command"
)

// What confines a program, and what does not, is in the approval in words.
func TestAnApprovalSaysHowAProgramIsConfined(t *testing.T) {
	for how, wants := range map[string][2][]string{
		"":                 {{"unconfined", "all that you can"}, {"unconfined", "all that you can"}},
		command.Bubblewrap: {{"bubblewrap: ", "connects to itself only"}, {"bubblewrap: ", "connect to anything", "/run and /tmp"}},
		command.Namespaces: {{"namespaces: ", "connects to itself only"}, {"namespaces: ", "connect to anything", "/run and /tmp"}},
		command.Landlock:   {{"landlock: ", "makes no socket", "no new file"}, {"landlock: ", "connect to anything", "sockets of this machine", "no new file"}},
	} {
		for i, network := range []bool{false, true} {
			got := fmt.Sprint(confinedText(how, network))
			for _, want := range wants[i] {
				if !strings.Contains(got, want) {
					t.Errorf("%q, network %v: %s does not say %q", how, network, got, want)
				}
			}
		}
	}
}
