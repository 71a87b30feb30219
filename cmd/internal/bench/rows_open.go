package main

import (
	"fmt"
	"runtime"
	"time"
)

// opens clocks opening the vault with a new store and engine, up to the snapshot of all metadata. before is done first and not counted.
func (b *bench) opens(before func() error) timed {
	return func() (time.Duration, error) {
		if err := before(); err != nil {
			return 0, err
		}
		var o *opened
		count := 0
		took, err := collected(func() error {
			at, s, err := b.v.read(b.ctx)
			if err == nil {
				o, count = at, s.Len()
			}
			return err
		})
		if err != nil {
			return 0, err
		}
		if err := o.st.Close(); err != nil {
			return 0, err
		}
		if count < b.nodes {
			return 0, fmt.Errorf("the snapshot has %d nodes, and there are %d", count, b.nodes)
		}
		return took, nil
	}
}

func nothing() error { return nil }

func (b *bench) coldOpen() ([]row, error) {
	all, err := b.effort.few(40).inTurn(b.opens(b.v.forget),
		func() (time.Duration, error) { return b.v.readAll(2) },
		func() (time.Duration, error) { return b.v.scanAll(2) })
	if err != nil {
		return nil, err
	}
	rows := []row{
		ratio("cold open, nothing cached by Arbor", all[0], "raw open, read, close of each file, 2 threads", all[1], 1.5),
		ratio("the same against all that must be asked for", all[0], "that and the stamps of each file and its folder", all[2], 0),
	}
	rows[1].Form = told
	return rows, nil
}

func (b *bench) droppedOpen() ([]row, error) {
	const name = "cold open, page cache dropped too"
	if err := dropCaches(); err != nil {
		return skipped(name, "the page cache cannot be dropped: "+err.Error()), nil
	}
	all, err := b.effort.few(9).inTurn(
		b.opens(func() error {
			if err := b.v.forget(); err != nil {
				return err
			}
			return dropCaches()
		}),
		func() (time.Duration, error) {
			if err := dropCaches(); err != nil {
				return 0, err
			}
			return b.v.readAll(64)
		})
	if err != nil {
		return nil, err
	}
	return []row{ratio(name, all[0], "raw reads, 64 threads", all[1], 1.3)}, nil
}

func (b *bench) warmOpen() ([]row, error) {
	again := b.opens(nothing)
	for range 2 { // the index is there from the second time on
		if _, err := again(); err != nil {
			return nil, err
		}
	}
	all, err := b.effort.few(40).inTurn(again,
		func() (time.Duration, error) { return b.v.statAll(2) },
		func() (time.Duration, error) { return b.v.lookAll(2) })
	if err != nil {
		return nil, err
	}
	rows := []row{
		ratio("warm open, every file validated", all[0], "stat of each file, 2 threads", all[1], 1.3),
		ratio("the same against all that must be asked for", all[0], "stat of each file and its folder, 2 threads", all[2], 0),
	}
	rows[1].Form = told
	return rows, nil
}

// memoryOf10k is what the metadata of 10,000 nodes may take.
const memoryOf10k = 12e6

func (b *bench) memory() ([]row, error) {
	o, err := b.v.open(b.ctx)
	if err != nil {
		return nil, err
	}
	defer o.st.Close()
	empty := live()
	s, err := o.Snapshot(b.ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	full := live()
	runtime.KeepAlive(s)
	return []row{{
		Name: "memory of the metadata of all nodes, over an empty engine", Arbor: float64(full) - float64(empty), Unit: inBytes,
		Form: alone, Target: memoryOf10k * float64(b.nodes) / 10_000,
	}}, nil
}

// live returns the bytes of the heap that are in use.
func live() uint64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
