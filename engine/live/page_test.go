package live_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/view"
	"arbor/mdstore"
)

// pageText is a page as a person writes one.
func pageText(id string, n int) []byte {
	return fmt.Appendf(nil, "---\nid: %s\nname: N %d\ntags: [a, b]\n---\n\n## Goal\n\ntext %d\n", id, n, n)
}

// pagesOf tells each page of a view with its text.
func pagesOf(ctx context.Context, t *testing.T, l interface {
	Over(context.Context, *view.View, func(*view.View) error) (*view.View, error)
}, v *view.View) (out string) {
	t.Helper()
	_, err := l.Over(ctx, v, func(v *view.View) error {
		out = ""
		for _, p := range v.Pages().All() {
			out += fmt.Sprintf("%s %s %s %q %v %q %d\n", p.Kind.Name, p.ID, p.Path, p.Name(), p.List("tags"), p.Doc().Text(mdstore.SecGoal), len(p.Problems))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever people do to pages, a view that follows the files becomes what a new look at them gives.
func TestPagesFollowWhatPeopleDo(t *testing.T) {
	t.Parallel()
	files := plans(2)
	for i := range 3 {
		files[mdstore.Path(fmt.Sprintf("ws-a/states/state-%d.md", i))] = pageText(fmt.Sprintf("state-%d", i), i)
		files[mdstore.Path(fmt.Sprintf("ws-a/sessions/session-%d/Session.md", i))] = pageText(fmt.Sprintf("session-%d", i), i)
		files[mdstore.Path(fmt.Sprintf("ws-a/sessions/session-%d/Transcript.md", i))] = pageText("x", i)
	}
	e, dir, _ := followed(t, files)
	at := func(p string) string { return filepath.Join(dir, "ws-a", filepath.FromSlash(p)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []func(){
		func() { enginetest.Put(t, dir, "ws-a/states/state-0.md", pageText("state-0", 10)) },
		func() { must(os.Remove(at("states/state-1.md"))) },
		func() { must(os.Rename(at("states/state-2.md"), at("states/a name.md"))) },
		func() { enginetest.Put(t, dir, "ws-a/states/state-9.md", []byte("---\nid: no")) },
		func() { must(os.Rename(at("sessions/session-0"), at("sessions/Monday"))) },
		func() { must(os.RemoveAll(at("sessions/session-1"))) },
		func() { enginetest.Put(t, dir, "ws-a/sessions/new/Session.md", pageText("session-7", 7)) },
		func() {
			enginetest.Put(t, dir, "ws-a/sessions/new/Session-20260101T000000.md", pageText("session-7", 8))
		},
		func() { enginetest.Put(t, dir, "ws-a/sessions/new/Notes/a.md", []byte("a note")) },
		func() { must(os.RemoveAll(at("states"))) },
		func() { enginetest.Put(t, dir, "ws-a/states/state-1.md", pageText("state-1", 11)) },
	} {
		step()
		for end := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
			got := pagesOf(t.Context(), t, e.Live(), viewOf(t, e, ws))
			other := enginetest.Open(t, enginetest.OpenDir(t, dir))
			want := pagesOf(t.Context(), t, other.Live(), viewOf(t, other, ws))
			if got == want {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the view has\n%swant\n%s", got, want)
			}
		}
	}
	last := pagesOf(t.Context(), t, e.Live(), viewOf(t, e, ws))
	for _, want := range []string{"session session-0 ws-a/sessions/Monday/Session.md", "transcript Monday/Transcript", "session log new/Session-2026", "state state-1 ws-a/states/state-1.md \"N 11\" [a b] \"text 11\" 0"} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is missing:\n%s", want, last)
		}
	}
}
