package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

var tctx = context.Background()

// ws is the workspace of the small vaults below.
const ws = "ws-mjv3xk00-aaaaaa"

func workspaceFile(rules string) []byte {
	w := "---\nid: " + ws + "\nname: Login\ngoal: Users sign in\nstatus: active\nrulesHash: \"" + mdstore.RulesHash(ruleItems(rules)) + "\"\nfocusedNodeId: null\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## Rules\n\n"
	return []byte(w + rules + "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Created the workspace\n")
}

func ruleItems(list string) (out []string) {
	for line := range strings.Lines(list) {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(line, "- ")))
	}
	return out
}

// vault returns a workspace of nodes: id → front matter lines and body.
func vault(rules string, nodes map[string][2]string) map[mdstore.Path][]byte {
	files := map[mdstore.Path][]byte{ws + "/Workspace.md": workspaceFile(rules), ".gitignore": []byte(".local/\nsessions.json\n")}
	for id, n := range nodes {
		files[mdstore.NodePath(ws, mdstore.ID(id))] = enginetest.Node(id, n[0], n[1])
	}
	return files
}

// call runs an operation by name and returns its result as decoded JSON.
func call(t testing.TB, env *ops.Env, name string, args map[string]any) (map[string]any, *errs.Error) {
	t.Helper()
	o, ok := ops.Find(name)
	if !ok {
		t.Fatalf("no operation %s", name)
	}
	out, err := o.Call(context.Background(), env, enginetest.Args(args))
	if err != nil {
		var e *errs.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s(%v) fails with a %T, not an *errs.Error: %v", name, args, err, err)
		}
		return nil, e
	}
	b, merr := json.Marshal(out)
	if merr != nil {
		t.Fatal(merr)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m, nil
}

// must is call for an operation that has to succeed.
func must(t testing.TB, env *ops.Env, name string, args map[string]any) map[string]any {
	t.Helper()
	m, err := call(t, env, name, args)
	if err != nil {
		t.Fatalf("%s(%v): %s: %s", name, args, err.Code, err.Message)
	}
	return m
}

// refused runs an operation that has to fail with that code and leave every byte as it is.
func refused(t testing.TB, w *enginetest.World, env *ops.Env, code errs.Code, name string, args map[string]any) *errs.Error {
	t.Helper()
	before := w.Store.Files()
	m, err := call(t, env, name, args)
	if err == nil {
		t.Errorf("%s(%v) succeeds with %v\nwant %s", name, args, m, code)
		return errs.New("", "")
	}
	if err.Code != code {
		t.Errorf("%s(%v): %s: %s\nwant %s", name, args, err.Code, err.Message, code)
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("%s(%v) is refused (%s), but changes %v", name, args, err.Code, d)
	}
	return err
}

// A recorder keeps each commit, with the files before it.
type recorder struct {
	*memstore.Store
	commits []commit
}

type commit struct {
	before  map[mdstore.Path][]byte
	changes []mdstore.Change
}

func (r *recorder) Commit(ctx context.Context, cs []mdstore.Change) (mdstore.Result, error) {
	before := r.Files()
	res, err := r.Store.Commit(ctx, cs)
	if err == nil {
		r.commits = append(r.commits, commit{before, cs})
	}
	return res, err
}

func (r *recorder) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	return r.Store.Update(ctx, func(tx mdstore.Tx) error { return f(recordedTx{tx, r}) })
}

// A recordedTx is the store inside Update.
type recordedTx struct {
	mdstore.Tx
	r *recorder
}

func (h recordedTx) Commit(ctx context.Context, cs []mdstore.Change) (mdstore.Result, error) {
	before := h.r.Files()
	res, err := h.Tx.Commit(ctx, cs)
	if err == nil {
		h.r.commits = append(h.r.commits, commit{before, cs})
	}
	return res, err
}
