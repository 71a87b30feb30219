package main

import (
	"errors"
	"sync"
	"time"

	"arbor/engine"
	"arbor/mdstore"
)

// manyWriters is how many write at once.
const manyWriters = 16

// together clocks so many callers at once, each doing its share of calls.
func together(callers, calls int, do func(caller, call int) error) (time.Duration, error) {
	errs := make([]error, callers)
	var wg sync.WaitGroup
	begin := time.Now()
	for c := range callers {
		wg.Go(func() {
			for i := 0; i < calls && errs[c] == nil; i++ {
				errs[c] = do(c, i)
			}
		})
	}
	wg.Wait()
	return time.Since(begin), errors.Join(errs...)
}

func (b *bench) writers() (rows []row, err error) {
	o, _, err := b.v.read(b.ctx)
	if err != nil {
		return nil, err
	}
	nodes := b.v.leaves(16 * manyWriters)
	folders, done, err := b.v.limitFolders(nodes[:min(manyWriters, len(nodes))])
	defer func() { err = errors.Join(err, done(), o.st.Close()) }()
	if err != nil {
		return nil, err
	}
	const calls = 8
	appends := func(id mdstore.ID) error {
		_, _, err := o.AppendLog(b.ctx, workspaceID, id, "Looked at it once more", engine.Act{})
		return err
	}
	text := nodePage(b.v.plan, b.deep())
	turn := 0
	all, err := b.effort.few(30).inTurn(
		func() (time.Duration, error) {
			turn++
			return together(manyWriters, calls, func(c, i int) error { return appends(nodes[(c+manyWriters*(i+turn))%len(nodes)]) })
		},
		func() (time.Duration, error) {
			turn++
			return together(1, 2*calls, func(_, i int) error { return appends(nodes[(i+turn)%len(nodes)]) })
		},
		func() (time.Duration, error) {
			return together(len(folders), calls, func(c, i int) error { return folders[c].replace(mdstore.NodeFile, text) })
		},
		func() (time.Duration, error) {
			return together(1, 2*calls, func(_, i int) error { return folders[i%len(folders)].replace(mdstore.NodeFile, text) })
		})
	if err != nil {
		return nil, err
	}
	many, one := manyWriters*calls/all[0].median().Seconds(), 2*calls/all[1].median().Seconds()
	raw, rawOne := float64(len(folders)*calls)/all[2].median().Seconds(), 2*calls/all[3].median().Seconds()
	return []row{
		{Name: "16 writers at once, one process: log_append", Arbor: many, Unit: perSecond, Against: "one writer", Limit: one, Form: atLeast, Target: 3},
		{Name: "the same against raw saves at once", Arbor: many, Unit: perSecond, Against: "16 threads: " + savesName, Limit: raw, Form: told},
		{Name: "what raw saves at once come to", Arbor: raw, Unit: perSecond, Against: "one thread: " + savesName, Limit: rawOne, Form: told},
	}, nil
}
