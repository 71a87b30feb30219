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
		untilProven(b, dir, mdstore.IgnoreFile)
		for _, words := range []string{"--version", "status", "list", "list --all", "context NODE", "log NODE", "show NODE", "next", "check", "search usual"} {
			b.Run(fmt.Sprintf("%d/%s", nodes, strings.ReplaceAll(strings.TrimPrefix(words, "--"), " ", "_")), func(b *testing.B) {
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

// untilProven returns once the stamp of the vault's newest file proves what it holds, two seconds after it was written.
// The stamps of younger files do not, so that each command would read them.
func untilProven(b *testing.B, dir string, newest mdstore.Path) {
	b.Helper()
	st := enginetest.OpenDir(b, dir)
	for range time.Tick(10 * time.Millisecond) {
		if stamp, err := st.Stat(b.Context(), newest); err != nil {
			b.Fatal(err)
		} else if stamp.Proven {
			return
		}
	}
}
