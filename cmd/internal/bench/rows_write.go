package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A worker moves nodes through their life cycles, each step in one file: the next of them each time.
type worker struct {
	*opened
	b     *bench
	v     *vault
	nodes []mdstore.ID
	turn  int
}

// act makes a transition and says how many files it changed.
func (w *worker) act(id mdstore.ID, do statemachine.Action, cascade bool) (int, error) {
	t, err := w.Transition(w.b.ctx, workspaceID, engine.Transition{Node: id, Action: do, Conclusion: "It works, as the test shows.", Cascade: cascade}, engine.Act{})
	if err != nil {
		return 0, err
	}
	return len(t.Files), nil
}

// begun brings a node to where its next transition changes nothing but its own file, which is what the workspace's focus follows.
func (w *worker) begun(id mdstore.ID) (next statemachine.Action, err error) {
	for {
		s, err := w.Snapshot(w.b.ctx, workspaceID)
		if err != nil {
			return "", err
		}
		n, err := s.Known(id)
		if err != nil {
			return "", err
		}
		do := statemachine.Start
		switch n.Status {
		case statemachine.Implementing:
			return statemachine.Submit, nil
		case statemachine.Validating:
			return statemachine.Complete, nil
		case statemachine.Completed:
			do = statemachine.Reopen
		case statemachine.Failed:
			do = statemachine.Retry
		}
		if _, err := w.act(id, do, false); err != nil {
			return "", err
		}
	}
}

// step clocks one transition of one file, until it is durable. What is cleared away afterwards is over before the next one is clocked.
func (w *worker) step() (time.Duration, error) {
	id := w.nodes[w.turn%len(w.nodes)]
	w.turn++
	do, err := w.begun(id)
	if err == nil {
		err = w.v.rest()
	}
	if err != nil {
		return 0, err
	}
	files := 0
	took, err := clock(func() error {
		var err error
		files, err = w.act(id, do, false)
		return err
	})
	if err == nil && files != 1 {
		err = fmt.Errorf("%s of %s changed %d files", do, id, files)
	}
	return took, err
}

// inARow is how many transitions are made one after the other.
const inARow = 8

// row clocks transitions of nodes that are begun, one after the other, until the last one is cleared away after, and returns the time of one.
func (w *worker) row() (time.Duration, error) {
	type todo struct {
		id mdstore.ID
		do statemachine.Action
	}
	var next []todo
	for range inARow {
		id := w.nodes[w.turn%len(w.nodes)]
		w.turn++
		do, err := w.begun(id)
		if err != nil {
			return 0, err
		}
		next = append(next, todo{id, do})
	}
	if err := w.v.rest(); err != nil {
		return 0, err
	}
	took, err := clock(func() error {
		for _, n := range next {
			if _, err := w.act(n.id, n.do, false); err != nil {
				return err
			}
		}
		return w.v.rest()
	})
	return took / inARow, err
}

// rest waits until what was committed is cleared away after: until then the number of the last commit is odd.
func (v *vault) rest() error {
	for {
		data, err := os.ReadFile(filepath.Join(v.dir, mdstore.LocalDir, "sequence"))
		if err != nil {
			return err
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(data)), 16, 64); err != nil || n%2 == 0 {
			return err
		}
		time.Sleep(20 * time.Microsecond) // who looks all the time keeps a processor from those who are waited for
	}
}

// rested clocks f, and returns when what it has committed is cleared away after, which is not counted.
func (v *vault) rested(f func() error) (time.Duration, error) {
	took, err := clock(f)
	return took, errors.Join(err, v.rest())
}

// limitFolders makes a folder for each node beside the vault, for the files that the limit is measured with. done closes them and is to be called in any case.
func (v *vault) limitFolders(nodes []mdstore.ID) (all []folder, done func() error, err error) {
	done = func() (err error) {
		for _, f := range all {
			err = errors.Join(err, f.close())
		}
		return err
	}
	for _, id := range nodes {
		name := filepath.Join(v.project, "limit", string(id), mdstore.NodeFile)
		if err := writeFile(name, nil); err != nil {
			return nil, done, err
		}
		f, err := openFolder(filepath.Dir(name))
		if err != nil {
			return nil, done, err
		}
		all = append(all, f)
	}
	return all, done, nil
}

// saves clocks what a durable save of the nodes' files costs at least, one after the other.
func (v *vault) saves(nodes []mdstore.ID, folders []folder) timed {
	turn := 0
	return func() (time.Duration, error) {
		i := turn % len(nodes)
		turn++
		text, err := os.ReadFile(filepath.Join(v.nodes, string(nodes[i]), mdstore.NodeFile))
		if err != nil {
			return 0, err
		}
		return clock(func() error { return folders[i].replace(mdstore.NodeFile, text) })
	}
}

const savesName = "file beside it, fsync, rename, fsync of the folder"

func (b *bench) transitions() ([]row, error) {
	rows, err := b.transitionsOn(b.v, "transition of one node, durable", 1.1)
	if err != nil {
		return nil, err
	}
	const name = "the same in memory (tmpfs)"
	shm := sharedMemory()
	if shm == "" {
		return append(rows, skipped(name, "there is no /dev/shm")...), nil
	}
	dir, err := os.MkdirTemp(shm, "arbor-bench-")
	if err != nil {
		return append(rows, skipped(name, err.Error())...), nil
	}
	defer os.RemoveAll(dir)
	v, err := generate(dir, b.nodes)
	if err != nil {
		return nil, err
	}
	more, err := b.transitionsOn(v, name, 2)
	return append(rows, more...), err
}

func (b *bench) transitionsOn(v *vault, name string, target float64) (rows []row, err error) {
	o, _, err := v.read(b.ctx)
	if err != nil {
		return nil, err
	}
	w := &worker{opened: o, b: b, v: v, nodes: v.leaves(128)}
	folders, done, err := v.limitFolders(w.nodes)
	defer func() { err = errors.Join(err, done(), o.st.Close()) }()
	if err != nil {
		return nil, err
	}
	all, err := b.effort.more(5).inTurn(w.step, w.row, v.saves(w.nodes, folders))
	if err != nil {
		return nil, err
	}
	raw := all[2]
	rows = []row{ratio(name, all[0], savesName, raw, target), ratio(fmt.Sprintf("%d of them in a row, each", inARow), all[1], savesName, raw, 0)}
	rows[1].Form = told
	return rows, nil
}
