//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Every text of a torture has a token, which is in no other text: "tk17;".
var tokenForm = regexp.MustCompile(`\btk[0-9]+;`)

func tokensOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, token := range tokenForm.FindAllString(text, -1) {
		all[token] = true
	}
	return all
}

// A ledger is what all who took part in a round have written.
type ledger struct {
	mu       sync.Mutex
	n        int               // guarded by mu: tokens given out
	writes   []*write          // guarded by mu: by Arbor, in the order of their beginnings
	saves    []*edit           // guarded by mu: by people, in the order of their ends
	commands []command         // guarded by mu: of git
	ending   map[string]string // guarded by mu: by file, the token of its last line
}

// A write is a call of Arbor that leaves a token in a file.
type write struct {
	token, file, who string
	field            string // that it replaces; "" for a line of the log
	begin, end       time.Time
	code             string // of the refusal; "" for an acknowledged one
	merged, copied   int    // saves by others that its reply tells of
}

// An edit is a save of an editor, which had read the file before.
type edit struct {
	token, file, habit string
	was, text          map[string]bool // tokens of what it had read, and of what it has written
	read, begin, end   time.Time
}

// A command is one of git. What discards changes takes out of the files what is in no commit.
type command struct {
	name       string
	begin, end time.Time
	failed     bool
	discards   bool
	had        map[string]bool // of one that discards: the tokens in the files before it
}

// token returns a new, unique token.
func (l *ledger) token() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	return fmt.Sprintf("tk%d;", l.n)
}

// ends returns the token of the last line of a file.
func (l *ledger) ends(file string) string {
	token := l.token()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending == nil {
		l.ending = map[string]string{}
	}
	l.ending[file] = token
	return token
}

func (l *ledger) wrote(a *write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, a)
}

func (l *ledger) saved(s *edit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saves = append(l.saves, s)
}

func (l *ledger) ran(c command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commands = append(l.commands, c)
}

// takenOut reports whether a person has taken a token out of a file: with a save that lacks it although it was in what
// the editor had read, also before its writer had ended. A text of their own, which was there at a time, people have
// also taken out with a later save of what they had read before, and with a command of git that discards changes.
func (l *ledger) takenOut(token, file string, since time.Time, own bool) bool {
	for _, s := range l.saves {
		late := own && s.end.After(since) && s.read.Before(since)
		if s.file == file && !s.text[token] && (s.was[token] || late) {
			return true
		}
	}
	for _, c := range l.commands {
		if own && c.discards && c.end.After(since) {
			return true
		}
	}
	return false
}

// amid reports whether a person saved while a stash of theirs was put aside or taken back: git looks at the files first
// and writes them later, and what is saved in between it replaces without a copy, beside Arbor as without it.
func (l *ledger) amid(s *edit) bool {
	return slices.ContainsFunc(l.commands, func(c command) bool {
		return strings.HasPrefix(c.name, "git stash") && c.begin.Before(s.end) && c.end.After(s.begin)
	})
}

// discarded reports whether an acknowledged write was in the files, or on its way there, when a person had git discard
// all changes.
func (l *ledger) discarded(a *write) bool {
	for _, c := range l.commands {
		if c.discards && (c.had[a.token] || a.begin.Before(c.end) && a.end.After(c.begin)) {
			return true
		}
	}
	return false
}

// replaced reports whether who made an acknowledged write has replaced it with a later one.
func (l *ledger) replaced(a *write) bool {
	for _, b := range l.writes {
		same := b.who == a.who && b.file == a.file && b.field == a.field && b.field != ""
		if same && b.code == "" && b.begin.After(a.end) {
			return true
		}
	}
	return false
}

// history tells what happened to a file since a time, for the message about a token that is not where it should be:
// saves of what was read before, or soon after, commands of git, and texts that were replaced.
func (w *world) history(token, file string, since time.Time) (text string) {
	const most = 6
	n := 0
	add := func(format string, args ...any) {
		if n++; n <= most {
			text += "\n    " + fmt.Sprintf(format, args...)
		}
	}
	for _, s := range w.saves {
		if s.file == file && s.end.After(since) && !s.text[token] && !s.read.After(since.Add(time.Second)) {
			add("save %s %s: read at %v, written from %v to %v without it", s.token, s.habit, w.at(s.read), w.at(s.begin),
				w.at(s.end))
		}
	}
	for _, c := range w.commands {
		if c.end.After(since) {
			add("%s from %v to %v, failed %v, discards it %v", c.name, w.at(c.begin), w.at(c.end), c.failed, c.had[token])
		}
	}
	for _, a := range w.writes {
		if a.file == file && a.field != "" && a.code == "" && a.end.After(since) && a.token != token {
			add("%s replaces the %s from %v to %v", a.who, a.field, w.at(a.begin), w.at(a.end))
		}
	}
	if n > most {
		text += fmt.Sprintf("\n    and %d more", n-most)
	}
	return text
}

// at returns a time of the round.
func (w *world) at(t time.Time) time.Duration { return t.Sub(w.start).Round(100 * time.Microsecond) }

// name returns the name of a file for messages.
func (w *world) name(file string) string {
	rel, err := filepath.Rel(filepath.Join(w.vault, w.ws), file)
	if err != nil {
		return file
	}
	return rel
}

// read returns the text of a file, "" where it is missing.
func read(file string) string {
	data, _ := os.ReadFile(file)
	return string(data)
}
