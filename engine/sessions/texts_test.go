package sessions_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

func noteOf(text string) plan.Text { return plan.Text{NodeID: "node-a", Field: "note", Text: text} }

// knows returns what a session knows of a text, as a process does that has just begun.
func knows(st mdstore.Store, session, text string) string {
	read, same, own := sessions.NewSeen(st, time.Now).Knows(context.Background(), session, ws, noteOf(text))
	return fmt.Sprint(read, same, own)
}

// What a session has read or written is known to later processes: the last of it, by place. What it wrote and reads
// stays its own.
func TestTextsAreKnownByTheirLastValue(t *testing.T) {
	st := memstore.New(nil)
	s := sessions.NewSeen(st, time.Now)
	note := func(own bool, text string) {
		if err := s.NoteTexts(t.Context(), "s", ws, []plan.Text{noteOf(text)}, own); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(text, want string) {
		t.Helper()
		if got := knows(st, "s", text); got != want {
			t.Errorf("of %q it knows %s, want %s", text, got, want)
		}
	}
	expect("a", "false false false")
	note(false, "a")
	expect("a", "true true false")
	expect("b", "true false false")
	note(true, "b")
	expect("b", "true true true")
	note(false, "b")
	expect("b", "true true true")
	note(false, "")
	expect("", "true true false")
	expect("b", "true false false")
	if got := knows(st, "other", ""); got != "false false false" {
		t.Errorf("another session knows %s", got)
	}
	if err := s.Forget(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	expect("", "false false false")
}

// Reading what was read already writes no file, and a file that is damaged counts as lost.
func TestTextsAreWrittenWhenTheyDiffer(t *testing.T) {
	st := memstore.New(nil)
	s := sessions.NewSeen(st, time.Now)
	note := func(texts ...plan.Text) (file mdstore.Path, stamp mdstore.Stamp) {
		if err := s.NoteTexts(t.Context(), "s", ws, texts, false); err != nil {
			t.Fatal(err)
		}
		for p := range st.Files() {
			if p.Under(".local/texts") {
				file = p
			}
		}
		stamp, err := st.Stat(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		return file, stamp
	}
	file, first := note(noteOf("a"))
	if _, again := note(noteOf("a")); again != first {
		t.Error("reading the same writes the file")
	}
	var many []plan.Text
	for i := range 60000 {
		many = append(many, plan.Text{NodeID: mdstore.ID(fmt.Sprint(i)), Field: "note"})
	}
	note(many[:40000]...)
	note(many[20000:]...)
	if n := len(st.Files()[file]); n > mdstore.MaxFileSize {
		t.Errorf("the file has %d bytes and cannot be read", n)
	}
	note(noteOf("b"))
	if got := knows(st, "s", "b"); got != "true true false" {
		t.Errorf("after many texts it knows %s", got)
	}
	st.Put(file, bytes.ToUpper(st.Files()[file]))
	if got := knows(st, "s", "b"); got != "false false false" {
		t.Errorf("of a damaged file it knows %s", got)
	}
}

// What the session of a connection knows goes along to the session that it takes, and leaves no file when it ends.
func TestTextsGoAlongWithAConnection(t *testing.T) {
	st := memstore.New(nil)
	s := sessions.NewSeen(st, time.Now)
	leave := s.Attend("own")
	if err := s.NoteTexts(t.Context(), "own", ws, []plan.Text{noteOf("a")}, true); err != nil || len(st.Files()) > 0 {
		t.Fatalf("%v; the files are %v", err, st.Files())
	}
	if err := s.HandOver(t.Context(), "own", "s"); err != nil {
		t.Fatal(err)
	}
	leave()
	if got := knows(st, "s", "a"); got != "true true true" {
		t.Errorf("the session knows %s", got)
	}
	if read, _, _ := s.Knows(t.Context(), "own", ws, noteOf("a")); read {
		t.Error("the connection's session outlives it")
	}
}
