package cli

import (
	"bytes"
	"context"
	"testing"
)

// noVaults fails the test if a vault is looked for.
type noVaults struct{ t *testing.T }

func (v noVaults) Find(Lookup) (Found, error) {
	v.t.Error("a vault is looked for")
	return Found{}, nil
}

func (v noVaults) Open(context.Context, Lookup, Mode) (*Vault, error) {
	v.t.Error("a vault is opened")
	return &Vault{}, nil
}

// TestWordsAloneNeedNoVault checks that commands which need no vault look for none.
func TestWordsAloneNeedNoVault(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"admin", "version"}, {"--help"}, {"help", "status"}, {"status", "--help"}, {"node", "--help"}, {"admin", "completion", "bash"}} {
		var out, err bytes.Buffer
		sys := System{Args: args, Stdout: &out, Stderr: &err, Dir: t.TempDir(), Vaults: noVaults{t}, Getenv: func(string) string { return "" }}
		if code := Run(t.Context(), sys); code != 0 || out.Len() == 0 {
			t.Errorf("arbor %q: exit code %d, %d bytes on stdout; stderr: %s", args, code, out.Len(), &err)
		}
	}
}
