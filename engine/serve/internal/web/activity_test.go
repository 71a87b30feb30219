package web

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// row returns the row of Activity that says something, and the id of what happened.
func (w *world) activityRow(says string) (row, id string) {
	w.t.Helper()
	_, said := w.get("/activity")
	for _, m := range regexp.MustCompile(`(?s)<li data-id="([^"]+)" class="undoable">.*?</li>`).FindAllStringSubmatch(said, -1) {
		if strings.Contains(m[0], says) {
			return m[0], m[1]
		}
	}
	w.t.Fatalf("no row says %q:\n%s", says, said)
	return "", ""
}

// Activity is one list of operations, commits and saves, with who, sentences with titles, and a diff on demand. It
// survives a restart of the server: it comes from the record of operations, from git, and from the files.
func TestActivityIsOneListAndSurvivesARestart(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = filepath.Dir(w.folder())
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qm", "Plan the shop")
	assistant := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorAI, Session: "s20"}
	start := ops.NodeTransitionIn{In: ops.In{WorkspaceID: ws}, NodeID: first, Action: "start"}
	o, _ := ops.Find("node_transition")
	if _, err := o.Run(t.Context(), assistant, &start); err != nil {
		t.Fatal(err)
	}
	w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": first, "event": "Called the painter"})
	w.saved(second, "Do Shop", "Sell everything")
	w.engine.Refresh()
	for restart := range 2 {
		for says, diff := range map[string]string{
			"assistant s20</span>\n<bdi>Design: implementing":  "status: implementing",
			"a person</span>\n<bdi>Design: Called the painter": "Called the painter",
			"a person</span>\n<bdi>Added Shop":                 "Do Shop",
			"Ann</span>\n<bdi>Plan the shop · ":                "Do Design",
			"another program</span>\n<bdi>Shop: changed":       "Sell everything",
		} {
			row, id := w.activityRow(says)
			if undo := strings.Contains(row, "data-undo"); undo != !regexp.MustCompile("^(commit|save)-").MatchString(id) {
				t.Errorf("can be undone: %v: %s", undo, row)
			}
			part := regexp.MustCompile(`data-part="([^"]+)"`).FindStringSubmatch(row)
			if _, said := w.get(part[1], "Arbor-Part", "main"); !strings.Contains(said, diff) {
				t.Errorf("restart %d: the diff of %s lacks %q: %s", restart, row, diff, said)
			}
		}
		w.site.past = nil // as a server that was started again
	}
	if code, said := w.get("/activity/commit---output=x"); code != http.StatusUnprocessableEntity && code != http.StatusNotFound {
		t.Errorf("an option of git in place of a commit: %d %s", code, said)
	}
	if code, _ := w.get("/activity/save-..%2F..%2Fetc%2Fpasswd"); code != http.StatusUnprocessableEntity {
		t.Errorf("the path of another file: %d", code)
	}
}

// A long list is shown page by page: each row once.
func TestActivityHasPages(t *testing.T) {
	w := newWorld(t, nil)
	for i := range happeningsOnPage + 20 {
		at := time.Date(2026, 3, 1, 8, 0, i, 0, time.UTC)
		w.site.past = append(w.site.past, save{Happening: ops.Happening{ID: fmt.Sprint(seenID, i), Time: at.UnixMilli(), Path: "x",
			Version: mdstore.VersionOf([]byte{byte(i)}), Text: fmt.Sprintf("save %d.", i), What: make([]view.Change, 1)}})
	}
	ws, _, _ := w.plan()
	for i := range w.site.past {
		w.site.past[i].workspace = ws
	}
	_, one := w.get("/activity")
	next := regexp.MustCompile(`href="(/activity\?[^"]+until=[^"]+)"`).FindStringSubmatch(one)
	if next == nil {
		t.Fatalf("there is no further page: %s", one)
	}
	_, two := w.get(strings.ReplaceAll(next[1], "&amp;", "&"))
	for i := range happeningsOnPage + 20 {
		if n := strings.Count(one+two, fmt.Sprintf("save %d.", i)); n != 1 {
			t.Errorf("save %d is shown %d times", i, n)
		}
	}
	if strings.Contains(two, "until=") {
		t.Error("the last page has a further one")
	}
}
