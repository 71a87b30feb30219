package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"arbor/mdstore"
)

// A request is a commit that was sent. The token tells it from a commit of another process with the same number.
type request struct {
	generation int64
	token      string
}

// A draft is a commit while it is made.
type draft struct {
	*Store
	c       conn
	changes []mdstore.Change
	op      *mdstore.Operation // nil for none
	within  *update            // the Update that holds the lock of the vault, nil for none

	generation int64 // before the commit
	now        int64 // by the server's clock, Unix nanoseconds
	files      map[string]was
	below      map[string]bool // paths with files below them

	absent, folders []string // keys where guard looks for files: of those that are new, and of the folders above them
	keeps           []string // keys of files that must still have
	bases           [][]byte // these versions
}

// was is a file before the commit.
type was struct {
	version mdstore.Version
	data    []byte // only for a commit of an operation
}

// Commit makes every change or none.
func (s *Store) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if err := check(changes); err != nil {
		return mdstore.Result{}, err
	}
	if err := s.acquire(ctx); err != nil {
		return mdstore.Result{}, err
	}
	defer s.release()
	return s.commit(ctx, changes, nil)
}

func check(changes []mdstore.Change) error {
	if err := mdstore.CheckChanges(changes); err != nil {
		return err
	}
	for _, c := range changes {
		for _, p := range []mdstore.Path{c.Path, c.To} {
			if p == "" {
				continue
			}
			if err := valid("commit", p); err != nil {
				return err
			}
		}
	}
	return nil
}

// acquire waits until no other goroutine of this store may commit.
func (s *Store) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another commit is being made: %w", ctx.Err())
	}
}

func (s *Store) release() { <-s.turn }

// commit is Commit for whoever holds the turn. A commit that was certainly not made, because the connection was lost,
// is made again. One within an Update is durable only when that has ended.
func (s *Store) commit(ctx context.Context, changes []mdstore.Change, within *update) (res mdstore.Result, err error) {
	if err := s.settle(ctx); err != nil {
		return mdstore.Result{}, err
	}
	err = s.again(ctx, func() error {
		c, err := s.get(ctx)
		if err != nil {
			return err
		}
		defer s.put(c)
		d := &draft{Store: s, c: c, changes: changes, op: mdstore.OperationOf(ctx), within: within}
		res, err = d.make(ctx)
		return err
	})
	return res, s.said(err)
}

// make makes a commit over one connection: in one message if the store knows the files that the changes are compared
// with, and otherwise in two.
func (d *draft) make(ctx context.Context) (mdstore.Result, error) {
	if d.within != nil && d.recall() {
		res, err := d.send(ctx, append(d.beginning(), d.guard()))
		if codeOf(err) != guarded {
			return res, err
		}
		_, _ = d.c.run(ctx, sql("ROLLBACK"))
	}
	if err := d.begin(ctx); err != nil {
		return mdstore.Result{}, err
	}
	if err := d.fits(); err != nil {
		_, _ = d.c.run(ctx, sql("ROLLBACK"))
		return mdstore.Result{}, err
	}
	return d.send(ctx, []stmt{sql(d.in("UPDATE SCHEMA.vaults SET generation = $2 WHERE n = $1"), d.n, d.generation+1)})
}

// send makes the changes. before are the statements that go before those that write.
func (d *draft) send(ctx context.Context, before []stmt) (mdstore.Result, error) {
	res := mdstore.Result{Versions: mdstore.VersionsOf(d.changes)}
	writes, steps := d.writes()
	if len(writes) == 0 {
		if d.c.TxStatus() != 'I' {
			_, _ = d.c.run(ctx, sql("ROLLBACK"))
		}
		res.Generation = d.shifted(d.generation)
		return res, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return mdstore.Result{}, err
	}
	r := &request{d.generation + 1, rand.Text()}
	res.Generation = d.shifted(r.generation)
	notes, keys := d.notes(r, steps)
	all := slices.Concat(before, writes, notes)
	all = append(all, sql("COMMIT"))
	sent := len(all)
	if d.within == nil {
		all = append(all, d.ring(r.generation))
	}
	ctx = context.WithoutCancel(ctx) // in the middle of a commit, giving up would leave its outcome open
	got, err := d.c.run(ctx, all...)
	switch {
	case len(got) >= sent: // a failure after that only costs others a second
		if d.within != nil {
			d.within.made = append(d.within.made, *r)
			d.committed(d.generation, r, keys, slices.Concat(got[len(before):len(before)+len(writes)]...))
		}
		return res, nil
	case !lost(err):
		return mdstore.Result{}, err
	}
	if err := d.madeOr(ctx, *r, err); err != nil {
		return mdstore.Result{}, err
	}
	return res, nil
}

// ring announces a commit. It is a transaction of its own, which waits for no disk.
func (s *Store) ring(generation int64) stmt {
	return sql("SELECT "+maybeLost+", pg_notify($1, $2)", s.channel(), fmt.Sprint(generation))
}

// lockWait is how long one attempt to get the lock of the vault takes.
const lockWait = 10 * time.Second

// beginning starts a transaction in which a lost client gives its locks back. how is onDisk or maybeLost.
func beginning(how string) []stmt {
	return []stmt{
		sql("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
		sql("SELECT set_config('lock_timeout', $1, true), "+
			"set_config('idle_in_transaction_session_timeout', '60s', true), "+how, fmt.Sprint(lockWait.Milliseconds())),
	}
}

// onDisk makes the transaction durable when it ends, also where the server is set to less; maybeLost lets a failure of
// the server take it back, until a later one is on the disk.
const (
	onDisk = `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
		ELSE current_setting('synchronous_commit') END, true)`
	maybeLost = "set_config('synchronous_commit', 'off', true)"
)

// beginning starts the transaction of the commit.
func (d *draft) beginning() []stmt {
	if d.within != nil {
		return beginning(maybeLost)
	}
	return beginning(onDisk)
}

// stateSQL returns the generation of the vault and the time.
const stateSQL = `SELECT generation, (extract(epoch from clock_timestamp()) * 1000000::numeric)::bigint
	FROM SCHEMA.vaults WHERE n = $1 AND id = $2`

// begin locks the vault and reads what the changes are compared with.
func (d *draft) begin(ctx context.Context) error {
	var keys, touched []string
	add := func(p mdstore.Path) {
		touched = append(touched, d.key(p))
		for ; p != ""; p = p.Dir() {
			if key := d.key(p); !slices.Contains(keys[max(0, len(keys)-8):], key) {
				keys = append(keys, key)
			}
		}
	}
	for _, c := range d.changes {
		if add(c.Path); c.To != "" {
			add(c.To)
		}
	}
	all := d.beginning()
	if d.within == nil {
		all = append(all, sql("SELECT pg_advisory_xact_lock($1)", d.lockKey()))
	}
	bytes := "''::bytea"
	if d.op != nil {
		bytes = "bytes"
	}
	at := len(all)
	all = append(all,
		sql(d.in(stateSQL+" FOR UPDATE"), d.n, d.id),
		sql(d.in("SELECT path, sha256(bytes), "+bytes+" FROM SCHEMA.files WHERE vault = $1 AND path = ANY($2)"), d.n, keys),
		sql(d.in(belowSQL), d.n, touched))
	got, err := d.c.run(ctx, all...)
	if codeOf(err) == "55P03" {
		return d.busy()
	}
	if err != nil {
		return err
	}
	if len(got[at]) == 0 {
		return fmt.Errorf("vault %s: %w", d.address, mdstore.ErrReplaced)
	}
	d.generation, d.now = number(got[at][0][0]), micros(got[at][0][1])
	d.files, d.below = map[string]was{}, map[string]bool{}
	for _, row := range got[at+1] {
		w := was{data: row[2]}
		copy(w.version[:], row[1])
		if w.data == nil {
			w.data = []byte{}
		}
		d.files[string(row[0])] = w
	}
	for _, row := range got[at+2] {
		d.below[string(row[0])] = true
	}
	return nil
}

// busy returns the error for a lock that another program did not give back.
func (s *Store) busy() error {
	return &mdstore.BusyError{What: "another program holds the lock of the vault for " + lockWait.String() + " and more",
		Where: s.address.String(), End: "let it end, or end its connection (pg_stat_activity, pg_terminate_backend)"}
}

// fits compares every path with its base.
func (d *draft) fits() error {
	var moved []mdstore.Path
	for _, c := range d.changes {
		for _, p := range []mdstore.Path{c.Path, c.To} {
			for dir := p.Dir(); dir != ""; dir = dir.Dir() {
				if _, is := d.files[d.key(dir)]; is {
					return unreadable(dir, "NOT_A_FILE", "is a file where a folder is needed")
				}
			}
		}
		f, is := d.files[d.key(c.Path)]
		below := d.below[d.key(c.Path)]
		switch {
		case c.To != "":
			_, taken := d.files[d.key(c.To)]
			if !is && !below {
				moved = append(moved, c.Path)
			} else if taken || d.below[d.key(c.To)] {
				moved = append(moved, c.To)
			}
		case !is && below:
			return folder(c.Path)
		case f.version != c.Base:
			moved = append(moved, c.Path)
		}
	}
	if len(moved) > 0 {
		return &mdstore.ConflictError{Paths: moved}
	}
	return nil
}

// madeOr returns nil if a commit was made whose answer was lost because of err, and otherwise err or an
// *mdstore.UnfinishedError.
func (s *Store) madeOr(ctx context.Context, r request, err error) error {
	s.doubt.Store(true)
	s.mu.Lock()
	s.asked = append(s.asked, r)
	s.mu.Unlock()
	made, unknown := s.outcome(ctx, r)
	switch {
	case unknown != nil:
		return &mdstore.UnfinishedError{Err: errors.Join(err, unknown), Unknown: true}
	case made:
		return nil
	}
	return err
}

// outcome looks whether a commit was made. It waits until the server has ended its transaction, and until what it finds
// is on the disk.
func (s *Store) outcome(ctx context.Context, r request) (made bool, err error) {
	var got [][][][]byte
	err = s.again(ctx, func() error {
		c, err := s.get(ctx)
		if err != nil {
			return err
		}
		defer s.put(c)
		all := append(beginning(onDisk), sql(s.in("SELECT n FROM SCHEMA.vaults WHERE n = $1 FOR UPDATE"), s.n),
			sql(s.in("SELECT token FROM SCHEMA.generations WHERE vault = $1 AND number = $2"), s.n, r.generation), sql("COMMIT"))
		got, err = c.run(ctx, all...)
		return err
	})
	if err != nil {
		return false, err
	}
	found := got[len(got)-2]
	s.mu.Lock()
	s.asked = slices.DeleteFunc(s.asked, func(x request) bool { return x == r })
	s.mu.Unlock()
	return len(found) > 0 && string(found[0][0]) == r.token, nil
}

// settle waits until the outcome of earlier commits is known, so that what is read and written now comes after them.
func (s *Store) settle(ctx context.Context) error {
	s.mu.Lock()
	open := slices.Clone(s.asked)
	s.mu.Unlock()
	for _, r := range open {
		made, err := s.outcome(ctx, r)
		if err != nil {
			return err
		}
		s.log.Info("the outcome of a commit whose connection was lost is known", "made", made)
	}
	return nil
}
