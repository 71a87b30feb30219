package mcpserv

import (
	"os"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/mdstore"
)

// names returns the names in a folder of the vault.
func (w *world) names(dir string) []string {
	w.Helper()
	var out []string
	entries, err := os.ReadDir(w.folder(mdstore.Path(dir)))
	if err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func (p *peer) subscribe(uris ...string) {
	p.Helper()
	for _, uri := range uris {
		if err := p.Subscribe(p.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			p.Fatalf("%s: %v", uri, err)
		}
	}
	for _, uri := range uris { // clients of the newest version do not wait for the answer
		eventually(p.T, uri+" is subscribed to", func() bool { return p.wanted(uri) })
	}
}

// wanted reports whether a client is subscribed to a resource.
func (p *peer) wanted(uri string) bool {
	p.server.subscriptions.mu.Lock()
	defer p.server.subscriptions.mu.Unlock()
	for _, all := range p.server.subscriptions.wanted {
		if _, ok := all[uri]; ok {
			return true
		}
	}
	return false
}

// hears waits until the client has a notification of each of the resources.
func (p *peer) hears(uris ...string) {
	p.Helper()
	left := slices.Clone(uris)
	for len(left) > 0 {
		got := await(p.T, p.updated, "news of one of "+left[0])
		left = slices.DeleteFunc(left, func(u string) bool { return u == got })
	}
}

// Clients are notified when a resource changes, by an editor, another client or another program.
func TestClientsAreNotifiedOfChanges(t *testing.T) {
	for _, version := range []string{"", legacy} {
		t.Run(version, func(t *testing.T) { testResourceUpdates(t, version) })
	}
}

func testResourceUpdates(t *testing.T, version string) {
	w := newWorld(t, Options{})
	p := w.connectAs(version, nil)
	node, ctx, tree, ws := "arbor://"+planID+"/nodes/"+signIn, "arbor://"+planID+"/context/"+signIn, "arbor://"+planID+"/tree", "arbor://"+planID+"/workspace"
	p.subscribe(node, ctx, tree, ws)

	w.edit(signInFile, "answers with a token", "answers with two tokens") // truncate and write
	p.hears(node, ctx, tree)
	path := w.folder(signInFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"~", append(data, "\nmore\n"...), 0o666); err != nil { // temporary file and rename
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	p.hears(node, ctx, tree)
	w.connect(nil).do("log_append", map[string]any{"nodeId": planID, "operator": "AI", "event": "by another client"})
	p.hears(ws, ctx)
	w.edit(mdstore.NodePath(planID, "node-mj2hz4gy-theapi"), "Two endpoints", "Three endpoints") // a node above it
	p.hears(ctx, tree)

	if err := p.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: node}); err != nil {
		t.Fatal(err)
	}
	eventually(t, node+" is not subscribed to", func() bool { return !p.wanted(node) })
	w.edit(signInFile, "two tokens", "one token")
	p.hears(ctx, tree)
	for len(p.updated) > 0 {
		if uri := <-p.updated; uri == node {
			t.Errorf("%s is notified of after it was unsubscribed", uri)
		}
	}
	if version == "" {
		return // the SDK's client does not subscribe to lists
	}
	w.save("ws-new/Workspace.md", "---\nid: ws-new\nname: New\ngoal: g\nstatus: active\n---\n")
	await(t, p.listed, "news of the list of resources")
}

func TestUnknownResourcesCannotBeSubscribedTo(t *testing.T) {
	p := newWorld(t, Options{}).connectAs(legacy, nil)
	for _, uri := range []string{"arbor://ws-none/tree", "arbor://" + planID + "/nodes/none", "arbor://" + planID + "/nodes/..%2F..", "file:///etc/passwd", ""} {
		if err := p.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("%q can be subscribed to", uri)
		}
	}
}

// Subscriptions end with their connection.
func TestSubscriptionsEndWithTheirConnection(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.connect(nil)
	p.subscribe("arbor://" + planID + "/tree")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.server.Close()
	if n := len(w.server.subscriptions.wanted); n != 0 {
		t.Errorf("%d clients are still to be told", n)
	}
}

// The next call sees a save, in whatever way the editor writes the file.
func TestSavesShowInTheNextCall(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.connect(nil)
	titled := func(id, title string) func() bool {
		return func() bool {
			r := p.try("node_get", map[string]any{"nodeId": id})
			n, _ := dataOf(t, r)["node"].(map[string]any)
			return n["title"] == title || r.IsError && title == ""
		}
	}
	eventually(t, "the node is there", titled(signIn, "Sign-in endpoint"))
	w.edit(signInFile, "title: Sign-in endpoint", "title: One")
	eventually(t, "a save shows", titled(signIn, "One"))
	w.save("ws-mj2hy912-plan01/nodes/new/deep/Node.md", "---\nid: node-by-hand\ntitle: By hand\ntype: execution\nstatus: pending\nparentId: root\n---\n")
	eventually(t, "a new folder shows", titled("node-by-hand", "By hand"))
	if err := os.Rename(w.folder(planID+"/nodes/new"), w.folder(planID+"/nodes/old")); err != nil {
		t.Fatal(err)
	}
	w.edit("ws-mj2hy912-plan01/nodes/old/deep/Node.md", "By hand", "Moved")
	eventually(t, "a moved folder shows", titled("node-by-hand", "Moved"))
	if err := os.RemoveAll(w.folder(planID + "/nodes/old")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "what is removed is gone", titled("node-by-hand", ""))
}
