//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"arbor/engine"
	"arbor/engine/live"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// What is too short to be measured in a whole process is measured in this one. No other file knows the engine.

// An inside is a vault with a store and an engine on it.
type inside struct {
	*engine.Engine
	st   *dirstore.Store
	call func(operation string, args map[string]any) error
}

// open opens a vault and reads the metadata of all nodes.
func (b *bench) open(v *vault) *inside {
	st := must(dirstore.Open(v.dir, dirstore.Options{}))
	e := must(engine.Open(b.ctx, st, engine.Options{Vault: v.dir, Project: v.project}))
	if n := must(e.View(b.ctx, workspaceID)).Len(); n < len(v.plan) {
		check(fmt.Errorf("%d of %d nodes were read", n, len(v.plan)))
	}
	env, named := &ops.Env{Engine: e, Where: ops.Where{Workspace: workspaceID}}, map[string]ops.Operation{}
	for _, o := range ops.All() {
		named[o.Name] = o
	}
	return &inside{e, st, func(operation string, args map[string]any) error {
		_, err := named[operation].Call(b.ctx, env, must(json.Marshal(args)))
		return err
	}}
}

// timed clocks a call of an operation.
func (o *inside) timed(operation string, args map[string]any) float64 {
	return clock(func() { check(o.call(operation, args)) })
}

func (b *bench) opens() []row {
	opening := func(before func() error) sample {
		return func() float64 {
			check(before())
			runtime.GC() // so that it does not pay for the garbage of others
			var o *inside
			took := clock(func() { o = b.open(b.v) })
			check(o.st.Close())
			return took
		}
	}
	forget := func() error { return os.RemoveAll(b.v.local()) }
	cold := b.inTurn(0.5, opening(forget), b.v.each(2, folder.read), b.v.each(2, folder.readAndStat))
	rows := []row{
		seconds(cold[0], "open, read, close of each file, 2 threads", cold[1], 0, "cold open, nothing cached by Arbor"),
		seconds(cold[0], "that and stat of each file and its folder", cold[2], 0, "the same against all that must be asked for"),
	}
	const dropped = "cold open, page cache dropped too"
	if why := dropCaches(); why != nil {
		rows = append(rows, row{name: dropped, skipped: "the page cache cannot be dropped: " + why.Error()})
	} else {
		raw := b.v.each(64, folder.read)
		all := b.inTurn(0.15,
			opening(func() error { return errors.Join(forget(), dropCaches()) }),
			func() float64 { check(dropCaches()); return raw() })
		rows = append(rows, seconds(all[0], "raw reads, 64 threads", all[1], 0, dropped))
	}
	warm := b.inTurn(0.5, opening(func() error { return nil }), b.v.each(2, folder.stat), b.v.each(2, folder.statBoth))
	return append(rows,
		seconds(warm[0], "stat of each file, 2 threads", warm[1], 3, "warm open, every file validated"),
		seconds(warm[0], "stat of each file and its folder", warm[2], 0, "the same against all that must be asked for"))
}

func (b *bench) contexts() []row {
	inUse := func() float64 {
		runtime.GC()
		runtime.GC() // what finalizers held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	empty := inUse()
	o := b.open(b.v)
	memory := row{name: "memory of an open engine, bodies not read", unit: "B", arbor: inUse() - empty}
	memory.target = 20e6 * max(1, float64(len(b.v.plan))/10_000)
	turn, first := 0, samples{}
	get := func() float64 {
		turn++
		return o.timed("context_get", map[string]any{"nodeId": b.v.plan[b.v.other(turn%64)].id, "format": "markdown"})
	}
	for range 64 {
		first = append(first, get())
	}
	again := b.inTurn(100, get)[0]
	check(o.st.Close())
	return []row{
		memory,
		seconds(first, "", nil, 0, "first context_get of a node, its body not read yet"),
		seconds(again, "", nil, 0.0005, "context_get in an open engine"),
		seconds(samples{again.at(0.99)}, "", nil, 0, "the same, 99 of 100"),
	}
}

// commits compares transitions with the least that a durable save costs, on the disk and in memory.
func (b *bench) commits() []row {
	rows := b.commitsIn(b.v, "transition of one node, durable", 2)
	dir, err := os.MkdirTemp("/dev/shm", "arbor-bench-")
	const name = "transition of one node, in memory (tmpfs)"
	if err != nil {
		return append(rows, row{name: name, skipped: "there is no /dev/shm"})
	}
	defer os.RemoveAll(dir)
	return append(rows, b.commitsIn(generate(filepath.Join(dir, "project"), len(b.v.plan)), name, 0)[0])
}

func (b *bench) commitsIn(v *vault, name string, target float64) []row {
	o, text := b.open(v), []byte(v.text(len(v.plan)/2))
	nodes, folders, turn, next := v.inWork(64), v.limitFolders(9, text), 0, map[string]int{}
	act := func(node, action string) float64 {
		return o.timed("node_transition", map[string]any{"nodeId": node, "action": action, "conclusion": "Done.", "cascade": action == "reopen"})
	}
	several := func(n int) sample { // transitions of different nodes; what is over is reopened, and that not timed
		return func() (sum float64) {
			for range n {
				turn++
				node := nodes[turn%len(nodes)]
				if next[node]%3 == 2 {
					act(node, "reopen")
					next[node]++
				}
				sum += act(node, []string{"submit", "complete"}[next[node]%3])
				next[node]++
			}
			return sum / float64(n)
		}
	}
	saves := func(n int) sample {
		return func() float64 {
			turn++
			return clock(func() {
				for i := range n {
					check(folders[(turn+i)%len(folders)].save(text))
				}
			})
		}
	}
	all := b.inTurn(5, several(1), several(8), saves(1))
	chain, apart := b.chain(o), samples{}
	cascade := b.inTurn(1, func() float64 {
		took, sum := act(chain[7], "reopen"), 0.0
		for i := range chain {
			sum += act(chain[7-i], "complete")
		}
		apart = append(apart, sum)
		return took
	}, saves(9))
	check(o.st.Close())
	return []row{
		seconds(all[0], saving, all[2], target, "%s", name),
		seconds(all[1], saving, all[2], 0, "8 of them in a row, each"),
		seconds(cascade[0], "eight transitions of one file", apart, 0, "transition that cascades over 8 files"),
		seconds(cascade[0], "nine times: "+saving, cascade[1], 2, "the same against raw saves"),
	}
}

// chain makes eight nodes below one another, the last of them in work, completes them from the last up, and returns
// them.
func (b *bench) chain(o *inside) (chain []string) {
	under := string(mdstore.Root)
	for i := range 8 {
		title, kind := fmt.Sprint("Level ", i), "planning"
		if i == 7 {
			kind = "execution"
		}
		check(o.call("node_create", map[string]any{"parentId": under, "type": kind, "title": title, "requirement": "All of it", "rulesHash": mdstore.RulesHash(rules)}))
		for n := range must(o.View(b.ctx, workspaceID)).All() {
			if n.Title == title {
				under = string(n.ID)
			}
		}
		chain = append(chain, under)
	}
	check(o.call("node_transition", map[string]any{"nodeId": chain[7], "action": "start"}))
	for i := range chain {
		check(o.call("node_transition", map[string]any{"nodeId": chain[7-i], "action": "complete", "conclusion": "Done."}))
	}
	return chain
}

// besideSmall compares calls with the same calls in a vault of 100 nodes.
func (b *bench) besideSmall() (rows []row) {
	small := generate(filepath.Join(b.work, "small"), 100)
	var creates, logs []sample
	for _, v := range []*vault{b.v, small} {
		o, turn, nodes := b.open(v), 0, v.inWork(64)
		defer o.st.Close()
		creates = append(creates, func() float64 {
			turn++
			return o.timed("node_create", map[string]any{"parentId": v.plan[5+turn%4].id, "type": "execution", "title": fmt.Sprint("New ", turn),
				"requirement": "All of it", "rulesHash": mdstore.RulesHash(rules)})
		})
		logs = append(logs, func() float64 {
			turn++
			return o.timed("log_append", map[string]any{"nodeId": nodes[turn%len(nodes)], "operator": "AI", "event": "Looked at it once more"})
		})
	}
	create, log := b.inTurn(3, creates...), b.inTurn(3, logs...)
	return []row{
		seconds(create[0], "at 100", create[1], 0, "node_create at %d nodes", len(b.v.plan)),
		seconds(log[0], "at 100", log[1], 0, "log_append at %d nodes", len(b.v.plan)),
	}
}

// writers has 16 callers at once append to the logs of nodes of their own.
func (b *bench) writers() []row {
	const writers, calls = 16, 8
	o, text := b.open(b.v), []byte(b.v.text(len(b.v.plan)/2))
	nodes, folders := b.v.inWork(4*writers), b.v.limitFolders(writers, text)
	perSecond := func(callers int, do func(caller, call int) error) sample {
		return func() float64 {
			errs := make([]error, callers)
			took := clock(func() {
				var all sync.WaitGroup
				for c := range callers {
					all.Go(func() {
						for i := 0; i < calls && errs[c] == nil; i++ {
							errs[c] = do(c, i)
						}
					})
				}
				all.Wait()
			})
			check(errors.Join(errs...))
			return float64(callers*calls) / took
		}
	}
	logs := func(c, i int) error {
		return o.call("log_append", map[string]any{"nodeId": nodes[(c+writers*i)%len(nodes)], "operator": "AI", "event": "Looked at it once more"})
	}
	raw := func(c, _ int) error { return folders[c].save(text) }
	all := b.inTurn(0.5, perSecond(writers, logs), perSecond(1, logs), perSecond(writers, raw), perSecond(1, raw))
	check(o.st.Close())
	rate := func(name string, of samples, against string, limit samples) row {
		return row{name: name, unit: "1/s", arbor: of.median(), against: against, limit: limit.median()}
	}
	return []row{
		rate("16 writers at once, one process: log_append", all[0], "one writer", all[1]),
		rate("the same against raw saves at once", all[0], "16 threads: "+saving, all[2]),
		rate("16 raw saves at once", all[2], "one thread", all[3]),
	}
}

// reloads measures reloads of files that are saved in place: first with Heed called for each path, then with Follow.
func (b *bench) reloads() []row {
	const quiet = 100 * time.Millisecond // the watcher waits so long after a save
	o, turn, allocations, views := b.open(b.v), 0, samples{}, samples{}
	save := func() (i int, version mdstore.Version) {
		turn++
		i = b.v.other(turn)
		text := b.v.text(i) + fmt.Sprintf("\nround %d\n", turn)
		write(b.v.file(i), text)
		return i, mdstore.VersionOf([]byte(text))
	}
	view := func(i int, version mdstore.Version) (took float64) {
		var s *view.View
		took = clock(func() { s = must(o.View(b.ctx, workspaceID)) })
		if n := must(s.Known(b.v.plan[i].id)); n.Version() != version {
			check(fmt.Errorf("a save of %s does not show", n.ID))
		}
		return took
	}
	told := b.inTurn(10, func() float64 {
		i, version := save()
		o.Live().Heed(true, mdstore.NodePath(workspaceID, b.v.plan[i].id))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		took := view(i, version)
		runtime.ReadMemStats(&after)
		allocations = append(allocations, float64(after.Mallocs-before.Mallocs))
		return took
	})[0]
	ctx, stop := context.WithCancel(b.ctx)
	news, ready, ended := make(chan struct{}, 1000), make(chan struct{}), make(chan error, 1)
	go func() { ended <- o.Follow(ctx, func() { close(ready) }, func(live.News) { news <- struct{}{} }) }()
	<-ready
	followed := b.inTurn(1, func() float64 {
		for len(news) > 0 {
			<-news
		}
		begin := time.Now()
		i, version := save()
		<-news
		views = append(views, view(i, version))
		return (time.Since(begin) - quiet).Seconds()
	})[0]
	stop()
	<-ended
	check(o.st.Close())
	return []row{
		seconds(told, "", nil, 0, "reload of one changed file whose save has settled"),
		seconds(samples{told.at(0.99)}, "", nil, 0, "the same, 99 of 100"),
		{name: "allocations of such a reload", arbor: allocations.median()},
		seconds(views, "", nil, 0, "from the news of a save to the view, followed"),
		seconds(followed, "", nil, 0, "a save to the view that shows it, beyond the 100 ms of quiet"),
	}
}
