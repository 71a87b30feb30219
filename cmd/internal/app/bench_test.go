package app

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// A command from its words to its last line, in a vault that was read before, without the start of the process.
func BenchmarkCommand(b *testing.B) {
	for _, nodes := range []int{60, 500} {
		dir := enginetest.Place(b, enginetest.Sized(nodes))
		enginetest.Put(b, dir, mdstore.IgnoreFile, []byte(mdstore.LocalDir+"/\n")) // else a look leaves nothing behind for the next
		leaf := string(enginetest.Leaf(nodes))
		time.Sleep(3 * time.Second) // the stamps of younger files prove nothing, so that they are read each time
		for _, words := range []string{"version", "status", "list", "list --all", "context NODE", "log NODE", "show NODE", "next", "check", "search usual"} {
			b.Run(fmt.Sprintf("%d/%s", nodes, strings.ReplaceAll(words, " ", "_")), func(b *testing.B) {
				env := map[string]string{"HOME": b.TempDir(), "ARBOR_VAULT": dir}
				do := func() {
					var said strings.Builder
					sys := cli.System{
						Args: strings.Fields(strings.ReplaceAll(words, "NODE", leaf)), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said,
						Getenv: func(name string) string { return env[name] }, Dir: filepath.Dir(dir),
					}
					if code := run(b.Context(), sys); code != 0 {
						b.Fatalf("%d: %s", code, said.String())
					}
				}
				do()
				b.ReportAllocs()
				for b.Loop() {
					do()
				}
			})
		}
	}
}
