//go:build unix

package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// A buffer is a file as an editor has it in hand.
type buffer struct {
	w    *world
	file string
	text string
	was  map[string]bool
	read time.Time
}

// open reads a file, while no other editor is in the middle of saving it.
func (w *world) open(file string) *buffer {
	w.editing[file].Lock()
	defer w.editing[file].Unlock()
	b := &buffer{w: w, file: file, read: time.Now()}
	b.text = read(file)
	b.was = tokensOf(b.text)
	return b
}

// insert puts a line of the person's own into a section, or at the end.
func (b *buffer) insert() (token string) {
	token = b.w.token()
	line := "A person has typed " + token + "\n"
	at := len(b.text)
	section := pick([]string{"Requirement", "Note", "Log", "Colophon", ""})
	if heading := "\n## " + section + "\n\n"; strings.Contains(b.text, heading) {
		at = strings.Index(b.text, heading) + len(heading)
		if section == "Log" {
			line = "- " + line
		}
	} else if !strings.HasSuffix(b.text, "\n") {
		line = "\n" + line
	}
	b.text = b.text[:at] + line + b.text[at:]
	return token
}

// save writes the text that the buffer holds now, and notes it as a save of a token.
func (b *buffer) save(token, habit string, write func() error) {
	s := &edit{token: token, file: b.file, habit: habit, was: b.was, text: tokensOf(b.text), read: b.read}
	s.begin = time.Now()
	if err := write(); err != nil {
		b.w.Errorf("an editor saves %s %s: %v", b.w.name(b.file), habit, err)
		return
	}
	s.end = time.Now()
	b.w.saved(s)
}

// habits are the ways in which editors save a whole text.
var habits = []struct {
	name  string
	write func(file, text string) error
}{
	{"truncate and write", func(file, text string) error {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		return errors.Join(err, f.Close())
	}},
	{"temporary and rename", func(file, text string) error {
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(file+".new", file)
	}},
	{"backup and rename", func(file, text string) error {
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			return err
		}
		return errors.Join(os.Rename(file, file+"~"), os.Rename(file+".new", file), os.Remove(file+"~"))
	}},
}

// whole saves the buffer in one of the habits.
func (b *buffer) whole(token string) {
	h := pick(habits)
	b.w.editing[b.file].Lock()
	defer b.w.editing[b.file].Unlock()
	b.save(token, h.name, func() error { return h.write(b.file, b.text) })
}

// Editors hold texts in hand while others write to the files, and save them later.
func TestStaleEditors(t *testing.T) {
	t.Parallel()
	rounds(t, besideWriters, func(w *world, run func(func())) {
		nodes := w.nodes[:3]
		w.writers(run, nodes...)
		for range 4 {
			run(func() {
				for !w.ended() {
					b := w.open(w.file(pick(nodes)))
					w.pause(min(3*time.Second, w.last/2))
					b.whole(b.insert())
					if rand.IntN(6) == 0 { // again, of what it has in hand
						w.pause(min(time.Second, w.last/4))
						b.whole(b.insert())
					}
				}
			})
		}
	})
}

// pieces are the ways in which a text is saved in pieces, with waits between them.
var pieces = []struct {
	name string
	save func(b *buffer, wait func())
}{
	{"in two pieces", func(b *buffer, wait func()) { b.through(wait, 2, 1) }},
	{"in four pieces", func(b *buffer, wait func()) { b.through(wait, 4, 1) }},
	{"and again through the open file", func(b *buffer, wait func()) { b.through(wait, 2, 2) }},
	{"in two pieces, opened for each", func(b *buffer, wait func()) {
		token := b.insert()
		at := strings.LastIndex(b.text[:rand.IntN(len(b.text))], "\n") + 1 // who appends begins with a line
		b.save(token, "in two pieces, opened for each", func() error {
			if err := os.WriteFile(b.file, []byte(b.text[:at]), 0o644); err != nil {
				return err
			}
			wait()
			f, err := os.OpenFile(b.file, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(b.text[at:])
			return errors.Join(err, f.Close())
		})
	}},
}

// through saves the buffer in n pieces through one open file, a number of times.
func (b *buffer) through(wait func(), n, times int) {
	f, err := os.OpenFile(b.file, os.O_WRONLY, 0)
	if err != nil {
		b.w.Errorf("an editor: %v", err)
		return
	}
	defer f.Close()
	for i := range times {
		if i > 0 {
			wait()
		}
		b.save(b.insert(), "in pieces through an open file", func() error {
			if _, err := f.Seek(0, 0); err != nil {
				return err
			}
			if err := f.Truncate(0); err != nil {
				return err
			}
			rest := b.text
			for k := n; k > 1; k-- {
				at := rand.IntN(len(rest))
				if rand.IntN(2) == 0 {
					at = strings.LastIndex(rest[:at], "\n") + 1
				}
				if _, err := f.WriteString(rest[:at]); err != nil {
					return err
				}
				rest = rest[at:]
				wait()
			}
			_, err := f.WriteString(rest)
			return err
		})
	}
}

// Programs that write a file in pieces, over a network or in place, have others write to it in the pauses.
func TestSavesInPieces(t *testing.T) {
	t.Parallel()
	rounds(t, besideWriters, func(w *world, run func(func())) {
		nodes := w.nodes[:3]
		w.writers(run, nodes...)
		for _, node := range nodes {
			run(func() {
				for !w.ended() {
					b := w.open(w.file(node))
					most := 500 * time.Millisecond >> rand.IntN(9) // short ones as often as long ones
					wait := func() { <-time.After(rand.N(min(most, w.last/4)) + time.Millisecond) }
					pick(pieces).save(b, wait)
					w.pause(500 * time.Millisecond)
				}
			})
		}
	})
}
