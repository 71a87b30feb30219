package live

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Read calls f, which only reads, and loads the documents that it uses: f runs over views that note the use of a
// document which is not loaded, and runs again with those documents, until none is missing. All that f sees of one
// workspace is of one state, unless a program saves a file at that very moment: then f runs over the view with that
// file as it is. f must not pass a view on.
func (l *Vault) Read(ctx context.Context, f func(context.Context) error) error {
	if gatherOf(ctx, l) != nil {
		return f(ctx)
	}
	return newGather(l).run(ctx, f)
}

// ReadAgain is Read for files that an operation has just read: it uses kept documents without looking at the disk.
func (l *Vault) ReadAgain(ctx context.Context, f func(context.Context) error) error {
	g := newGather(l)
	g.again = true
	return g.run(ctx, f)
}

// Plan is Read for a function that works on one workspace. Its result belongs to the last view that it got; base is
// that view without documents.
func (l *Vault) Plan(ctx context.Context, id mdstore.ID, f func(v *view.View) error) (base *view.View, err error) {
	if base, err = l.current(ctx, id, false); err != nil {
		return nil, err
	}
	return l.Over(ctx, base, f)
}

// Over is Plan over a view that the caller has.
func (l *Vault) Over(ctx context.Context, v *view.View, f func(v *view.View) error) (base *view.View, err error) {
	g, id := newGather(l), v.Workspace().ID
	g.base[id] = v
	err = g.run(ctx, func(ctx context.Context) error {
		v, err := g.view(ctx, id)
		if err == nil {
			err = f(v)
		}
		return err
	})
	return g.base[id], err
}

// gatherRounds is how often an operation runs again with more documents. Each round loads all documents that the round
// before asked for.
const gatherRounds = 50

type gatherKey struct{}

func gatherOf(ctx context.Context, l *Vault) *gather {
	if g, _ := ctx.Value(gatherKey{}).(*gather); g != nil && g.vault == l {
		return g
	}
	return nil
}

// A gather holds the views and documents of one operation.
type gather struct {
	vault *Vault
	base  map[mdstore.ID]*view.View
	docs  map[mdstore.Path]*mdoc.Doc
	runs  map[mdstore.ID]*view.View // of this run
	again bool                      // kept documents are as good as files
}

func newGather(l *Vault) *gather {
	return &gather{vault: l, docs: map[mdstore.Path]*mdoc.Doc{}, base: map[mdstore.ID]*view.View{}}
}

// run calls f until no document is missing of those that it uses.
func (g *gather) run(ctx context.Context, f func(context.Context) error) error {
	for range gatherRounds {
		g.runs = map[mdstore.ID]*view.View{}
		err := f(context.WithValue(ctx, gatherKey{}, g))
		again, failed := g.lookForPages(ctx)
		if failed != nil {
			return failed
		}
		if again {
			continue
		}
		wanted := g.wanted()
		if len(wanted) == 0 || ctx.Err() != nil {
			return err
		}
		if err := g.load(ctx, wanted); err != nil {
			return err
		}
	}
	return errs.New(errs.Conflicting, "the files keep changing while they are read; try again")
}

func (g *gather) view(ctx context.Context, id mdstore.ID) (*view.View, error) {
	if v := g.runs[id]; v != nil {
		return v, nil
	}
	base := g.base[id]
	if base == nil {
		var err error
		if base, err = g.vault.current(ctx, id, false); err != nil {
			return nil, err
		}
		g.base[id] = base
	}
	g.runs[id] = base.Recording(g.docs)
	return g.runs[id], nil
}

// lookForPages gives the views pages whose run has asked for them, and reports whether it did. Documents are loaded
// anew then, as the files may have changed.
func (g *gather) lookForPages(ctx context.Context) (did bool, err error) {
	for id, v := range g.runs {
		if v.LacksPages() && ctx.Err() == nil {
			if g.base[id], err = g.vault.current(ctx, id, true); err != nil {
				return false, err
			}
			did = true
			clear(g.docs)
		}
	}
	return did, nil
}

func (g *gather) wanted() map[mdstore.ID][]view.Wanted {
	out := map[mdstore.ID][]view.Wanted{}
	for id, v := range g.runs {
		if files := v.Wanted(); len(files) > 0 {
			out[id] = files
		}
	}
	return out
}

// load reads documents, several at once. If a file differs from the view, the view gets its present content.
func (g *gather) load(ctx context.Context, wanted map[mdstore.ID][]view.Wanted) error {
	for id, all := range wanted {
		files, errors := make([]mdstore.File, len(all)), make([]error, len(all))
		together := ctx
		if len(all) > 1 {
			paths := make([]mdstore.Path, len(all))
			for i, w := range all {
				paths[i] = w.Path
			}
			together = mdstore.WithReads(ctx, paths)
		}
		each(len(all), func(i int) { files[i], errors[i] = g.read(together, all[i]) })
		if err := ctx.Err(); err != nil {
			return err
		}
		var moved []mdstore.File
		for i, w := range all {
			if err := errors[i]; err != nil {
				return err
			}
			f := files[i]
			if g.docs[w.Path] = g.vault.parsed(f, w.Form); f.Version != w.Version {
				moved = append(moved, f)
				g.vault.Heed(true, w.Path)
			}
		}
		if len(moved) > 0 {
			g.base[id] = g.base[id].WithLean(moved...)
		}
	}
	return nil
}

// settleSteps are the pauses while a file that an operation needs is being saved: a second and more in all.
var settleSteps = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 400 * time.Millisecond}

// read reads a file: once a program that is in the middle of saving it is done, for as long as settleSteps.
func (g *gather) read(ctx context.Context, w view.Wanted) (mdstore.File, error) {
	if kept := g.vault.kept(w.Path); g.again && kept.Version == w.Version {
		return kept, nil
	}
	for step := 0; ; step++ {
		f, err := g.vault.st.Read(ctx, w.Path)
		switch {
		case ctx.Err() != nil:
			return f, ctx.Err()
		case err == nil && f.Version == w.Version && !g.vault.saving(w.Path):
			return f, nil
		case err != nil && Passing(err):
			return f, err
		case errors.Is(err, fs.ErrNotExist):
			f = mdstore.File{Path: w.Path}
		}
		if step == len(settleSteps) || !g.beingSaved(f, err) {
			g.vault.settle([]mdstore.Path{w.Path, w.Path.Dir()}, false) // others need not wait for it once more
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return f, err
		}
		select {
		case <-g.vault.opt.After(settleSteps[step]):
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
}

// beingSaved reports whether a changed file may be an unfinished save. If the store reports saves, it also reports
// when they have settled. Otherwise a file that is missing or damaged just after a change gets time.
func (g *gather) beingSaved(f mdstore.File, err error) bool {
	l := g.vault
	l.mu.Lock()
	m, marked := l.dirty[f.Path]
	following := l.following
	l.mu.Unlock()
	if following {
		return !marked || !m.settled
	}
	if err != nil || f.Version.IsZero() {
		return true
	}
	doc, _ := mdoc.Parse(string(f.Path), f.Data, mdstore.NodeForm)
	return !f.Stamp.Proven && doc.Editable() != nil
}

// saving reports whether the view has a file as it was read while a program may have been saving it.
func (l *Vault) saving(p mdstore.Path) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dirty[p].shown || l.dirty[p.Dir()].shown
}

// each calls f for each number below n, a few at a time.
func each(n int, f func(int)) {
	const workers = 4
	if n < 2*workers {
		for i := range n {
			f(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}

// A docs keeps parsed documents by path and version, so that the same bytes are parsed only once. A reader must read
// the file anyway to know its version.
type docs struct {
	mu    sync.Mutex
	all   map[mdstore.Path]mdstore.File // guarded by mu: with their documents
	bytes int                           // guarded by mu: of all
}

// docsMost is how many bytes of documents are kept; beyond that, all are dropped.
const docsMost = 1 << 20

// parsed returns the document of a file.
func (d *docs) parsed(f mdstore.File, form *mdoc.Form) *mdoc.Doc {
	if kept := d.kept(f.Path); kept.Doc != nil && kept.Version == f.Version {
		return kept.Doc
	}
	f.Doc, _ = mdstore.ParseFile(f.Path, f.Data, form)
	d.Keep(f)
	return f.Doc
}

// kept returns the last kept file of a path; the zero File if there is none.
func (d *docs) kept(p mdstore.Path) mdstore.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[p]
}

// Keep keeps the documents of files that have one, for operations that read them next.
func (d *docs) Keep(files ...mdstore.File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range files {
		if f.Doc == nil {
			continue
		}
		if d.bytes += len(f.Data) - len(d.all[f.Path].Data); d.bytes > docsMost || d.all == nil {
			d.all, d.bytes = map[mdstore.Path]mdstore.File{}, len(f.Data)
		}
		d.all[f.Path] = f
	}
}
