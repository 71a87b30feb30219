package enginetest

import (
	"fmt"
	"os"
	"strings"

	"arbor/mdstore"
)

// Heavy selects the loads of .ci/heavy.
var Heavy = os.Getenv("ARBOR_HEAVY") != ""

// Bench is the workspace of Sized.
const Bench = mdstore.ID("ws-bench-000001")

// Sized returns a vault of n nodes of about 1.6 kB, at most eight levels deep, eight children to a planning node.
func Sized(n int) map[mdstore.Path][]byte {
	files := map[mdstore.Path][]byte{mdstore.WorkspacePath(mdstore.Path(Bench)): fmt.Appendf(nil, "---\nid: %s\nname: Bench\n"+
		"goal: g\nstatus: active\nrulesHash: \"\"\nfocusedNodeId: null\ncreatedAt: 1\nupdatedAt: 1\n---\n\n"+
		"## Log\n\n- [2026-01-01 10:00:00] [AI] created\n", Bench)}
	text := strings.Repeat("What is to be done here, in a sentence of a usual length.\n", 15)
	for i := range n {
		typ, status, parent := "execution", "pending", "null"
		if i*8+1 < n {
			typ, status = "planning", "monitoring"
		}
		if i > 0 {
			parent = string(sizedID((i - 1) / 8))
		}
		files[mdstore.NodePath(mdstore.Path(Bench), sizedID(i))] = fmt.Appendf(nil, "---\nid: %s\ntitle: Node %d of the plan\n"+
			"type: %s\nstatus: %s\nrole: null\nparentId: %s\nisolated: false\ncreatedAt: %d\nupdatedAt: %d\n---\n\n"+
			"## Requirement\n\n%s\n## Log\n\n- [2026-01-01 10:00:00] [AI] created\n- [2026-01-01 10:00:01] [AI] looked at it\n",
			sizedID(i), i, typ, status, parent, int64(1767225600000)+int64(i), int64(1767225600000)+int64(i), text)
	}
	return files
}

func sizedID(i int) mdstore.ID {
	if i == 0 {
		return mdstore.Root
	}
	return mdstore.ID(fmt.Sprintf("node-%08d-bench0", i))
}

// Leaf returns the id of the last node of Sized(n).
func Leaf(n int) mdstore.ID { return sizedID(n - 1) }

// LeafPath returns the path of that node's file.
func LeafPath(n int) mdstore.Path { return mdstore.NodePath(mdstore.Path(Bench), Leaf(n)) }

// Plan returns a vault with the workspace ws, a root, and below it an execution node for each of the ids.
func Plan(ws mdstore.ID, ids ...mdstore.ID) map[mdstore.Path][]byte {
	dir := mdstore.Path(ws)
	files := map[mdstore.Path][]byte{
		mdstore.WorkspacePath(dir):          fmt.Appendf(nil, "---\nid: %s\nname: A\ngoal: g\nstatus: active\n---\n", ws),
		mdstore.NodePath(dir, mdstore.Root): Node("root", "title: A\ntype: planning\nstatus: monitoring", ""),
	}
	for _, id := range ids {
		files[mdstore.NodePath(dir, id)] = Step(id, "pending", "## Note\n\nn\n")
	}
	return files
}

// Step returns the bytes of an execution node below the root, titled by its id.
func Step(id mdstore.ID, status, body string) []byte {
	return Node(string(id), "title: T "+string(id)+"\ntype: execution\nstatus: "+status+"\nparentId: root", body)
}
