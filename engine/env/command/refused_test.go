package command

import (
	"strings"
	"testing"
)

// A program that fails because it has no network is told so, in whatever words it says that it reached nothing.
func TestARefusedConnectionIsToldAsSuch(t *testing.T) {
	for _, said := range []string{
		"curl: (7) Failed to connect to 127.0.0.1 port 8080 after 0 ms: Couldn't connect to server",
		"psql: error: could not connect to server", "dial tcp 127.0.0.1:80: connect: connection refused",
	} {
		r := &Result{Code: 1, Confined: Bubblewrap, Output: said}
		if hint := Refused(Spec{}, r); !strings.Contains(hint, `"network": true`) {
			t.Errorf("%s: %q", said, hint)
		}
		if hint := Refused(Spec{Network: true}, r); strings.Contains(hint, "network") {
			t.Errorf("with a network: %q", hint)
		}
	}
}
