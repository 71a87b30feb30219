package live_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// An editor is a vault in memory in which a person saves while the engine reads.
type editor struct {
	enginetest.Quiet
	reads func(mdstore.File) mdstore.File // what comes of a read; nil: what is there
	young bool                            // each file has been changed just now, so that its stamp proves nothing
	told  chan mdstore.Watching
}

func (s *editor) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, err := s.Quiet.Read(ctx, p)
	if err == nil && s.reads != nil {
		f = s.reads(f)
	}
	f.Stamp.Proven = f.Stamp.Proven && !s.young
	return f, err
}

func (s *editor) InPlace() error       { return nil }
func (s *editor) Polls() (bool, error) { return false, nil }

func (s *editor) Watch(ctx context.Context, w mdstore.Watching) error {
	return enginetest.Tell(ctx, w, s.told)
}

// A partial is a save in parts of the file of a node.
type partial struct {
	*engine.Engine
	st     *editor
	mem    *memstore.Store
	file   mdstore.Path
	tell   mdstore.Watching // zero where the engine does not follow the store
	paused int              // how often the engine has
	pause  func()           // what happens meanwhile
}

func newPartial(t *testing.T, follow bool) *partial {
	t.Helper()
	mem := memstore.New(enginetest.Plan(ws))
	s := &partial{mem: mem, file: mdstore.NodePath("ws-a", "a"),
		st: &editor{Quiet: enginetest.NewQuiet(mem), told: make(chan mdstore.Watching, 1)}}
	mem.Put(s.file, saveOf("was"))
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
		s.tell = enginetest.Follow(t, s.Engine, s.st.told)
	}
	viewOf(t, s.Engine, ws)
	return s
}

// saveOf returns the whole file, with what is to be done.
func saveOf(do string) []byte {
	return enginetest.Step("a", "pending", "## Requirement\n\n"+do+" and all of it\n")
}

// save has the file become what it is in the middle of a save, or at its end.
func (s *partial) save(t *testing.T, data []byte) {
	t.Helper()
	s.mem.Put(s.file, data)
	if s.tell.Early != nil {
		s.tell.Early(s.file)
	}
}

// required returns what the context says is to be done.
func (s *partial) required(t *testing.T) (string, *assemble.Bundle, error) {
	t.Helper()
	b, err := s.Context(t.Context(), ws, "a", assemble.Options{})
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
		"no front matter":      []byte(whole[len("---\n"):]),
		"half of the text":     []byte(strings.TrimSuffix(whole, " all of it\n")), // which nothing tells from a whole one but time
	}
}

// A context that is asked for in the middle of a save holds all of what the file says before it, or after it.
func TestContextWaitsForASave(t *testing.T) {
	for name, part := range partsOfASave() {
		for _, meanwhile := range []func(*partial){
			func(*partial) {},
			func(s *partial) { viewOf(t, s.Engine, ws) },
			func(s *partial) { viewOf(t, s.Engine, ws); s.tell.Early(s.file); viewOf(t, s.Engine, ws) },
			func(s *partial) { s.Live().Stale(); viewOf(t, s.Engine, ws) },
		} {
			s := newPartial(t, true)
			s.save(t, part)
			meanwhile(s)
			s.pause = func() {
				s.pause = nil
				s.save(t, saveOf("is"))
				s.tell.Settled([]mdstore.Path{s.file}, false)
			}
			if is, _, err := s.required(t); err != nil || is != "is and all of it" || s.paused == 0 {
				t.Errorf("%s: %q, %v after %d pauses; want the whole save", name, is, err, s.paused)
			}
		}
	}
}

// A context of a file whose save does not end says that the file cannot be read, or is an error: never that nothing is
// to be done.
func TestContextOfASaveThatDoesNotEnd(t *testing.T) {
	for name, part := range partsOfASave() {
		for _, follow := range []bool{false, true} {
			if name == "half of the text" {
				continue
			}
			s := newPartial(t, follow)
			s.st.young = !follow
			s.save(t, part)
			for range 3 {
				if is, b, err := s.required(t); err == nil && is == "" && len(b.Omitted) == 0 {
					t.Errorf("%s, following %v: %q, and nothing says why", name, follow, is)
				}
			}
			if follow {
				s.tell.Settled([]mdstore.Path{s.file}, false)
			}
			if is, b, err := s.required(t); err != nil || is == "" && len(b.Omitted) == 0 {
				t.Errorf("%s, following %v, settled: %q, %v, and nothing says why", name, follow, is, err)
			}
		}
	}
}

// A reader that has waited for a save in vain takes the file as it is, the next one does so without waiting, and none
// waits for what a commit wrote.
func TestASaveIsWaitedForOnce(t *testing.T) {
	s := newPartial(t, true)
	s.save(t, []byte{})
	if _, b, err := s.required(t); err != nil || len(b.Omitted) == 0 || s.paused == 0 {
		t.Errorf("%+v, %v after %d pauses", b, err, s.paused)
	}
	s.paused = 0
	if _, b, err := s.required(t); err != nil || len(b.Omitted) == 0 || s.paused > 0 {
		t.Errorf("once more: %+v, %v after %d pauses", b, err, s.paused)
	}
	s.save(t, saveOf("is"))
	if is, _, err := s.required(t); err != nil || is != "is and all of it" || s.paused == 0 {
		t.Errorf("%q, %v after %d pauses", is, err, s.paused)
	}
	s.paused = 0
	if is, _, err := s.required(t); err != nil || is != "is and all of it" || s.paused > 0 {
		t.Errorf("once more: %q, %v after %d pauses", is, err, s.paused)
	}
	if _, _, err := engine.Apply(t.Context(), s.Engine, ws, plan.Act{}, plan.AppendLog{Node: "a", Event: "x"}); err != nil {
		t.Fatal(err)
	}
	s.tell.Early(s.file)
	if is, b, err := s.required(t); err != nil || is != "is and all of it" || len(b.Chain[1].LogEntries) != 1 || s.paused > 0 {
		t.Errorf("after a write: %q, %v after %d pauses", is, err, s.paused)
	}
}

// A document that is another one than its node's shows in no context, even if the file is as it was before and after.
func TestContextOfAFileThatWasAnotherMeanwhile(t *testing.T) {
	for _, meanwhile := range []string{"", string(saveOf("other"))} {
		s := newPartial(t, true)
		s.st.reads = func(f mdstore.File) mdstore.File {
			if f.Path != s.file {
				return f
			}
			s.st.reads = nil
			return mdstore.File{Path: f.Path, Data: []byte(meanwhile), Version: mdstore.VersionOf([]byte(meanwhile))}
		}
		if was, _, err := s.required(t); err != nil || was != "was and all of it" || s.st.reads != nil {
			t.Errorf("%q: %q, %v", meanwhile, was, err)
		}
	}
}

// An engine that is not told of saves looks once more at a damaged file that was changed just now; it takes any other
// as it is.
func TestContextOfAFileThatWasJustChanged(t *testing.T) {
	for name, part := range partsOfASave() {
		for _, just := range []bool{true, false} {
			if name == "half of the text" {
				continue
			}
			s := newPartial(t, false)
			s.st.young = just
			s.pause = func() { s.save(t, saveOf("is")) }
			s.save(t, part)
			is, b, err := s.required(t)
			switch {
			case err != nil || just != (s.paused > 0):
				t.Errorf("%s, just %v: %v after %d pauses", name, just, err, s.paused)
			case just && is != "is and all of it":
				t.Errorf("%s: %q; want the whole save", name, is)
			case is == "" && len(b.Omitted) == 0:
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

// A plan over a file that is missing for a moment is made over the file as it is then, and a file that stays away is a
// conflict.
func TestAPlanWaitsForASave(t *testing.T) {
	for _, ends := range []bool{true, false} {
		s := newPartial(t, true)
		s.save(t, []byte{})
		if ends {
			s.pause = func() {
				s.save(t, saveOf("is"))
				s.tell.Settled([]mdstore.Path{s.file}, false)
			}
		}
		_, _, err := engine.Apply(t.Context(), s.Engine, ws, plan.Act{}, plan.AppendLog{Node: "a", Event: "x"})
		data := string(s.mem.Files()[s.file])
		if ends && (err != nil || !strings.Contains(data, "is and all of it") || !strings.Contains(data, "x\n")) {
			t.Errorf("the save ends: %v, and the file is %q", err, data)
		}
		if e := errs.As(err); !ends && (e == nil || e.Code != errs.FileUnreadable && e.Code != errs.Conflicting || data != "") {
			t.Errorf("the save does not end: %v, and the file is %q", err, data)
		}
	}
}
