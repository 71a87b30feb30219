package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// messagesOf tells the messages of a transcript_read in short.
func messagesOf(out map[string]any) (all []string) {
	for _, m := range out["messages"].([]any) {
		m := m.(map[string]any)
		text := m["text"].(string)
		all = append(all, fmt.Sprint(m["role"], ":", text[:min(len(text), 20)]))
	}
	return all
}

// A transcript that grows too long is begun anew, and reads on; clearing begins one that knows nothing of what was
// before. All of it stays in files.
func TestATranscriptIsReadAcrossItsFiles(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	at := map[string]any{"workspaceId": ws, "sessionId": "session-1"}
	with := func(more ...any) map[string]any {
		out := map[string]any{}
		for k, v := range at {
			out[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i].(string)] = more[i+1]
		}
		return out
	}
	want := []string{"user:hi"}
	for i := range 5 {
		text := fmt.Sprintf("# %d %s\n", i, strings.Repeat("x", 300_000))
		must(t, env, "transcript_append", with("role", "assistant", "text", text))
		want = append(want, "assistant:"+text[:20])
	}
	transcripts := func() (n int) {
		for p, data := range w.Store.Files() {
			if mdstore.AllKinds().Of(p) == mdstore.TranscriptKind {
				n++
				if len(data) > mdstore.MaxFileSize || !strings.HasPrefix(string(data), "---\nprovider: null\n") {
					t.Errorf("%s has %d bytes and begins with %.40q", p, len(data), data)
				}
			}
		}
		return n
	}
	if got := messagesOf(must(t, env, "transcript_read", at)); strings.Join(got, "|") != strings.Join(want, "|") || transcripts() != 3 {
		t.Errorf("read %q, want %q; %d files", got, want, transcripts())
	}
	if got := messagesOf(must(t, env, "transcript_read", with("last", 4))); strings.Join(got, "|") != strings.Join(want[2:], "|") {
		t.Errorf("the last 4 are %q", got)
	}
	bounded := *env
	bounded.MaxBytes = 400_000
	if out := must(t, &bounded, "transcript_read", at); len(messagesOf(out)) != 1 || out["hidden"] != 5.0 {
		t.Errorf("within a bound: %q of %v", messagesOf(out), out["hidden"])
	}
	if out := must(t, env, "transcript_clear", with()); out["kept"] == "" || len(messagesOf(must(t, env, "transcript_read", at))) != 0 || transcripts() != 3 {
		t.Errorf("cleared: %v, %d files", out["kept"], transcripts())
	}
	if out := must(t, env, "transcript_clear", with()); out["changed"] != false {
		t.Errorf("cleared twice: %v", out)
	}
	must(t, env, "transcript_append", with("role", "user", "text", "anew"))
	w.Tick(time.Second)
	must(t, env, "transcript_clear", with())
	for _, text := range []string{"a\x00b", strings.Repeat("x", mdstore.MaxFileSize)} {
		refused(t, w, env, errs.InvalidContent, "transcript_append", with("role", "user", "text", text))
	}
	refused(t, w, env, errs.InvalidParams, "transcript_append", with("role", "nobody", "text", "x"))
	refused(t, w, env, errs.InvalidParams, "transcript_read", with("last", -1))
	refused(t, w, env, errs.SessionNotFound, "transcript_read", map[string]any{"workspaceId": ws, "sessionId": "nobody"})
}

// People edit a transcript, and what they add is kept and read; one that cannot be read is never written over.
func TestPeopleEditTranscripts(t *testing.T) {
	files := plan()
	at := mdstore.TranscriptKind.FileFor(openSession.Dir(), "")
	files[at] = []byte("---\nmine: x\n---\n\nabove\n\n## User\n\nhi\n\n## My own\n\nremark\n\n# Part two\n\n## ASSISTANT\n\nyes")
	w := enginetest.New(t, files)
	env, args := &ops.Env{Engine: w.Engine}, map[string]any{"workspaceId": ws, "sessionId": "session-1"}
	must(t, env, "transcript_append", map[string]any{"workspaceId": ws, "sessionId": "session-1", "role": "user", "text": "```\nopen"})
	if got := string(w.Store.Files()[at]); got != string(files[at])+"\n\n## User\n\n````verbatim\n```\nopen\n````\n" {
		t.Errorf("%s", got)
	}
	want := "[:above user:hi My own:remark Part two: assistant:yes user:```\nopen]"
	if got := fmt.Sprint(messagesOf(must(t, env, "transcript_read", args))); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	for _, text := range []string{"no front matter", "---\nx: y\n---\n\n```\nopen"} {
		files[at] = []byte(text)
		w := enginetest.New(t, files)
		o, _ := ops.Find("transcript_append")
		_, err := o.Call(t.Context(), &ops.Env{Engine: w.Engine}, enginetest.Args(map[string]any{"workspaceId": ws, "sessionId": "session-1", "role": "user", "text": "x"}))
		if got := string(w.Store.Files()[at]); err == nil || got != text {
			t.Errorf("%q becomes %q: %v", text, got, err)
		}
	}
}
