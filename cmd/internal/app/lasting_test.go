package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A server has every capability of the vault that lies at its place.
func TestALastingVaultOffersTheSame(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "vault")
	st := &lastingStore{folder: folder, opt: dirstore.Options{SaveQuiet: -1}}
	place(t, folder, "text")
	offers[mdstore.Scanner](t, st)
	offers[mdstore.History](t, st)
	offers[mdstore.Watcher](t, st)
	offers[mdstore.Strays](t, st)
	offers[mdstore.Local](t, st)
	offers[mdstore.Writable](t, st)
	offers[mdstore.Docs](t, st)
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func offers[C any](t *testing.T, st mdstore.Store) {
	t.Helper()
	if _, ok := mdstore.AsStore[C](st); !ok {
		t.Errorf("a lasting vault is no %v", reflect.TypeFor[C]())
	}
}

// place makes a vault of one file in a folder.
func place(t *testing.T, folder, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, "ws"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "ws", "Workspace.md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The vault of a server is the one that lies at its place now: moved away it is an empty one, and what has replaced it
// is read and written.
func TestALastingVaultIsTheOneThatIsThere(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "vault")
	st := &lastingStore{folder: folder, opt: dirstore.Options{SaveQuiet: -1}}
	want := func(step, text string) {
		t.Helper()
		f, err := st.Read(t.Context(), "ws/Workspace.md")
		if now, statErr := st.Stat(t.Context(), "ws/Workspace.md"); err == nil && (statErr != nil || now.Inode != f.Stamp.Inode) {
			t.Errorf("%s: the stamp of the file is %v (%v), want %v", step, now, statErr, f.Stamp)
		}
		if text == "" && errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil || string(f.Data) != text {
			t.Errorf("%s: %q, error %v, want %q", step, f.Data, err, text)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want("before it is made", "")
	place(t, folder, "one")
	want("made by somebody else", "one")
	do(os.Rename(folder, folder+"-away"))
	want("moved away", "")
	do(os.Rename(folder+"-away", folder))
	want("moved back", "one")
	do(os.RemoveAll(folder))
	want("deleted", "")
	place(t, folder, "two")
	want("made again", "two")
	do(os.RemoveAll(folder))
	place(t, folder, "three")
	want("replaced at once", "three")
	do(only(st.Commit(t.Context(), []mdstore.Change{{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte("three")), New: []byte("four")}})))
	if got, err := os.ReadFile(filepath.Join(folder, "ws", "Workspace.md")); err != nil || string(got) != "four" {
		t.Errorf("after a write the file is %q, error %v", got, err)
	}
	do(os.RemoveAll(folder))
	do(only(st.Commit(t.Context(), []mdstore.Change{{Path: "ws/Workspace.md", New: []byte("five")}})))
	want("made by a write", "five")
	do(st.Close())
}

// The history of a vault is that of the store that is open now, and no other's: what another process has changed is
// known.
func TestTheHistoryIsThatOfTheVaultThatIsThere(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "vault")
	place(t, folder, "one")
	st := &lastingStore{folder: folder, opt: dirstore.Options{SaveQuiet: -1}}
	t.Cleanup(func() { st.Close() })
	generation := func() uint64 {
		t.Helper()
		n, err := st.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	commit := func(was, is string) {
		t.Helper()
		other, err := dirstore.Open(folder, dirstore.Options{SaveQuiet: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		change := mdstore.Change{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(was)), New: []byte(is)}
		if _, err := other.Commit(t.Context(), []mdstore.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
	commit("one", "two")
	before := generation()
	commit("two", "three")
	if paths, ok := st.ChangedSince(t.Context(), before, generation()); !ok || !slices.Equal(paths, []mdstore.Path{"ws/Workspace.md"}) {
		t.Errorf("a commit of another process changed %v, %t", paths, ok)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	place(t, folder, "one")
	commit("one", "two")
	if paths, ok := st.ChangedSince(t.Context(), before, generation()); ok {
		t.Errorf("of a vault that was replaced, %v is known", paths)
	}
}

// A vault that is replaced while it is used is closed when nobody uses it any more, and not before.
func TestALastingVaultIsReplacedWhileItIsUsed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "vault")
	place(t, folder, "text")
	st := &lastingStore{folder: folder, opt: dirstore.Options{SaveQuiet: -1}}
	stop := make(chan struct{})
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for e := range st.List(t.Context(), "") {
					f, err := st.Read(t.Context(), e.Path)
					if errors.Is(err, fs.ErrClosed) || err == nil && len(f.Data) > 0 && string(f.Data) != "text" {
						t.Errorf("%q, error %v", f.Data, err)
					}
				}
			}
		})
	}
	for i := range 30 {
		old := fmt.Sprint(folder, i)
		if err := os.Rename(folder, old); err != nil {
			t.Fatal(err)
		}
		place(t, folder, "text")
		if _, err := st.Read(t.Context(), "ws/Workspace.md"); err != nil {
			t.Errorf("round %d: %v", i, err)
		}
	}
	close(stop)
	users.Wait()
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// While the vault of a server is away, every operation fails with what people and assistants can do about it, and works
// again when it is back.
func TestAVaultThatIsAwayIsToldOf(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "vault")
	v, err := vaults{getenv: func(string) string { return "" }}.open(t.Context(), "", cli.Found{Vault: folder, Project: dir}, cli.Later)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	call := func(name string, in map[string]any) error {
		args, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := ops.Find(name)
		_, err = o.Call(t.Context(), &ops.Env{Engine: v.Engine, Session: "s"}, args)
		return err
	}
	calls := map[string]map[string]any{
		"workspace_list": {}, "workspace_status": {}, "workspace_check": {}, "workspace_get": {"workspaceId": "ws-x"}, "node_get": {"nodeId": "root"}, "node_list": {}, "node_next": {},
		"node_transition": {"nodeId": "root", "action": "start"}, "node_delete": {"nodeId": "root"}, "context_get": {}, "log_append": {"operator": "AI", "event": "e"},
		"changes_get": {}, "session_status": {"sessionId": "s"}, "session_bind": {"sessionId": "s", "workspaceId": "ws-x"},
	}
	if err := call("workspace_init", map[string]any{"name": "Login", "goal": "g"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	for name, in := range calls {
		e := errs.As(call(name, in))
		if e == nil || e.Code != errs.VaultNotFound || !strings.Contains(e.Message, "put it back") || strings.Contains(e.Message, "does not exist") {
			t.Errorf("%s: %v", name, e)
		}
	}
	if err := (awayError{folder}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the store says is no fs.ErrNotExist: %v", err)
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	if err := call("workspace_status", nil); err != nil {
		t.Errorf("it is back, and: %v", err)
	}
}
