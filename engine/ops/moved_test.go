package ops_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A late is a store whose watcher tells of no change before the test ends.
type late struct{ *dirstore.Store }

func (late) Watch(ctx context.Context, w mdstore.Watching) error {
	w.Ready()
	<-ctx.Done()
	return ctx.Err()
}

// A folder was renamed, and an assistant names what lies in it before the system has told of that: the node is there.
func TestANodeWhoseFolderMovedJustNowIsFound(t *testing.T) {
	dir := enginetest.Place(t, map[mdstore.Path][]byte{
		"ws/Workspace.md":          []byte("---\nid: ws\nname: W\ngoal: G\n---\n"),
		"ws/nodes/root/Node.md":    []byte("---\nid: root\ntitle: W\ntype: planning\nstatus: pending\n---\n"),
		"ws/nodes/here/Node.md":    []byte("---\nid: here\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n"),
		"ws/nodes/another/Node.md": []byte("---\nid: another\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n"),
	})
	e := enginetest.Open(t, late{enginetest.OpenDir(t, dir)})
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.Follow(ctx, func() { close(ready) }, nil)
	}()
	defer func() { stop(); <-ended }()
	<-ready
	env := &ops.Env{Engine: e, Where: ops.Where{Workspace: "ws"}}
	call(t, env, "node_list", nil)
	nodes := filepath.Join(dir, "ws", "nodes")
	data, err := os.ReadFile(filepath.Join(nodes, "here", "Node.md"))
	if err == nil {
		err = os.Rename(filepath.Join(nodes, "here"), filepath.Join(nodes, "there"))
	}
	if err == nil {
		enginetest.Put(t, dir, "ws/nodes/new/Node.md", append([]byte("---\nid: new"), data[len("---\nid: here"):]...))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"here", "new"} {
		if _, err := call(t, env, "log_append", map[string]any{"nodeId": id, "event": "E", "operator": "AI"}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := call(t, env, "node_get", map[string]any{"nodeId": "nowhere"}); err == nil {
		t.Error("what is not there is found")
	}
}
