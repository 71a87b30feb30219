package web

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What git pull deleted while no server ran is listed as well, with its author and the commit, also if the commit is
// older than the last visit. What a person deleted here is not, when git learns of it.
func TestWhatAPullDeletedIsShown(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	group := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "Rooms", "type": "planning"})["nodeId"].(string)
	w.do("node_create", map[string]any{"workspaceId": ws, "parentId": group, "title": "Kitchen", "type": "execution"})
	here, there := filepath.Dir(w.folder()), t.TempDir()
	git := func(dir string, ago time.Duration, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
		cmd.Dir = dir
		at := time.Now().Add(-ago).Format(time.RFC3339)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_DATE="+at, "GIT_AUTHOR_DATE="+at)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git(here, 3*time.Hour, "init", "-q", "-b", "main")
	git(here, 3*time.Hour, "add", ".")
	git(here, 3*time.Hour, "commit", "-qm", "Plan the shop")
	git(there, 3*time.Hour, "clone", "-q", here, ".")
	vault := strings.TrimPrefix(w.folder(), here)
	for _, id := range []string{second, group} {
		all, _ := filepath.Glob(filepath.Join(there, vault, "*", "nodes", id))
		if len(all) != 1 {
			t.Fatalf("%s has the folders %q", id, all)
		}
		git(there, 2*time.Hour, "rm", "-rq", all[0])
	}
	git(there, 2*time.Hour, "commit", "-qm", "Fewer rooms")
	w.visited(time.Hour)
	w.do("node_delete", map[string]any{"workspaceId": ws, "nodeId": first})
	git(here, 0, "add", "-A")
	git(here, 0, "commit", "-qm", "Without the design")
	git(here, 0, "pull", "-q", "--no-rebase", "--no-edit", there, "main")
	w.engine.Refresh()
	part := w.section("Since you were here")
	said := words(part)
	for _, title := range []string{"Rooms", "Shop"} {
		if !strings.Contains(said, title+" Ann: deleted") {
			t.Errorf("since lacks %s: %s", title, said)
		}
	}
	if strings.Contains(said, "Design") {
		t.Errorf("since has what the person deleted: %s", said)
	}
	if !strings.Contains(part, `data-part="/activity/commit-`) {
		t.Errorf("it has no diff: %s", part)
	}
}
