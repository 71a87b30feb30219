package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/feed"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/memstore"
)

// snapshots returns two states of a workspace's files.
func snapshots(t *testing.T, states ...map[mdstore.Path]string) []*view.View {
	t.Helper()
	var out []*view.View
	for _, state := range states {
		files := map[mdstore.Path][]byte{"ws-a/Workspace.md": []byte("---\nid: ws-a\nname: Work\ngoal: g\nstatus: active\n---\n")}
		for p, text := range state {
			files["ws-a/nodes/"+p+"/Node.md"] = []byte(text)
		}
		e, err := engine.Open(t.Context(), memstore.New(files), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.WithPages(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		for p, data := range files { // with their documents
			s = s.With(mdstore.File{Path: p, Version: mdstore.VersionOf(data), Data: data})
		}
		out = append(out, s)
	}
	return out
}

// printed returns the printed form of a report.
func printed(t *testing.T, flags globals, env map[string]string, events ...feed.Event) string {
	t.Helper()
	var out bytes.Buffer
	opt := &watchOptions{shell: &shell{flags: flags, sys: &System{Stdout: &out, Stderr: io.Discard, Dir: t.TempDir(), Getenv: func(key string) string { return env[key] }}}}
	if err := opt.tell(feed.Report{Time: time.Date(2026, 1, 1, 10, 0, 0, 5e6, time.Local), Events: events}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWatchLines(t *testing.T) {
	const head = "---\nid: n\ntitle: Old\ntype: execution\nstatus: pending\nparentId: root\nupdatedAt: 1\n---\n"
	for _, tt := range []struct{ name, was, is, want string }{
		{"a field", head, strings.Replace(head, "pending", "implementing", 1), "changed n Old: status pending → implementing"},
		{"stamps are no news", head, strings.NewReplacer("pending", "implementing", "updatedAt: 1", "updatedAt: 2").Replace(head), "changed n Old: status pending → implementing"},
		{"but for nothing else", head, strings.Replace(head, "updatedAt: 1", "updatedAt: 2", 1), "changed n Old: updatedAt 1 → 2"},
		{"one that comes and one that goes", head, strings.Replace(head, "updatedAt: 1", "role: validation", 1), "changed n Old: role none → validation"},
		{"null and nothing", head, strings.Replace(head, "parentId: root", "parentId: null\ntitel: ''", 1), `changed n Old: parentId root → none; titel none → ""`},
		{"a long title", head, strings.Replace(head, "Old", strings.Repeat("长", 100), 1),
			"changed n " + strings.Repeat("长", 29) + "…: title Old → " + strings.Repeat("长", 29) + "…"},
		{"what a terminal would act upon", head, strings.Replace(head, "Old", `"\e[31mRed\u202e"`, 1), "changed n Red: title Old → Red"},
		{"a log", head, head + "\n## Log\n\n- [2026-01-01 10:00:00] [AI] One\n- [2026-01-01 10:00:00] [Human] Two\n  and more\n", `changed n Old: Log +2 "Human: Two and more"`},
		{"a text", head, head + "\n## Note\n\nx\n", "changed n Old: Note created"},
		{"another one", head + "\n## 备注\n\ny\n", head + "\n## 备注\n\nx\n", "changed n Old: Note changed"},
		{"a list", head + "\n## Docs\n\n- a: b\n- c\n", head + "\n## Docs\n\n- c\n- d: e\n", `changed n Old: Docs +1 −1 "d: e"`},
		{"nothing by name", head, strings.Replace(head, "title:  Old", "title: Old # c", 1) + "\n", "changed n Old: no field or section"},
		{"nothing that can be read", head, "", "changed n Old: cannot be read now"},
		{"what comes", "", head, "created n Old: execution; pending; in root"},
		{"what goes", head, "-", "removed n Old"},
	} {
		was, is := map[mdstore.Path]string{"n": tt.was}, map[mdstore.Path]string{"n": tt.is}
		if tt.name == "what comes" {
			was = nil
		}
		if tt.is == "-" {
			is = nil
		}
		s := snapshots(t, was, is)
		got := printed(t, globals{}, nil, feed.Compare(s[0], s[1])...)
		want := "10:00:00 " + tt.want + "  ws-a/nodes/n/Node.md\n"
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, want)
		}
		ascii := printed(t, globals{}, map[string]string{"LANG": "C"}, feed.Compare(s[0], s[1])...)
		for _, drawn := range "→−…" {
			if strings.ContainsRune(ascii, drawn) {
				t.Errorf("%s: %q in %s", tt.name, drawn, ascii)
			}
		}
	}
}

// A problem with a new text, but the same code in the same line, is not reported as mended too.
func TestWatchFaults(t *testing.T) {
	d := func(code, text string) mdoc.Diagnostic {
		return mdoc.Diagnostic{File: "f", Line: 3, Code: code, Text: text}
	}
	got := printed(t, globals{}, nil, feed.Event{Kind: feed.Diagnosed, Path: "f", Found: []mdoc.Diagnostic{d("A", "new")}, Mended: []mdoc.Diagnostic{d("A", "old"), d("B", "old")}})
	if want := "f:3:1: A: new (by hand)\nmended f:3:1: B: old\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A report is cut to as many lines as a listing has, with the number of lines left out; as JSON it is whole.
func TestWatchIsBounded(t *testing.T) {
	for _, tt := range []struct{ changes, faults, shown int }{
		{200, 0, 200}, {201, 0, 199}, {5000, 0, 199}, {5000, 3, 199}, {5000, 5000, 199}, {3, 5000, 199}, {150, 50, 200}, {0, 201, 199},
	} {
		var events []feed.Event
		for i := range max(tt.changes, tt.faults) {
			v := feed.Event{Kind: view.Removed, Workspace: "w", Node: "n", Path: mdstore.Path(fmt.Sprint("p", i))}
			if i >= tt.changes {
				v.Kind = feed.Diagnosed
			}
			if i < tt.faults {
				v.Found = []mdoc.Diagnostic{{File: "f", Code: "C"}}
			}
			events = append(events, v)
		}
		got := printed(t, globals{}, nil, events...)
		shown, rest := strings.Count(got, "removed ")+strings.Count(got, ": C: "), strings.Count(got, "… and ")
		if shown != tt.shown || shown+rest > listLines || (rest == 1) != (shown < tt.changes+tt.faults) {
			t.Errorf("of %d changes with %d diagnostics it prints %d lines, and %d about the rest", tt.changes, tt.faults, shown, rest)
		}
		if all := printed(t, globals{all: true}, nil, events...); strings.Count(all, "\n") != tt.changes+tt.faults {
			t.Errorf("of %d changes with %d diagnostics --all prints %d lines", tt.changes, tt.faults, strings.Count(all, "\n"))
		}
		docs := printed(t, globals{json: true}, nil, events...)
		for line := range strings.Lines(docs) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("no document: %q", line)
			}
		}
		if n := strings.Count(docs, "\n"); n != len(events) {
			t.Errorf("of %d changes %d documents are printed", len(events), n)
		}
	}
	if got := printed(t, globals{}, nil, make([]feed.Event, 300)...); !strings.HasSuffix(got, "\n… and 101 more lines; --all prints them all\n") {
		t.Errorf("it ends in %q", got[len(got)-80:])
	}
}

func TestWatchDocument(t *testing.T) {
	s := snapshots(t, map[mdstore.Path]string{"n": "---\nid: n\ntitle: T\nrole: null\n---\n\n## Log\n\n- a\n"}, map[mdstore.Path]string{"m": "---\nid: n\ntitle: T\nrole: x\n---\n\n## Log\n\n- a\n- b\n"})
	got := printed(t, globals{json: true}, nil, feed.Compare(s[0], s[1])...)
	at := time.Date(2026, 1, 1, 10, 0, 0, 5e6, time.Local).UnixMilli()
	want := fmt.Sprintf(`{"time":%d`, at) + `,"workspaceId":"ws-a","nodeId":"n","title":"T","kind":"moved","path":"ws-a/nodes/m/Node.md","from":"ws-a/nodes/n/Node.md",` +
		`"fields":[{"key":"role","to":"x"}],"sections":[{"name":"Log","kind":"changed","added":["b"]}]}` + "\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

type brokenPipe struct{ err error }

func (b brokenPipe) Write([]byte) (int, error) { return 0, b.err }

// If stdout is closed by its reader, watch ends without an error; any other write error is a failure.
func TestWatchUnread(t *testing.T) {
	for err, want := range map[error]error{syscall.EPIPE: errUnread, io.ErrClosedPipe: errUnread, syscall.ENOSPC: syscall.ENOSPC} {
		for _, asJSON := range []bool{false, true} {
			opt := &watchOptions{shell: &shell{flags: globals{json: asJSON}, sys: &System{Stdout: brokenPipe{err}, Stderr: io.Discard}}}
			if got := opt.tell(feed.Report{Events: make([]feed.Event, 1)}); got != want {
				t.Errorf("after %v: %v, want %v", err, got, want)
			}
		}
	}
}
