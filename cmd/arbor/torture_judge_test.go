//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// judge settles the vault after a round and looks for every token. A text that is nowhere is an error, with its
// history.
func (w *world) judge() *tally {
	t := newTally()
	t.rounds = 1
	w.settle(t)
	found := w.search(t)
	place := func(token string) place {
		if p, ok := found[token]; ok {
			return p
		}
		return nowhere
	}
	var lost []string
	for _, a := range w.writes {
		t.merged, t.copied = t.merged+a.merged, t.copied+a.copied
		if a.code != "" {
			t.refused[a.code]++
			continue
		}
		t.acknowledged++
		p := place(a.token)
		if p >= record && (w.replaced(a) || w.takenOut(a.token, a.file, a.end, false)) {
			t.out++
			continue
		}
		t.writesIn[p]++
		text := func() string {
			return fmt.Sprintf("%s, acknowledged to %s for %s %s, from %v to %v%s", a.token, a.who, w.name(a.file), a.field,
				w.at(a.begin), w.at(a.end), w.history(a.token, a.file, a.end))
		}
		switch {
		case (p == record || p == displaced) && t.told[filepath.Base(filepath.Dir(a.file))] == 0:
			lost = append(lost, "in the record alone, and nothing says so: "+text())
		case p == record:
			t.samples = append(t.samples, "\n  in the record alone: "+text())
		case p == nowhere && w.discarded(a):
			t.discarded++
			lost = append(lost, "lost, as git discarded it: "+text())
		case p == nowhere:
			lost = append(lost, "lost: "+text())
		}
	}
	for _, s := range w.saves {
		t.saves++
		w.countStale(t, s, place)
		p := place(s.token)
		if p >= record && (w.takenOut(s.token, s.file, s.end, true) || p == nowhere && w.amid(s)) {
			t.out++
			continue
		}
		t.savesIn[p]++
		text := func() string {
			return fmt.Sprintf("%s, saved by a person in %s %s, read at %v, written from %v to %v%s", s.token, w.name(s.file),
				s.habit, w.at(s.read), w.at(s.begin), w.at(s.end), w.history(s.token, s.file, s.end))
		}
		switch {
		case p == nowhere:
			lost = append(lost, "lost: "+text())
		case p == record && w.strict:
			lost = append(lost, "in the record alone, which is short: "+text())
		case p == record:
			t.samples = append(t.samples, "\n  in the record alone: "+text())
		}
	}
	for file, token := range w.ending {
		if p := place(token); p != live {
			t.torn++
			lost = append(lost, fmt.Sprintf("torn: the last line of %s is %s:\n%s", w.name(file), placeNames[p], read(file)))
		}
	}
	const most = 4
	for _, text := range lost[:min(most, len(lost))] {
		w.Errorf("%v: %s", w.setting, text)
	}
	if len(lost) > most {
		w.Errorf("%v: and %d more", w.setting, len(lost)-most)
	}
	return t
}

// countStale counts a save that lacks what Arbor wrote between the reading and the saving, and whether all of that is
// back in the files.
func (w *world) countStale(t *tally, s *edit, where func(string) place) {
	stale, back := false, true
	for _, a := range w.writes {
		meanwhile := a.begin.After(s.read) && a.end.Before(s.begin)
		if meanwhile && a.file == s.file && a.code == "" && a.field == "" && !s.text[a.token] {
			stale = true
			back = back && where(a.token) == live
		}
	}
	if stale {
		t.stale++
		if back {
			t.rejoined++
		}
	}
}

// settle makes a last write to each file, which merges what is still to be merged, and counts what check finds.
func (w *world) settle(t *tally) {
	for _, node := range w.nodes {
		for range 3 {
			if (shell{w}).call("log_append", map[string]any{"nodeId": node, "event": "the round is over"}).Error == nil {
				break
			}
		}
	}
	cmd := exec.Command("arbor", "check", "--json")
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.Output()
	var said struct{ Diagnostics []struct{ File, Code string } }
	if json.Unmarshal(out, &said) != nil {
		w.Errorf("arbor check: %v\n%s", err, out)
	}
	named := map[string]bool{}
	for _, d := range said.Diagnostics {
		t.findings[d.Code]++
		named[filepath.Base(d.File)] = true
		if d.Code == "TAKEN_OUT" {
			t.told[filepath.Base(filepath.Dir(d.File))]++
		}
	}
	for _, name := range w.conflictCopies() {
		if t.copies++; !named[name] {
			t.unannounced++
		}
	}
}

func (w *world) conflictCopies() (names []string) {
	all, _ := filepath.Glob(filepath.Join(w.vault, w.ws, "nodes", "*", "*.conflict-*"))
	more, _ := filepath.Glob(filepath.Join(w.vault, w.ws, "*.conflict-*"))
	for _, p := range slices.Concat(all, more) {
		names = append(names, filepath.Base(p))
	}
	return names
}
