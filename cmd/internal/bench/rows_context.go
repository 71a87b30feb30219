package main

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"arbor/context/assemble"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A reader is a node whose context is asked for, with the files that the context is made of, relative to nodes/.
type reader struct {
	id    mdstore.ID
	files []string
}

// readers returns about so many nodes from all over the plan.
func (v *vault) readers(count int) []reader {
	children := make(map[int][]int, len(v.plan))
	for i := range v.plan {
		children[v.plan[i].parent] = append(children[v.plan[i].parent], i)
	}
	var all []reader
	step := max(1, len(v.plan)/count)
	if step%len(shape) == 0 {
		step-- // not the same place of every part
	}
	for i := len(v.plan) - 1; i > 0; i -= step {
		touched := []int{i}
		for up := i; up > 0 && !v.plan[up].isolated(); {
			up = v.plan[up].parent
			touched = append(touched, up)
		}
		touched = append(touched, children[i]...)
		if v.plan[i].refers() && !slices.Contains(touched, i-1) {
			touched = append(touched, i-1)
		}
		r := reader{v.plan[i].id, []string{filepath.Join("..", mdstore.WorkspaceFile)}}
		for _, j := range touched {
			r.files = append(r.files, v.files[j])
			if v.plan[j].documented() && !slices.Contains(r.files, documentFromNodes) {
				r.files = append(r.files, documentFromNodes)
			}
		}
		all = append(all, r)
	}
	return all
}

// documentFromNodes is the project's document, relative to nodes/.
var documentFromNodes = filepath.Join("..", "..", "..", filepath.FromSlash(document))

func (b *bench) contexts() (rows []row, err error) {
	o, _, err := b.v.read(b.ctx)
	if err != nil {
		return nil, err
	}
	f, err := openFolder(b.v.nodes)
	if err != nil {
		return nil, errors.Join(err, o.st.Close())
	}
	defer func() { err = errors.Join(err, f.close(), o.st.Close()) }()
	readers := b.v.readers(64)
	next := 0 // the reader whose turn it is: the same for all that are timed in a round
	of := func(ask func(reader) error) timed {
		return func() (time.Duration, error) {
			r := readers[next/3%len(readers)]
			next++
			return clock(func() error { return ask(r) })
		}
	}
	bundle := func(r reader) error {
		_, err := o.Context(b.ctx, workspaceID, r.id, assemble.Options{})
		return err
	}
	var first samples
	for _, r := range readers {
		took, err := clock(func() error { return bundle(r) })
		if err != nil {
			return nil, err
		}
		first = append(first, took)
	}
	env := &ops.Env{Engine: o.Engine, Workspace: workspaceID}
	all, err := b.effort.more(100).inTurn(
		of(bundle),
		of(func(r reader) error {
			for _, name := range r.files {
				if err := f.stat(name); err != nil {
					return err
				}
			}
			return nil
		}),
		of(func(r reader) error {
			_, err := ops.ContextGet(b.ctx, env, ops.ContextGetIn{NodeID: string(r.id), Format: "markdown"})
			return err
		}))
	if err != nil {
		return nil, err
	}
	stats := "stat of the files it is made of"
	rows = []row{
		ratio("context from an open engine, touched files validated", all[0], stats, all[1], 2.5),
		atMost("the same, 99 of 100", all[0].at(0.99), 100*time.Microsecond),
		ratio("context_get as Markdown, as front ends ask for it", all[2], stats, all[1], 0),
		{Name: "first context of a node, bodies not read yet", Arbor: first.median().Seconds(), Unit: inSeconds, Form: told},
	}
	rows[2].Form = told
	return rows, nil
}

// leaves returns the execution nodes of the parts that are worked in, at most so many of them.
func (v *vault) leaves(most int) (all []mdstore.ID) {
	for i := range v.plan {
		t := &v.plan[i]
		if len(all) < most && t.kind == statemachine.Execution && t.part >= 0 && (t.part%kinds == inWork || t.part%kinds == inWorkToo) {
			all = append(all, t.id)
		}
	}
	return all
}
