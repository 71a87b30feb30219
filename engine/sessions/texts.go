package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"

	"arbor/engine/plan"
	"arbor/mdstore"
)

const (
	textsDir  = mdstore.Path("texts")
	mostTexts = 50000 // of one session, to limit its file; with more, all are dropped
	ownBit    = 1     // set in a digest if the session wrote the text itself
)

// Knows reports whether a session has read or written what stood at the place of a text, whether that was this text,
// and whether the session wrote it itself. A session whose file is lost has read nothing.
func (s *Seen) Knows(ctx context.Context, session string, ws mdstore.ID, t plan.Text) (read, same, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.read(ctx, textsDir, session)
	if err != nil {
		return false, false, false
	}
	last, read := m.Texts[place(ws, t)]
	same = read && last&^ownBit == digest(t.Same())
	return read, same, same && last&ownBit != 0
}

// NoteTexts notes that a session has read texts whole, or has written them. A text that it wrote and reads stays its
// own.
func (s *Seen) NoteTexts(ctx context.Context, session string, ws mdstore.ID, texts []plan.Text, own bool) error {
	noted := map[uint64]uint64{}
	for _, t := range texts {
		sum := digest(t.Same())
		if own {
			sum |= ownBit
		}
		noted[place(ws, t)] = sum
	}
	return s.noteTexts(ctx, session, noted)
}

// HandOver lets another session know the texts that the session of a connection knows.
func (s *Seen) HandOver(ctx context.Context, session, to string) error {
	noted := map[uint64]uint64{}
	s.mu.Lock()
	if m := s.attended[session]; m != nil {
		noted = maps.Clone(m.Texts)
	}
	s.mu.Unlock()
	return s.noteTexts(ctx, to, noted)
}

// noteTexts writes the session's file only if it changed.
func (s *Seen) noteTexts(ctx context.Context, session string, noted map[uint64]uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.read(ctx, textsDir, session)
	if err != nil {
		return err
	}
	maps.DeleteFunc(noted, func(at, sum uint64) bool { last := m.Texts[at]; return last == sum || last == sum|ownBit })
	if len(noted) == 0 || len(noted) > mostTexts {
		return nil
	}
	if len(m.Texts) == 0 {
		s.prune(ctx, textsDir)
	}
	if len(m.Texts)+len(noted) > mostTexts {
		clear(m.Texts)
	}
	maps.Copy(m.Texts, noted)
	return s.write(ctx, textsDir, session, m)
}

// place returns a number that identifies the place of a text.
func place(ws mdstore.ID, t plan.Text) uint64 {
	return digest(string(ws) + "\n" + string(t.NodeID) + "\n" + t.Field)
}

func digest(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.BigEndian.Uint64(sum[:]) &^ ownBit
}
