package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replacing is the trace of a careful program that replaces a file; lines with an @ make something durable.
const replacing = `1 openat(AT_FDCWD<DIR>, "ws/.arbor-x", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3<DIR/ws/.arbor-x>
1 write(3<DIR/ws/.arbor-x>, "new ", 4) = 4
1 write(3<DIR/ws/.arbor-x>, "text", 4 <unfinished ...>
2 openat(AT_FDCWD</>, "/etc/passwd", O_RDWR|O_CREAT|O_TRUNC, 0600) = -1 EACCES (Permission denied)
1 <... write resumed>) = 4
1 fsync(3<DIR/ws/.arbor-x>) = 0 @file
1 openat(AT_FDCWD<DIR>, "ws", O_RDONLY|O_DIRECTORY) = 4<DIR/ws>
1 renameat(4<DIR/ws>, ".arbor-x", 4<DIR/ws>, "Workspace.md") = 0
1 fsync(4<DIR/ws>) = 0 @folder
1 unlinkat(AT_FDCWD</elsewhere>, "file", 0) = 0
1 exit_group(0) = ?
`

func TestTrace(t *testing.T) {
	for _, sync := range []string{"fsync", "fdatasync"} {
		for leave, bad := range map[string]bool{"": false, "@file": true, "@folder": true} {
			replayed(t, strings.ReplaceAll(replacing, "fsync", sync), leave, bad)
		}
	}
}

// replayed replays a trace without the lines that have the mark leave, and checks whether a crash could leave a bad
// state, as bad says.
func replayed(t *testing.T, program, leave string, bad bool) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "ws", "Workspace.md")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	tr := NewTrace(t, dir, Options{})
	if err := os.WriteFile(file, []byte("new text"), 0o644); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(program, "DIR", tr.dir)) {
		line, tag, _ := strings.Cut(line, " @")
		if tag == "" || "@"+strings.TrimSpace(tag) != leave {
			text.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	tr.Command(t, strings.NewReader(text.String()))
	t.Logf("without %q: calls %d states %d bad %d", leave, tr.Calls, tr.States, tr.Bad)
	if (tr.Bad > 0) != bad || tr.Calls < 4 {
		t.Errorf("without %q: %d calls, %d of %d states are bad; %s", leave, tr.Calls, tr.Bad, tr.States, tr.First)
	}
}
