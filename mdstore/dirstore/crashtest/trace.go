package crashtest

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
)

// StraceArgs are the arguments of strace for the output that a Trace reads. "-o", a file and the command come after
// them.
var StraceArgs = []string{"-f", "-y", "-xx", "-s", "2097152", "-e", "trace=" + strings.Join(slices.Concat(slices.Sorted(maps.Keys(replays)), unknownCalls), ",")}

// unknownCalls change files in ways that the model does not have; one of them in the vault fails the test.
var unknownCalls = []string{"link", "linkat", "symlink", "symlinkat", "truncate", "fallocate", "copy_file_range", "sendfile", "splice", "writev", "pwritev", "pwritev2", "mknod", "mknodat"}

// A Trace replays the system calls of real programs in a Model, one command after the other, and checks what a power
// failure after each call would have left of a vault.
type Trace struct {
	dir     string // the vault's folder, without links in it
	opt     Options
	noSync  bool // skips syncs, to test that this is found
	model   *Model
	offsets map[int64]int64 // by open descriptor
	x       *explorer
	Calls   int // the number of calls that changed something in the vault
	Result
}

// NewTrace returns a Trace of the vault in a folder, whose current content counts as durable.
func NewTrace(t testing.TB, dir string, opt Options) *Trace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if opt.Limit == 0 {
		opt.Limit = 1500
	}
	return &Trace{dir: dir, opt: opt, model: onDisk(t, dir)}
}

// NoSync makes the model ignore syncs, as if the program never called them.
func (tr *Trace) NoSync() *Trace {
	tr.noSync = true
	return tr
}

// onDisk returns a model with the content of a folder, all durable.
func onDisk(t testing.TB, dir string) *Model {
	t.Helper()
	files := map[mdstore.Path][]byte{}
	var folders []mdstore.Path
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || p == ".":
		case d.IsDir():
			folders = append(folders, mdstore.Path(p))
		default:
			files[mdstore.Path(p)], err = os.ReadFile(filepath.Join(dir, p))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newModel(files)
	for _, p := range folders {
		if err := c.Mkdir(p); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		if err := c.SyncDir(p.Dir()); err != nil {
			t.Fatal(err)
		}
	}
	c.Log = nil
	return c
}

// vaultOnly returns the files of a disk without those of .local/, which may be of any moment, but with the trash.
func vaultOnly(c *Model) map[mdstore.Path]string {
	files := visible(c)
	const local = mdstore.Path(mdstore.LocalDir)
	trash := local.Join("trash")
	maps.DeleteFunc(files, func(p mdstore.Path, _ string) bool {
		p = mdstore.Path(strings.TrimSuffix(string(p), "/"))
		return p.Under(local) && (p == trash || !p.Under(trash)) || p.Under(trash) && emptied(files, p)
	})
	return files
}

// emptied reports whether a path is an empty folder. Folders of the trash are made before it is decided that something
// is moved there.
func emptied(files map[mdstore.Path]string, p mdstore.Path) bool {
	if _, file := files[p]; file {
		return false
	}
	for q := range files {
		if q != p && q.Under(p) && !strings.HasSuffix(string(q), "/") {
			return false
		}
	}
	return true
}

// Command replays strace's output of a command that has ended and left the vault's folder as it is now. Every crash
// during the command must leave the vault as before or as after it; every crash after its end, as after it.
func (tr *Trace) Command(t testing.TB, trace io.Reader) {
	t.Helper()
	calls, err := parseStrace(trace)
	if err != nil {
		t.Fatal(err)
	}
	after := onDisk(t, tr.dir)
	tr.x = explorerOf(tr.opt)
	tr.x.before, tr.x.after = vaultOnly(tr.model), vaultOnly(after)
	if maps.Equal(tr.x.before, tr.x.after) {
		t.Error("the command changes nothing, so no crash can show")
	}
	tr.x.show = vaultOnly
	tr.offsets = map[int64]int64{}
	for _, c := range calls {
		changed, err := tr.replay(c)
		if err != nil {
			t.Fatalf("line %d of the trace: %s: %v", c.Line, c.Name, err)
		}
		if !changed {
			continue
		}
		tr.Calls++
		tr.crashes(false)
		killed := tr.model.Clone()
		killed.Log = append(killed.Log, "KILLED")
		tr.x.check(killed, false)
	}
	tr.crashes(true)
	if got, want := tr.model.Files(), after.Files(); !maps.Equal(got, want) {
		for p := range want {
			if got[p] != want[p] {
				t.Errorf("%s: the model holds %q, the disk %q", p, got[p], want[p])
			}
		}
		for p := range got {
			if _, ok := want[p]; !ok && !strings.HasSuffix(string(p), "/") {
				t.Errorf("%s: the model holds %q, the disk nothing", p, got[p])
			}
		}
	}
	tr.States += tr.x.States
	tr.Bad += tr.x.Bad
	if tr.First == "" {
		tr.First = tr.x.First
	}
}

func (tr *Trace) crashes(returned bool) {
	tr.model.Crashes(tr.x.rng, tr.opt.Limit, func(d *Model) {
		if tr.x.news(d, true, returned) {
			tr.x.check(d, returned)
		}
	})
}

var errModel = errors.New("the model does not know this call")

// replay makes one call in the model, and reports whether it changed something there.
func (tr *Trace) replay(c Call) (changed bool, err error) {
	if c.Return < 0 {
		return false, nil
	}
	do, ok := replays[c.Name]
	if ok {
		return do(tr, c)
	}
	for i := range c.Args {
		if _, in := tr.at(c, i); in {
			return false, errModel
		}
	}
	return false, nil
}

// inside converts a path of the machine to one in the vault.
func (tr *Trace) inside(p string) (mdstore.Path, bool) {
	rel, err := filepath.Rel(tr.dir, path.Clean(p))
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return mdstore.Path(rel), true
}

// at returns the path of argument i: that of a descriptor, or a string relative to the descriptor before it.
func (tr *Trace) at(c Call, i int) (mdstore.Path, bool) {
	if i >= len(c.Args) {
		return "", false
	}
	a := c.Args[i]
	switch {
	case a.Data == nil:
		if a.Path == "" {
			return "", false
		}
		return tr.inside(a.Path)
	case strings.HasPrefix(string(a.Data), "/"):
		return tr.inside(string(a.Data))
	case i > 0 && c.Args[i-1].Path != "":
		return tr.inside(path.Join(c.Args[i-1].Path, string(a.Data)))
	}
	return "", false
}
