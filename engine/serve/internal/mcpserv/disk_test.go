package mcpserv

import (
	"context"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A fullDisk fails every commit.
type fullDisk struct {
	mdstore.Store
	err error
}

func (d *fullDisk) Unwrap() mdstore.Store { return d.Store }

func (d *fullDisk) Update(context.Context, func(mdstore.Tx) error) error { return d.err }

// If the disk refuses a write, the tool fails and says what helps. So it does if a change is made but not finished.
func TestTroubleOfADiskIsAToolThatFailed(t *testing.T) {
	on := func(err error) error { return &fs.PathError{Op: "write", Path: "ws/Workspace.md", Err: err} }
	for _, c := range []struct {
		err  error
		code errs.Code
		text string
	}{
		{on(syscall.ENOSPC), errs.DiskError, "nothing was changed: free space, and try again"},
		{on(syscall.EDQUOT), errs.DiskError, "quota"},
		{on(syscall.EROFS), errs.DiskError, "mount the file system for writing"},
		{on(syscall.EIO), errs.DiskError, "look at the disk"},
		{&mdstore.UnfinishedError{Err: on(syscall.EIO)}, errs.InternalError, "do not repeat it"},
	} {
		w := enginetest.Over(t, memstore.New(enginetest.Sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
			return &fullDisk{st, c.err}
		})
		l := openLine(t, w.Engine, Options{})
		got := l.call("log_append", jsonOf(l, args{"workspaceId": enginetest.Bench, "operator": "AI", "event": "x"}))
		if got.fault != "" || got.code() != string(c.code) || !strings.Contains(got.text, c.text) {
			t.Errorf("%v: the tool says %q, error of the protocol %q; want %s and %q", c.err, got.text, got.fault, c.code, c.text)
		}
	}
}
