package ops_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
)

// An editor saves files as editors do: it reads one, adds a line of its own, and writes it in one of the habits.
type editor struct {
	dir   string
	rng   *rand.Rand
	n     int
	saves []save
	own   map[mdstore.ID]bool // nodes of workers that it has saved
}

// A save is one that succeeded.
type save struct {
	line, habit, file string
	read, written     int64 // Unix nanoseconds; the editor did not read the file between them
}

// habits are the ways in which editors write a file; was is its text as they read it.
var habits = []struct {
	name  string
	write func(e *editor, p, was, text string) error
}{
	{"in place", func(e *editor, p, _, text string) error { return e.inPlace(p, os.O_TRUNC, text) }},
	{"in place, truncated at the end", func(e *editor, p, _, text string) error { return e.inPlace(p, 0, text) }},
	{"temporary and rename", func(e *editor, p, _, text string) error {
		t := p + ".new"
		if err := e.fill(t, os.O_CREATE|os.O_TRUNC, text); err != nil {
			return err
		}
		return os.Rename(t, p)
	}},
	{"backup, create, remove the backup", func(e *editor, p, _, text string) error {
		if err := os.Rename(p, p+"~"); err != nil {
			return err
		}
		if err := e.fill(p, os.O_CREATE|os.O_TRUNC, text); err != nil {
			return err
		}
		return os.Remove(p + "~")
	}},
	{"delete and create", func(e *editor, p, _, text string) error {
		if err := os.Remove(p); err != nil {
			return err
		}
		err := e.fill(p, os.O_CREATE|os.O_TRUNC, text)
		if errors.Is(err, fs.ErrNotExist) { // its folder went to the trash after the editor had deleted the file, so that only the editor has its lines
			e.saves = slices.DeleteFunc(e.saves, func(s save) bool { return s.file == p })
		}
		return err
	}},
	{"append", func(e *editor, p, was, text string) error {
		added, ok := strings.CutPrefix(text, was)
		if !ok || !strings.HasSuffix(added, ";\n") { // the line is not at the end
			return e.inPlace(p, os.O_TRUNC, text)
		}
		return e.fill(p, os.O_APPEND, added)
	}},
}

// fill writes text to a file in one to three calls with pauses between them, and makes it durable now and then.
func (e *editor) fill(p string, flags int, text string) error {
	f, err := os.OpenFile(p, os.O_WRONLY|flags, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(e.pour(f, text), f.Close())
}

func (e *editor) pour(f *os.File, text string) error {
	for parts := 1 + e.rng.IntN(3); parts > 0; parts-- {
		n := len(text) / parts
		e.breathe()
		if _, err := f.WriteString(text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	e.breathe()
	if e.rng.IntN(2) == 0 {
		return f.Sync()
	}
	return nil
}

// inPlace writes over a file that exists. Without O_TRUNC its old end is cut off last.
func (e *editor) inPlace(p string, flags int, text string) error {
	f, err := os.OpenFile(p, os.O_WRONLY|flags, 0)
	if err != nil {
		return err
	}
	err = e.pour(f, text)
	if err == nil && flags == 0 {
		err = f.Truncate(int64(len(text)))
	}
	return errors.Join(err, f.Close())
}

// breathe pauses between two calls, for a random time up to three milliseconds or not at all.
func (e *editor) breathe() {
	if e.rng.IntN(2) == 0 {
		<-time.After(rand.N(3 * time.Millisecond))
	}
}

// work saves one file after the other until stop.
func (e *editor) work(t *testing.T, stop <-chan struct{}) {
	files := []string{filepath.Join(e.dir, ws, mdstore.WorkspaceFile), filepath.Join(e.dir, ws, "nodes", "root", mdstore.NodeFile)}
	for _, id := range hubs {
		files = append(files, filepath.Join(e.dir, ws, "nodes", string(id), mdstore.NodeFile))
	}
	for {
		select {
		case <-stop:
			return
		case <-time.After(rand.N(30 * time.Millisecond)):
		}
		file := pick(e.rng, files)
		if e.rng.IntN(4) == 0 {
			file = e.anyNode()
		}
		if err := e.save(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // it was moved away at this moment; an editor reports that, and saves again
			t.Errorf("the editor: %v", err)
		}
	}
}

// anyNode returns the file of a node that may be deleted while it is saved.
func (e *editor) anyNode() string {
	nodes := filepath.Join(e.dir, ws, "nodes")
	all, _ := os.ReadDir(nodes)
	all = slices.DeleteFunc(all, func(d fs.DirEntry) bool { return !d.IsDir() }) // temporaries of commits
	id := pick(e.rng, all).Name()
	e.own[mdstore.ID(id)] = true
	return filepath.Join(nodes, id, mdstore.NodeFile)
}

func (e *editor) save(p string) error {
	e.n++
	s := save{line: fmt.Sprintf("typed e%d;", e.n), file: p, read: time.Now().UnixNano()}
	data, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	was := string(data)
	text := e.add(was, s.line+"\n", strings.Contains(p, string(filepath.Separator)+"node-"))
	e.breathe()
	h := pick(e.rng, habits)
	s.habit = h.name
	if err := h.write(e, p, was, text); err != nil {
		return err
	}
	s.written = time.Now().UnixNano()
	e.saves = append(e.saves, s)
	return nil
}

// add puts a line under the heading Note, somewhere in the middle, or at the end; in a node whose other texts are
// replaced by operations, in the middle.
func (e *editor) add(text, line string, middle bool) string {
	at, where := len(text), e.rng.IntN(3)
	if middle {
		where = 1
	}
	switch where {
	case 0:
		if i := strings.Index(text, "## Note\n\n"); i >= 0 {
			at = i + len("## Note\n\n")
		}
	case 1:
		if i := strings.Index(text, "second line\n\n"); i >= 0 {
			at = i + len("second line\n\n")
			line += "\n"
		}
	}
	if at == len(text) && !strings.HasSuffix(text, "\n") {
		line = "\n" + line
	}
	return text[:at] + line + text[at:]
}

// typed counts where the lines of the editor's saves are, and reports each that is lost.
func (j *judged) typed(saves []save) {
	inFile, inCopy, inTrash, spared, kept := 0, 0, 0, 0, 0
	for _, s := range saves {
		rel, _ := filepath.Rel(j.dir, s.file)
		where := j.found[s.line]
		has := func(ok func(p string) bool) bool {
			for _, p := range where {
				if ok(p) {
					return true
				}
			}
			return false
		}
		switch {
		case has(func(p string) bool { return p == filepath.ToSlash(rel) }):
			inFile++
		case has(func(p string) bool { return strings.Contains(p, ".conflict-") }):
			inCopy++
		case has(func(p string) bool {
			return strings.HasPrefix(p, ".local/trash/") && !isSpared(p)
		}):
			inTrash++
		case has(isSpared):
			spared++ // the editor read the file before this line was merged into it, and saved it after; or the node was deleted
		case len(where) > 0:
			kept++
			j.Logf("kept: %q of %s in %v", s.line, rel, where)
		default:
			j.lost++
			j.Errorf("lost: %q of %s, saved %s at %d to %d", s.line, rel, s.habit, s.read, s.written)
		}
	}
	j.Logf("of %d lines of the editor %d are in their file, %d in a copy beside it, %d in the trash with it, %d in the trash alone, %d elsewhere, %d lost", len(saves), inFile, inCopy, inTrash, spared, kept, j.lost)
}

// overwritten counts the entries that workers logged to the edited files. One that is missing was overwritten by the
// editor if it had read the file before and saved it after; else it is lost.
func (j *judged) overwritten(saves []save) {
	inFile, inCopy, blind, twice := 0, 0, 0, 0
	for _, a := range j.tries {
		if a.Kind != said || !a.done {
			continue
		}
		rel := mdstore.WorkspacePath(ws)
		if a.Node != "" {
			rel = mdstore.NodePath(ws, a.Node)
		}
		overlap := false
		for _, s := range saves {
			overlap = overlap || s.file == filepath.Join(j.dir, filepath.FromSlash(string(rel))) && s.read <= a.until && a.Time <= s.written
		}
		files := map[string]int{}
		for _, p := range j.found[a.text()] {
			files[p]++
		}
		switch {
		case files[string(rel)] == 1:
			inFile++
		case files[string(rel)] > 1:
			twice++
			if !overlap {
				j.twice++
				j.Errorf("duplicated: %q in %s", a.text(), rel)
			}
		case len(files) > 0:
			inCopy++ // beside the file, or in the trash with the node
		case overlap:
			blind++
		default:
			j.lost++
			j.Errorf("lost: %q of %s, and the editor did not have it in hand between %d and %d", a.text(), rel, a.Time, a.until)
		}
	}
	j.Logf("of %d entries of the workers %d are in their file (%d twice), %d in a copy or the trash, %d overwritten by a save of the editor that had read the file before", inFile+twice+inCopy+blind, inFile+twice, twice, inCopy, blind)
}

// An editor saves, in every habit, the files that four processes write to, which are killed or not. No line of the
// editor is ever lost.
func TestEditorAmongProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, kill := range map[string]bool{"killed": true, "alive": false} {
		t.Run(name, func(t *testing.T) {
			dir := tortured(t)
			e := &editor{dir: dir, rng: rand.New(rand.NewPCG(rand.Uint64(), 1)), own: map[mdstore.ID]bool{}}
			h := run(t, dir, 4, kill, func(stop <-chan struct{}) { e.work(t, stop) })
			j := judge(t, h)
			j.typed(e.saves)
			j.overwritten(e.saves)
			j.spared = e.own // these hold what the editor made of them
			j.once(made, because)
			j.clean(true)
			for _, said := range h.partly {
				t.Logf("made in part: %s", said)
			}
			t.Logf("kills %d acknowledged %d saved %d lost %d half %d duplicated %d", h.kills, h.acknowledged(), len(e.saves), j.lost, j.half, j.twice)
			if len(e.saves) < 10 {
				t.Errorf("the torture was none: %d saves", len(e.saves))
			}
		})
	}
}
