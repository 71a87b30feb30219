package ops_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/crashtest"
)

// faults are what a disk may say.
var faults = []error{syscall.EIO, syscall.ENOSPC, syscall.EACCES}

// A troubledStore refuses one of its calls besides commits: a read, an entry of a listing, a file in a scan, a local
// file; and where the trouble lasts, every later one for the same file. What a commit reads and writes, the disk
// refuses.
type troubledStore struct {
	*dirstore.Store
	reads, at int
	err       error
	lasts     bool

	mu  sync.Mutex   // documents are read side by side
	bad mdstore.Path // guarded by mu, as reads: the file that was refused
}

func (s *troubledStore) refuse(p mdstore.Path) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reads++; s.reads == s.at {
		s.bad = p
	}
	if s.reads == s.at || s.lasts && s.at > 0 && s.reads > s.at && p == s.bad {
		return &fs.PathError{Op: "read", Path: string(p), Err: s.err}
	}
	return nil
}

func (s *troubledStore) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if err := s.refuse(p); err != nil {
		return mdstore.File{}, err
	}
	return s.Store.Read(ctx, p)
}

func (s *troubledStore) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	if err := s.refuse(p); err != nil {
		return mdstore.Stamp{}, err
	}
	return s.Store.Stat(ctx, p)
}

// List yields the file that cannot be read with the error.
func (s *troubledStore) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		for f, err := range s.Store.List(ctx, under) {
			if bad := s.refuse(f.Path); bad != nil && err == nil {
				err = bad
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Scan returns the file that cannot be read as a broken one.
func (s *troubledStore) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	whole, err := s.Store.Scan(ctx, workspace, kinds...)
	if err != nil {
		return nil, err
	}
	out := &mdstore.Scan{Others: whole.Others, Broken: slices.Clone(whole.Broken), Work: whole.Work}
	for _, r := range whole.Records {
		if bad := s.refuse(r.Path); bad != nil {
			out.Broken = append(out.Broken, mdstore.Broken{Path: r.Path, Err: bad})
		} else {
			out.Records = append(out.Records, r)
		}
	}
	return out, nil
}

func (s *troubledStore) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	if err := s.refuse(name); err != nil {
		return nil, err
	}
	return s.Store.ReadLocal(ctx, name)
}

func (s *troubledStore) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	if err := s.refuse(name); err != nil {
		return err
	}
	return s.Store.WriteLocal(ctx, name, data)
}

func (s *troubledStore) RemoveLocal(ctx context.Context, name mdstore.Path) error {
	if err := s.refuse(name); err != nil {
		return err
	}
	return s.Store.RemoveLocal(ctx, name)
}

func (s *troubledStore) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	return s.Store.Update(ctx, func(tx mdstore.Tx) error { return f(troubledTx{tx, s}) })
}

// A troubledTx is the store inside Update.
type troubledTx struct {
	mdstore.Tx
	s *troubledStore
}

func (x troubledTx) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if err := x.s.refuse(p); err != nil {
		return mdstore.File{}, err
	}
	return x.Tx.Read(ctx, p)
}

// A trial is one operation on a vault of its own, of which one call fails.
type trial struct {
	dir     string
	disk    crashtest.Trouble
	st      *troubledStore
	engine  *engine.Engine
	started map[string]string // the vault before the operation
}

const untouched = "ws-old/Workspace.md" // no sample changes its workspace

func newTrial(t *testing.T) *trial {
	t.Helper()
	x := &trial{dir: string(settle(t, t.TempDir(), plan()))}
	st, err := x.disk.Open(x.dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	x.st = &troubledStore{Store: st}
	x.engine = clocked(t, x.st)
	for _, id := range []mdstore.ID{ws, "ws-old"} { // the engine has views already, and the operation scans the vault again
		if _, err := x.engine.View(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	x.started = x.vault(t)
	x.engine.Refresh()
	x.disk.Calls, x.st.reads = 0, 0
	return x
}

// clocked opens an engine whose clock stands still and whose ids count by prefix: a plan that is repeated may no longer
// need the id of a slot, which must not change the ids of entries.
func clocked(t *testing.T, st mdstore.Store) *engine.Engine {
	ids := map[string]int{}
	e, err := engine.Open(t.Context(), st, engine.Options{Now: func() time.Time { return enginetest.Start }, NewID: func(prefix string) (mdstore.ID, error) {
		ids[prefix]++
		return mdstore.ID(fmt.Sprintf("%s-mjv3xk00-%06d", prefix, ids[prefix])), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// vault returns the files outside of .local/, and those in the trash.
func (x *trial) vault(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(x.dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), dirstore.TempPrefix) || p == untouched ||
			strings.HasPrefix(p, mdstore.LocalDir+"/") && !strings.HasPrefix(p, mdstore.LocalDir+"/trash/") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(x.dir, p))
		out[p] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// run makes the operation and returns its error.
func (x *trial) run(name string, args map[string]any) error {
	o, _ := ops.Find(name)
	_, err := o.Call(tctx, &ops.Env{Engine: x.engine}, enginetest.Args(args))
	return err
}

// committed reports whether an error says that the change is made all the same.
func committed(err error) bool {
	e := errs.As(err)
	return e != nil && e.Details != nil && e.Details.Committed
}

// after checks the vault after a failed call: nothing is changed or, where the error says so, all of it; and the next
// operation works.
func (x *trial) after(t *testing.T, what string, err error, done map[string]string) {
	t.Helper()
	x.disk.At, x.st.at = 0, 0
	want := done
	if err != nil && !committed(err) {
		want = x.started
		if _, ok := errors.AsType[*errs.Error](err); !ok {
			t.Errorf("%s: a %T, not an *errs.Error: %v", what, err, err)
		}
		if got := x.vault(t); !maps.Equal(got, want) {
			t.Errorf("%s: the error is %v, but something changed: %v", what, err, differing(want, got))
		}
	}
	if next := x.run("log_append", map[string]any{"workspaceId": "ws-old", "operator": "AI", "event": "and on"}); next != nil {
		t.Errorf("%s (%v): the next operation: %v", what, err, next)
	}
	if data, e := os.ReadFile(filepath.Join(x.dir, untouched)); e != nil || strings.Count(string(data), "and on") != 1 {
		t.Errorf("%s (%v): the next operation wrote %q, %v", what, err, data, e)
	}
	got := x.vault(t)
	if want != nil && !maps.Equal(got, want) {
		t.Errorf("%s: the error is %v, and after the next operation this differs: %v", what, err, differing(want, got))
	}
	x.fresh(t, what)
	if e := x.st.Close(); e != nil {
		t.Error(e)
	}
}

// fresh compares the views of the engine with those of an engine that is opened now.
func (x *trial) fresh(t *testing.T, what string) {
	t.Helper()
	st, err := dirstore.Open(x.dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	other := clocked(t, st)
	all, err := other.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		x.engine.Refresh() // as front ends do
		mine, err := x.engine.View(t.Context(), w.ID)
		if err != nil {
			t.Errorf("%s: %s: %v", what, w.ID, err)
			continue
		}
		its, err := other.View(t.Context(), w.ID)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := versions(mine), versions(its); !maps.Equal(a, b) {
			t.Errorf("%s: the engine knows %v\nthe files are %v", what, a, b)
		}
	}
}

func versions(s *view.View) map[mdstore.Path]mdstore.Version {
	out := map[mdstore.Path]mdstore.Version{s.Workspace().Path: s.Workspace().Version}
	for n := range s.All() {
		out[n.Path] = n.Version()
	}
	return out
}

func differing(want, got map[string]string) (out []string) {
	for p := range want {
		if g, ok := got[p]; !ok || g != want[p] {
			out = append(out, fmt.Sprintf("%s: want %q, got %q (there: %v)", p, want[p], g, ok))
		}
	}
	for p, g := range got {
		if _, ok := want[p]; !ok {
			out = append(out, fmt.Sprintf("%s is new: %q", p, g))
		}
	}
	return out
}

// Each operation is made once for each call that it makes to the store and the disk, and that call fails, or all for
// that file: what succeeds has done all that it does, an error says truly whether anything was changed, and the next
// operation works.
func TestEveryCallOfEveryOperationFailsOnce(t *testing.T) {
	for _, o := range ops.WithoutGit() {
		for i, args := range samples[o.Name] {
			t.Run(fmt.Sprintf("%s/%d", o.Name, i), func(t *testing.T) {
				t.Parallel()
				whole := newTrial(t)
				if err := whole.run(o.Name, args); err != nil {
					t.Fatal(err)
				}
				done, calls, reads := whole.vault(t), whole.disk.Calls, whole.st.reads
				whole.after(t, "no fault", nil, done)
				failed, decided := 0, 0
				first, step := 0, 1
				if !heavy {
					first, step = len(o.Name)%8, 8
				}
				for k := first; k < calls+reads; k += step {
					kinds := faults
					if !heavy {
						kinds = faults[k%len(faults) : k%len(faults)+1]
					}
					for i, fault := range kinds {
						x := newTrial(t)
						x.st.lasts = (i+k/step)%2 == 0
						if x.disk.Err, x.st.err = fault, fault; k < calls {
							x.disk.At = k + 1
						} else {
							x.st.at = k - calls + 1
						}
						err := x.run(o.Name, args)
						if err != nil {
							failed++
						}
						if committed(err) {
							decided++
						}
						what := fmt.Sprintf("%v at call %d of %d, read %d: %s", fault, k+1, calls, k-calls+1, cmp.Or(x.disk.What, string(x.st.bad)))
						x.after(t, what, err, done)
					}
				}
				t.Logf("%d calls, %d reads: %d failures, %d of them decided", calls, reads, failed, decided)
				if failed == 0 && heavy && !forThisMachine[o.Name] && o.Name != "workspace_gc" { // which names what it keeps
					t.Error("nothing failed")
				}
			})
		}
	}
}

// check --fix does not mark a reference to a node whose file cannot be read: it may be readable again in a moment.
func TestFixSparesReferencesToUnreadableNodes(t *testing.T) {
	x := newTrial(t)
	defer x.st.Close()
	file := filepath.Join(x.dir, ws, "nodes", "node-b", mdstore.NodeFile)
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o755)); err != nil {
		t.Fatal(err)
	}
	x.engine.Refresh()
	if err := x.run("workspace_check", map[string]any{"workspaceId": ws, "fix": true}); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(x.dir, ws, "nodes", "node-a", mdstore.NodeFile)
	if data, err := os.ReadFile(at); err != nil || !strings.Contains(string(data), "- node-b: builds on\n") {
		t.Errorf("the reference to a node that cannot be read is touched: %q, error %v", data, err)
	}
}
