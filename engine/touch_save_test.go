package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// An editor is a vault in memory in which somebody saves while the engine reads, and whose commits nobody counts, as people's saves are not.
type editor struct {
	mdstore.Store
	mdstore.Skimming
	files *memstore.Store
	reads func(mdstore.File) mdstore.File // what comes of a read; nil: what is there
	to    chan mdstore.Watching
}

func (s *editor) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, err := s.Store.Read(ctx, p)
	if err == nil && s.reads != nil {
		f = s.reads(f)
	}
	return f, err
}

func (s *editor) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	return s.Store.Stat(ctx, p)
}

func (s *editor) InPlace() error       { return nil }
func (s *editor) Polls() (bool, error) { return false, nil }

func (s *editor) Watch(ctx context.Context, w mdstore.Watching) error {
	w.Ready()
	s.to <- w
	<-ctx.Done()
	return ctx.Err()
}

// A save in parts of the file of a node.
type inParts struct {
	*engine.Engine
	st     *editor
	file   mdstore.Path
	tell   mdstore.Watching // zero where nobody follows
	paused int              // how often the engine has
	pause  func()           // what happens meanwhile
}

func partsOf(t *testing.T, follow bool) *inParts {
	t.Helper()
	st := memstore.New(map[mdstore.Path][]byte{
		"ws-a/Workspace.md":       []byte("---\nid: ws-a\nname: A\nstatus: active\n---\n"),
		"ws-a/nodes/root/Node.md": enginetest.Node("root", planned+"Root", "## Requirement\n\nall\n"),
		"ws-a/nodes/a/Node.md":    saveOf("was"),
	})
	s := &inParts{file: mdstore.NodePath("ws-a", "a"), st: &editor{Store: st, Skimming: st, files: st, to: make(chan mdstore.Watching)}}
	after := func(d time.Duration) <-chan time.Time {
		s.paused++
		if s.pause != nil {
			s.pause()
		}
		return enginetest.NoPause(d)
	}
	var err error
	if s.Engine, err = engine.Open(t.Context(), s.st, engine.Options{After: after}); err != nil {
		t.Fatal(err)
	}
	if follow {
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); _ = s.Follow(ctx, nil, nil) }()
		t.Cleanup(func() { stop(); <-done })
		s.tell = <-s.st.to
	}
	if _, err := s.Snapshot(t.Context(), "ws-a"); err != nil {
		t.Fatal(err)
	}
	return s
}

// saveOf returns the whole file, with what is to be done.
func saveOf(do string) []byte {
	return enginetest.Node("a", planned+"A\nparentId: root\n", "## Requirement\n\n"+do+" and all of it\n")
}

// save has the file become what it is in the middle of a save, or at its end.
func (s *inParts) save(t *testing.T, data []byte) {
	t.Helper()
	c := mdstore.Change{Path: s.file, Base: mdstore.VersionOf(s.st.files.Files()[s.file]), New: data}
	if _, err := s.st.Commit(t.Context(), []mdstore.Change{c}); err != nil {
		t.Fatal(err)
	}
	if s.tell.Early != nil {
		s.tell.Early(s.file)
	}
}

// required returns what the context says is to be done.
func (s *inParts) required(t *testing.T) (string, *assemble.Bundle, error) {
	t.Helper()
	b, err := s.Context(t.Context(), "ws-a", "a", assemble.Options{})
	if err != nil {
		return "", nil, err
	}
	return b.Chain[len(b.Chain)-1].Requirement, b, nil
}

// partsOfASave are the states of a file in the middle of a save.
func partsOfASave() map[string][]byte {
	whole := string(saveOf("is"))
	return map[string][]byte{
		"empty":                {},
		"half of front matter": []byte(whole[:20]),
		"half of the text":     []byte(strings.TrimSuffix(whole, " all of it\n")),
	}
}

// A context that is asked for in the middle of a save holds all of what the file says before it, or after it.
func TestContextWaitsForASave(t *testing.T) {
	for name, part := range partsOfASave() {
		for _, known := range []bool{false, true} { // the document was asked for before
			s := partsOf(t, true)
			if known {
				if was, _, err := s.required(t); err != nil || was != "was and all of it" {
					t.Fatalf("before the save %q, %v", was, err)
				}
			}
			s.save(t, part)
			s.pause = func() {
				s.pause = nil
				s.save(t, saveOf("is"))
				s.tell.Settled([]mdstore.Path{s.file}, false)
			}
			if is, _, err := s.required(t); err != nil || is != "is and all of it" || s.paused == 0 {
				t.Errorf("%s, known %v: %q, %v after %d pauses; want the whole save", name, known, is, err, s.paused)
			}
		}
	}
}

// Who does not get to the end of a save is not told that nothing is to be done: what was known stands, or an error says so.
func TestContextOfASaveThatDoesNotEnd(t *testing.T) {
	for name, part := range partsOfASave() {
		if name == "half of the text" {
			continue // which nothing tells from a whole one but time
		}
		for _, known := range []bool{false, true} {
			s := partsOf(t, true)
			if known {
				if _, _, err := s.required(t); err != nil {
					t.Fatal(err)
				}
			}
			s.save(t, part)
			was, _, err := s.required(t)
			switch {
			case known && (err != nil || was != "was and all of it"):
				t.Errorf("%s: %q, %v; want what was known", name, was, err)
			case !known && (err == nil || engine.AsError(err).Code != engine.Conflicting || !strings.Contains(err.Error(), string(s.file))):
				t.Errorf("%s: %q, %v; want %s", name, was, err, engine.Conflicting)
			}
			s.tell.Settled([]mdstore.Path{s.file}, false)
			if is, b, err := s.required(t); err != nil || is == "" && len(b.Omitted) == 0 {
				t.Errorf("%s, known %v, settled: %q, %v, and nothing says why", name, known, is, err)
			}
		}
	}
}

// Whoever has waited for a save in vain takes the file as it is, and the next one does so without waiting; and nobody waits for what Arbor has written.
func TestNobodyWaitsForNothing(t *testing.T) {
	s := partsOf(t, true)
	s.save(t, saveOf("is"))
	if is, _, err := s.required(t); err != nil || is != "is and all of it" || s.paused == 0 {
		t.Errorf("%q, %v after %d pauses", is, err, s.paused)
	}
	s.paused = 0
	if is, _, err := s.required(t); err != nil || is != "is and all of it" || s.paused > 0 {
		t.Errorf("once more: %q, %v after %d pauses", is, err, s.paused)
	}
	if _, _, err := s.AppendLog(t.Context(), "ws-a", "a", "x", engine.Act{}); err != nil {
		t.Fatal(err)
	}
	s.tell.Early(s.file)
	if is, b, err := s.required(t); err != nil || is != "is and all of it" || len(b.Chain[1].LogEntries) != 1 || s.paused > 0 {
		t.Errorf("after a write: %q, %v after %d pauses", is, err, s.paused)
	}
}

// A document that is another one than its node's shows in no context, even if the file is as it was before and after.
func TestContextOfAFileThatWasAnotherMeanwhile(t *testing.T) {
	for _, follow := range []bool{false, true} {
		s := partsOf(t, follow)
		s.st.reads = func(f mdstore.File) mdstore.File {
			if f.Path != s.file {
				return f
			}
			s.st.reads = nil
			return mdstore.File{Path: f.Path, Version: mdstore.VersionOf(nil)}
		}
		if was, _, err := s.required(t); err != nil || was != "was and all of it" || s.st.reads != nil {
			t.Errorf("following %v: %q, %v", follow, was, err)
		}
	}
}

// young is a vault in which each file has been changed just now.
type young struct{ *editor }

func (s young) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, err := s.editor.Read(ctx, p)
	f.Stamp.Firm = false
	return f, err
}

func (s young) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	f, err := s.Read(ctx, p)
	return f.Stamp, err
}

func (s young) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	out, err := s.editor.Skim(ctx, under, known, trusting)
	for i := range out.Nodes {
		out.Nodes[i].Stamp.Firm = false
	}
	return out, err
}

func (s young) Unchanged(mdstore.Path, mdstore.Stamp) bool { return false }

// Who is not told of saves looks once more at a file that was changed just now, where it cannot be read, or has changed since it was read before. Of any other one it
// takes what is there.
func TestContextOfAFileThatWasJustChanged(t *testing.T) {
	for name, part := range partsOfASave() {
		for _, just := range []bool{true, false} {
			s := partsOf(t, false)
			st := mdstore.Store(s.st)
			if just {
				st = young{s.st}
			}
			e, err := engine.Open(t.Context(), st, engine.Options{After: func(d time.Duration) <-chan time.Time {
				s.paused++
				s.save(t, saveOf("is"))
				return enginetest.NoPause(d)
			}})
			if err != nil {
				t.Fatal(err)
			}
			s.Engine = e
			if _, err := e.Snapshot(t.Context(), "ws-a"); err != nil {
				t.Fatal(err)
			}
			s.save(t, part)
			is, b, err := s.required(t)
			switch {
			case err != nil || just != (s.paused > 0):
				t.Errorf("%s, just %v: %v after %d pauses", name, just, err, s.paused)
			case just && is != "is and all of it":
				t.Errorf("%s: %q; want the whole save", name, is)
			case !just && is == "" && len(b.Omitted) == 0:
				t.Errorf("%s: nothing is to be done, and nothing says why", name)
			}
			if s.paused = 0; just {
				continue
			}
			if _, _, err := s.required(t); err != nil || s.paused > 0 {
				t.Errorf("%s, once more: %v after %d pauses", name, err, s.paused)
			}
		}
	}
}

// Who is not told of saves, and waits for one in vain, hears that the file cannot be read.
func TestContextOfAFileThatStaysDamaged(t *testing.T) {
	for name, part := range partsOfASave() {
		if name == "half of the text" {
			continue
		}
		for _, known := range []bool{false, true} {
			s := partsOf(t, false)
			e, err := engine.Open(t.Context(), young{s.st}, engine.Options{After: enginetest.NoPause})
			if err != nil {
				t.Fatal(err)
			}
			s.Engine = e
			if _, err := e.Snapshot(t.Context(), "ws-a"); err != nil {
				t.Fatal(err)
			}
			if known {
				if _, _, err := s.required(t); err != nil {
					t.Fatal(err)
				}
			}
			s.save(t, part)
			for range 3 {
				if is, b, err := s.required(t); err == nil && len(b.Omitted) == 0 {
					t.Errorf("%s, known %v: %q, and nothing says why", name, known, is)
				}
			}
		}
	}
}

const planned = "type: planning\nstatus: planning\ntitle: "
