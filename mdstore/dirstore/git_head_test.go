package dirstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The checked-out commit is found wherever git stores it, and invalid data is no commit.
func TestHeadIsTheCommitThatIsCheckedOut(t *testing.T) {
	id, other := strings.Repeat("0123456789", 4), strings.Repeat("fedcba98", 5)
	for name, c := range map[string]struct {
		files map[string]string // by path below the folder above the project
		want  string
	}{
		"no git":           {nil, ""},
		"a branch":         {map[string]string{"p/.git/HEAD": "ref: refs/heads/x/y\n", "p/.git/refs/heads/x/y": id + "\n"}, id},
		"no commit yet":    {map[string]string{"p/.git/HEAD": "ref: refs/heads/main\n"}, ""},
		"no branch":        {map[string]string{"p/.git/HEAD": id + "\n"}, id},
		"by SHA-256":       {map[string]string{"p/.git/HEAD": id + "012345678901234567890123\n"}, id + "012345678901234567890123"},
		"torn":             {map[string]string{"p/.git/HEAD": id[:30]}, ""},
		"leads elsewhere":  {map[string]string{"p/.git/HEAD": "ref: ../../secret\n", "secret": id}, ""},
		"above the folder": {map[string]string{".git/HEAD": id + "\n"}, id},
		"packed": {map[string]string{"p/.git/HEAD": "ref: refs/heads/main\n",
			"p/.git/packed-refs": "# pack-refs with: peeled\n" + other + " refs/heads/mai\n" + id + " refs/heads/main\n^" + other + "\n"}, id},
		"of a linked tree": {map[string]string{"p/.git": "gitdir: ../r/.git/worktrees/p\n", "r/.git/worktrees/p/HEAD": "ref: refs/heads/a\n",
			"r/.git/worktrees/p/commondir": "../..\n", "r/.git/refs/heads/a": id + "\n"}, id},
	} {
		dir := fill(t, unchanged)
		project := filepath.Dir(dir)
		above := t.TempDir()
		if err := os.Rename(project, filepath.Join(above, "p")); err != nil {
			t.Fatal(err)
		}
		for at, text := range c.files {
			write(t, filepath.Join(above, at), text)
		}
		s := patient(t, filepath.Join(above, "p", filepath.Base(dir)), 1)
		if got := s.Head(t.Context()); got != c.want {
			t.Errorf("%s: Head is %q, want %q", name, got, c.want)
		}
	}
}
