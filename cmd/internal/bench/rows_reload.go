package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/mdstore"
)

// quiet is how long the watcher waits after the last sign of a save before it says that the save has settled.
const quiet = 100 * time.Millisecond

// A saver saves files of a vault as people do: in place, another text each time.
type saver struct {
	v     *vault
	round int
}

// next saves the next file and returns it as it is now.
func (s *saver) next() (f mdstore.File, id mdstore.ID, err error) {
	name, f, id, err := s.text()
	if err != nil {
		return f, id, err
	}
	return f, id, os.WriteFile(name, f.Data, 0o644)
}

// text returns the next file's name and what is to be saved in it.
func (s *saver) text() (name string, f mdstore.File, id mdstore.ID, err error) {
	s.round++
	i := 1 + s.round*7919%(len(s.v.plan)-1)
	name = filepath.Join(s.v.nodes, s.v.files[i])
	text, err := os.ReadFile(name)
	text = fmt.Appendf(text, "\nround %d\n", s.round)
	id = s.v.plan[i].id
	return name, mdstore.File{Path: mdstore.NodePath(workspaceID, id), Version: mdstore.VersionOf(text), Data: text}, id, err
}

// shows returns an error where the snapshot does not show a save.
func shows(s *engine.Snapshot, id mdstore.ID, f mdstore.File) error {
	n, err := s.Known(id)
	if err == nil && n.Version() != f.Version {
		err = fmt.Errorf("the snapshot does not show what was saved in %s", f.Path)
	}
	return err
}

func (b *bench) reload() ([]row, error) {
	here, err := b.reloads(b.v)
	if err != nil {
		return nil, err
	}
	small, err := b.small()
	if err != nil {
		return nil, err
	}
	there, err := b.reloads(small)
	if err != nil {
		return nil, err
	}
	told, err := b.followed()
	if err != nil {
		return nil, err
	}
	return append([]row{
		atMost("reload of one changed file whose save has settled", here.took.median(), time.Millisecond),
		atMost("the same, 99 of 100", here.took.at(0.99), time.Millisecond),
		{
			Name: "allocations of such a reload", Arbor: here.allocations, Against: "at 100 nodes", Limit: there.allocations,
			Form: times, Target: math.Log(float64(max(b.nodes, 100)))/math.Log(100) + 0.1,
		},
	}, told...), nil
}

// A reloading is what reloads cost.
type reloading struct {
	took        samples
	allocations float64 // of one, on average
}

// reloads saves files and tells the engine of each, as its watcher does.
func (b *bench) reloads(v *vault) (r reloading, err error) {
	o, _, err := v.read(b.ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, o.st.Close()) }()
	s := &saver{v: v}
	var before, after runtime.MemStats
	var sum uint64
	one := func() (time.Duration, error) {
		f, id, err := s.next()
		if err != nil {
			return 0, err
		}
		o.Heed(f.Path)
		var snap *engine.Snapshot
		runtime.ReadMemStats(&before)
		took, err := clock(func() error {
			snap, err = o.Snapshot(b.ctx, workspaceID)
			return err
		})
		runtime.ReadMemStats(&after)
		if err != nil {
			return 0, err
		}
		sum += after.Mallocs - before.Mallocs
		return took, shows(snap, id, f)
	}
	all, err := b.effort.more(10).inTurn(one)
	if err != nil {
		return r, err
	}
	return reloading{all[0], float64(sum) / float64(len(all[0])+1)}, nil
}

// followed has the engine follow the files. It measures how long after a save has settled a snapshot shows it, and looks for snapshots of half a save
// while others save slowly.
func (b *bench) followed() (rows []row, err error) {
	o, _, err := b.v.read(b.ctx)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(b.ctx)
	news, ready := make(chan struct{}, 1000), make(chan struct{})
	var following sync.WaitGroup
	var failed error
	following.Go(func() {
		failed = o.Follow(ctx, sync.OnceFunc(func() { close(ready) }), func(engine.News) { news <- struct{}{} })
		close(news)
	})
	defer func() { stop(); following.Wait(); err = errors.Join(err, o.st.Close()) }()
	select {
	case <-ready:
	case <-news:
		const name = "a save to the snapshot that shows it"
		return skipped(name, "the vault cannot be followed: "+fmt.Sprint(failed)), nil
	}
	if _, err := o.Snapshot(ctx, workspaceID); err != nil {
		return nil, err
	}
	s := &saver{v: b.v, round: 1 << 20}
	var reload samples
	one := func() (time.Duration, error) {
		f, id, err := s.next()
		if err != nil {
			return 0, err
		}
		saved := time.Now()
		if err := await(news); err != nil {
			return 0, err
		}
		begin := time.Now()
		snap, err := o.Snapshot(ctx, workspaceID)
		if err != nil {
			return 0, err
		}
		reload = append(reload, time.Since(begin))
		return time.Since(saved) - quiet, shows(snap, id, f)
	}
	all, err := b.effort.more(2).inTurn(one)
	if err != nil {
		return nil, err
	}
	torn, looks, contexts, err := b.torn(ctx, o, s, news)
	if err != nil {
		return nil, err
	}
	beyond := row{Name: "a save to the snapshot that shows it, beyond the 100 ms of quiet", Arbor: all[0].median().Seconds(), Unit: inSeconds, Form: told}
	beyond.Note = fmt.Sprintf("99 of 100: %v", all[0].at(0.99).Round(10*time.Microsecond))
	return []row{
		atMost("from the news of a save to the snapshot, followed", reload.median(), time.Millisecond),
		atMost("the same, 99 of 100", reload.at(0.99), time.Millisecond),
		beyond,
		{Name: "torn reads", Note: fmt.Sprintf("%d looks and %d contexts while files were saved in two halves", looks, contexts), Arbor: float64(torn), Form: alone},
	}, nil
}

// await waits for news of a save, and takes what came along with it.
func await(news <-chan struct{}) error {
	select {
	case <-news:
	case <-time.After(100 * quiet):
		return errors.New("no news came of a save")
	}
	for len(news) > 0 {
		<-news
	}
	return nil
}

// torn has files saved in two halves, some milliseconds apart, while they are looked at, in turns: by snapshots, which hold what front matter says, and by contexts, which
// hold the text. A snapshot is torn where it does not have the node as it was and will be, a context where it is not all of the file before the save or all of it after;
// and so is what does not show the save once that has settled.
func (b *bench) torn(ctx context.Context, o *opened, s *saver, news <-chan struct{}) (torn, looks, contexts int, err error) {
	begin := time.Now()
	for round := 0; round < b.effort.rounds && (round < 4 || time.Since(begin) < b.effort.budget); round++ {
		name, f, _, err := s.text()
		if err != nil {
			return 0, 0, 0, err
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return 0, 0, 0, err
		}
		was, is := mdstore.ParseNode(mdstore.File{Path: f.Path, Version: mdstore.VersionOf(old), Data: old}), mdstore.ParseNode(f)
		saved := make(chan error, 1)
		go func() { saved <- inHalves(name, f.Data, 5*time.Millisecond) }()
		look, count := wholeNode, &looks
		if round%2 > 0 {
			look, count = wholeContext, &contexts
		}
		for settled := false; !settled; {
			whole, err := look(ctx, o, was, is)
			if err != nil {
				return 0, 0, 0, err
			}
			if *count++; !whole {
				torn++
			}
			select {
			case err := <-saved:
				if err != nil {
					return 0, 0, 0, err
				}
				if err := await(news); err != nil {
					return 0, 0, 0, err
				}
				settled = true
			case <-time.After(100 * time.Microsecond):
			}
		}
		for _, look := range []func(context.Context, *opened, ...*mdstore.Node) (bool, error){wholeNode, wholeContext} {
			if whole, err := look(ctx, o, is); err != nil {
				return 0, 0, 0, err
			} else if !whole {
				torn++
			}
		}
	}
	return torn, looks, contexts, nil
}

// wholeNode reports whether the snapshot has a node as one of these states of it.
func wholeNode(ctx context.Context, o *opened, states ...*mdstore.Node) (bool, error) {
	snap, err := o.Snapshot(ctx, workspaceID)
	if err != nil {
		return false, err
	}
	n, err := snap.Known(states[0].ID)
	return err == nil && len(n.Problems) == 0 && slices.ContainsFunc(states, func(w *mdstore.Node) bool {
		return n.Title == w.Title && n.Status == w.Status && n.Parent == w.Parent
	}), nil
}

// wholeContext reports whether the context of a node has the text of one of these states of it, and all of it.
func wholeContext(ctx context.Context, o *opened, states ...*mdstore.Node) (bool, error) {
	c, err := o.Context(ctx, workspaceID, states[0].ID, assemble.Options{MaxLogEntries: -1})
	if err != nil {
		return false, err
	}
	is := c.Focus()
	return slices.ContainsFunc(states, func(w *mdstore.Node) bool {
		return is.Version == w.Version().String() && is.Title == w.Title && is.Requirement == w.Requirement() && is.Note == w.Note() && len(is.LogEntries) == len(w.Log())
	}), nil
}

// inHalves truncates a file and writes it in two halves, with a pause in between.
func inHalves(name string, text []byte, pause time.Duration) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(text[:len(text)/2]); err != nil {
		return err
	}
	time.Sleep(pause)
	_, err = f.Write(text[len(text)/2:])
	return err
}
