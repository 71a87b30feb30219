package crashtest

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
)

const (
	hub  = mdstore.Path("ws/nodes/hub/Node.md")
	leaf = mdstore.Path("ws/nodes/leaf/Node.md") // sometimes moved to the trash
)

// A person reads a file, adds a line and writes the file in the way of some editor, four times. Commits run between the
// steps of this.
type person struct {
	c     *Model
	rng   *rand.Rand
	pause func()
	saves []saving
}

// A saving is a save that succeeded for the person.
type saving struct {
	at   mdstore.Path
	line string
}

// lives returns step, which takes the person's next step and reports whether there was one, and stop, which ends them.
func (e *person) lives() (step func() bool, stop func()) {
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		e.pause = func() { yield(struct{}{}) }
		for i := range 4 {
			e.pause()
			e.save([]mdstore.Path{hub, hub, leaf}[e.rng.IntN(3)], fmt.Sprintf("typed %d;\n", i))
		}
	})
	return func() bool {
		fail := e.c.Fail
		e.c.Fail = nil // Fail is for calls of commits only
		_, more := next()
		e.c.Fail = fail
		return more
	}, stop
}

func (e *person) did(format string, args ...any) {
	e.c.Log = append(e.c.Log, "    they "+fmt.Sprintf(format, args...))
}

func (e *person) save(p mdstore.Path, line string) {
	data, _, err := e.c.ReadFile(p, mdstore.MaxFileSize)
	if err != nil {
		return
	}
	was := string(data)
	e.did("read %s: %q", p, was)
	e.pause()
	at, added := len(was), line
	if i := strings.Index(was, "## Note\n"); i >= 0 && e.rng.IntN(2) == 0 {
		at = i + len("## Note\n")
	} else if !strings.HasSuffix(was, "\n") {
		added = "\n" + line
	}
	if e.write(p, e.rng.IntN(6), was[:at]+added+was[at:], was) {
		e.did("have saved %s: %q", p, line)
		e.saves = append(e.saves, saving{p, line})
	}
}

// write saves text in p in the way of one of the editors, and reports whether that succeeded.
func (e *person) write(p mdstore.Path, habit int, text, was string) bool {
	c := e.c
	switch habit {
	case 0: // truncated, then written
		return e.fill(p, "", text)
	case 1: // written over, truncated at the end
		return e.fill(p, was, text)
	case 2: // a temporary file and a rename
		_ = c.Remove(p + ".new")
		if c.Create(p+".new", []byte(text), "") != nil {
			return false
		}
		e.pause()
		return c.Rename(p+".new", p) == nil
	case 3: // a backup that is removed at the end
		if c.Rename(p, p+"~") != nil {
			return false
		}
		e.pause()
		if err := c.Create(p, nil, ""); err != nil && !errors.Is(err, fs.ErrExist) || !e.fill(p, "", text) {
			return false
		}
		e.pause()
		return c.Remove(p+"~") == nil
	case 4: // deleted and created again
		if c.Remove(p) != nil {
			return false
		}
		e.pause()
		if err := c.Create(p, nil, ""); err != nil && !errors.Is(err, fs.ErrExist) {
			// The folder is gone, and they deleted the file themselves, so their earlier saves in it do not count.
			e.saves = slices.DeleteFunc(e.saves, func(s saving) bool { return s.at == p })
			return false
		}
		return e.fill(p, "", text)
	}
	added, ok := strings.CutPrefix(text, was)
	if !ok || !strings.HasSuffix(added, ";\n") { // more than their line is added
		return e.fill(p, "", text)
	}
	return e.pour(p, added, func(w *Writer, part string) { w.Write(append(w.Read(), part...)) })
}

// fill overwrites the rest of a file, left, with text.
func (e *person) fill(p mdstore.Path, left, text string) bool {
	done := ""
	return e.pour(p, text, func(w *Writer, part string) {
		done += part
		whole := done
		if len(whole) < len(left) && whole != text {
			whole += left[len(whole):]
		}
		w.Write([]byte(whole))
	})
}

// pour opens a file and writes text to it in one to three parts.
func (e *person) pour(p mdstore.Path, text string, write func(w *Writer, part string)) bool {
	if _, err := e.c.Lstat(p); err != nil {
		return false
	}
	w := e.c.Open(p)
	write(w, "") // it may truncate the file
	e.did("have opened %s", p)
	for parts := 1 + e.rng.IntN(3); parts > 0; parts-- {
		e.pause()
		n := len(text) / parts
		write(w, text[:n])
		text = text[n:]
	}
	e.pause()
	w.Close()
	return true
}

// A company is a person, and processes that commit to the same files, one after the other.
type company struct {
	*person
	x    *explorer
	k    *journal.Committer
	more bool // whether the person has steps left
	n    int  // number of tokens made
	die  int  // the call at which the process is killed
}

// process starts another process, which first recovers unfinished work. If it is killed meanwhile, the next one starts.
func (v *company) process() {
	for alive := false; !alive; {
		v.k = v.x.committer(v.c)
		v.k.Token = func() string { v.n++; return fmt.Sprintf("%08d", v.n) }
		v.die = v.rng.IntN(400)
		alive = !until(func() {
			if v.k.Recover() != nil || v.k.Sweep() != nil {
				panic(dies{}) // the next process starts over
			}
		})
	}
}

// edit returns the changes that set the status, or add a log entry, in a file as it is now.
func (v *company) edit(p mdstore.Path, i int) (out []mdstore.Change) {
	data, _, err := v.c.ReadFile(p, mdstore.MaxFileSize)
	status, rest, ok := strings.Cut(string(data), "\n")
	if err != nil || !ok {
		return nil // the person is writing it
	}
	if v.rng.IntN(2) == 0 {
		status = fmt.Sprintf("status=%d", i)
	} else if strings.Contains(rest, "## Log") {
		rest = strings.TrimSuffix(rest, "\n") + fmt.Sprintf("\n- entry %d\n", i)
	}
	return []mdstore.Change{{Path: p, Base: mdstore.VersionOf(data), New: []byte(status + "\n" + rest)}}
}

// commit does the work of a process that has the lock: it first merges displaced files.
func (v *company) commit(i int) {
	_ = v.k.Displaced(began)
	var changes []mdstore.Change
	switch what := v.rng.IntN(16); {
	case what < 6:
		changes = v.edit(hub, i)
	case what < 8:
		changes = v.edit(leaf, i)
	case what < 15:
		changes = append(v.edit(hub, i), v.edit(leaf, i)...)
	case i > 4:
		changes = append(v.edit(hub, i), mdstore.Change{Path: leaf.Dir(), To: mdstore.TrashPath(fmt.Sprint(i), leaf.Dir())})
	}
	if err := v.k.Commit(changes, began); errors.As(err, new(*mdstore.UnfinishedError)) {
		panic(dies{}) // the next process finishes it
	}
}

// spend runs a company to its end. It returns the number of saves, and what is wrong, "" for nothing.
func spend(seed uint64, noLeases bool) (saves int, wrong string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	text := []byte("status=0\n\n## Note\nnoted\n\n## Log\n- entry\n")
	x := explorerOf(Options{NoLeases: noLeases})
	x.files = map[mdstore.Path][]byte{hub: text, leaf: text}
	v := &company{person: &person{c: x.disk(), rng: rng}, x: x, more: true}
	step, stop := v.lives()
	defer stop()
	often := 1 + rng.IntN(8)
	v.c.Fail = func(string) error { // the person takes at most one step per call of a process
		if v.more && rng.IntN(often) == 0 {
			v.more = step()
		}
		if v.die--; v.die == 0 {
			v.c.Log = append(v.c.Log, "KILLED")
			panic(dies{})
		}
		return nil
	}
	v.process()
	for i := 0; i < 40 && v.more; i++ {
		for n := rng.IntN(4); n > 0 && v.more; n-- {
			v.more = step()
		}
		x.now += int64(rng.IntN(30) / 28)
		v.c.Log = append(v.c.Log, fmt.Sprintf("COMMIT %d", i))
		if until(func() { v.commit(i) }) {
			v.process()
		}
	}
	for v.more {
		v.more = step()
	}
	v.c.Fail = nil
	v.process()
	for range 4 { // a merge may displace files, which are merged next
		x.now += 3600
		_ = v.k.Displaced(began)
	}
	files := v.c.Files()
	for _, s := range v.saves {
		found := false
		for p, data := range files {
			found = found || strings.Contains(data, s.line) && !strings.HasPrefix(p.Base(), journal.TempPrefix)
		}
		if !found {
			return len(v.saves), fmt.Sprintf("lost: %q of %s\n%s\n%q", s.line, s.at, strings.Join(v.c.Log, "\n"), files)
		}
	}
	return len(v.saves), ""
}

// A person saves files to which processes commit, at any moment and in the way of any editor. No line of theirs is
// lost, also if a commit has displaced the file that they write to, and if they read the file before their earlier save
// was merged back and saved it afterwards.
func TestNoSaveIsLostAmongCommits(t *testing.T) {
	lives := uint64(2000)
	if heavy {
		lives = 30_000
	}
	for _, noLeases := range []bool{false, true} {
		saves := 0
		for life := range lives {
			seed := life
			if life == 0 {
				seed = 11864 // the process dies between a merge and the copy of what the merge lacks
			}
			n, wrong := spend(seed, noLeases)
			if saves += n; wrong != "" {
				t.Fatalf("seed %d, no leases %v: %s", seed, noLeases, wrong)
			}
		}
		t.Logf("no leases %v: %d saves", noLeases, saves)
	}
}

// The person reads the file before their earlier save was merged back, and saves it afterwards.
func TestWhatIsMergedStaysForADay(t *testing.T) {
	v := displaced(t, false)
	v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
	v.w.Close()
	v.look(0, ours+"four\n", 2)
	v.c.Save(shared, []byte(ours+"five\n"))
	v.x.now += 20 * 3600
	if err := v.k.Displaced(began); err != nil || !told(v.c, "four\n") {
		t.Errorf("lost: %q, error %v", v.c.Files(), err)
	}
}

// While a late save is merged, the person saves the file once more, and then deletes it.
func TestSavedAndDeletedWhileALateSaveIsMerged(t *testing.T) {
	v := displaced(t, false)
	v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
	v.w.Close()
	exchanges := 0
	v.c.Fail = func(call string) error {
		if strings.HasPrefix(call, "exchange ") {
			switch exchanges++; exchanges {
			case 1:
				v.c.Save(shared, []byte(ours+"five\n"))
			case 2:
				if err := v.c.Remove(shared); err != nil {
					t.Error(err)
				}
			}
		}
		return nil
	}
	if err := v.k.Displaced(began); err != nil {
		t.Error(err)
	}
	if exchanges < 2 || !told(v.c, "four\n") || !told(v.c, "five\n") {
		t.Errorf("%d exchanges: %q", exchanges, v.c.Files())
	}
	beside := false
	for p, data := range v.c.Files() {
		beside = beside || strings.Contains(data, "five\n") && strings.Contains(p.Base(), journal.ConflictMark)
		if strings.HasPrefix(p.Base(), journal.TempPrefix) {
			t.Errorf("left: %s", p)
		}
	}
	if !beside {
		t.Errorf("what they saved last does not lie beside the file: %q", v.c.Files())
	}
}
