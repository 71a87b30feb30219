package ops_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// The laws of mending hold for vaults that are damaged in many ways at once: see mendLaws.
func TestMendingRandomVaults(t *testing.T) {
	dir, n := t.TempDir(), 0
	enginetest.Check(t, 25, func(rt *rapid.T) {
		n++
		own := filepath.Join(dir, fmt.Sprint(n))
		v := newCaseVault(rt, own, damagedVault(rt))
		defer os.RemoveAll(own)
		defer v.close()
		mendLaws(rt, v, v.files(rt))
	})
}

// damagedVault draws a small workspace, damaged as people, editors, sync programs and crashes damage one.
func damagedVault(rt *rapid.T) map[string]string {
	pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, what) }
	ids := []string{"root", "node-1", "node-2", "node-3"}
	files := map[string]string{}
	eol := pick("line ends", "\n", "\n", "\r\n")
	put := func(name, text string) { files[name] = strings.ReplaceAll(text, "\n", eol) }

	w := "---\nname: W # mine\n" + pick("workspace id", "id: ws\n", "id: ws\n", "") + "goal: g\nstatus: " + pick("workspace status", "active", "active", "archived") +
		"\nrulesHash: " + pick("hash", `""`, "0badc0de", "8eb249a5") + "\nfocusedNodeId: " + pick("focus", "null", "node-1", "node-mjv3xk00-000009") + "\nown: key\n---\n\n" +
		pick("rules", "", "## Rules\n\n- 规则1\n- 规则2\n", "## Rules\n\n- one\n\nsaid between\n") + pick("merge", "", "", "", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
	if rapid.IntRange(0, 19).Draw(rt, "no workspace file") > 0 {
		put("ws/Workspace.md", w)
	}
	node := func(id string) string {
		parent := pick("parent", "root", "root", "node-1", "node-2", "node-mjv3xk00-000009", "null", `""`)
		if id == "root" {
			parent = pick("parent of the root", "null", "null", "null", "node-1")
		}
		ty := pick("type", "planning", "execution", "execution", "task")
		if id == "root" {
			ty = pick("type of the root", "planning", "planning", "execution")
		}
		text := "---\n" + pick("id", "id: "+id+"\n", "id: "+id+"\n", "id: "+id+"\n", "id:\n", "") + "title: " + pick("title", "T", `"quoted: it"`, "Fix: the thing", "[a]") +
			"\ntype: " + ty + "\nstatus: " + pick("status", "pending", "pending", "planning", "monitoring", "implementing", "validating", "completed", "failed", "cancelled", "[x]") +
			"\nparentId: " + parent + "\n" + pick("more", "", "# a comment\n", "own: [1, 2]\n", "title: twice\n", "updatedAt: 5\n") + "---\n" + pick("first line", "", "\n", "before all sections\n\n")
		for range rapid.IntRange(0, 4).Draw(rt, "sections") {
			text += pick("section",
				"## Requirement\n\nwhat to do\n", "## Conclusion\n\nit works\n", "## 备注\n\nnote\n", "Note\n----\n\nnote two\n",
				"## References\n\n- node-mjv3xk00-000009: gone\n* [[node-mjv3xk00-000008|gone too]]\n  with more\n- root: there\n", "## 引用\n\n1. node-mjv3xk00-000007: 没有了\n",
				"## Log\n\n- [2026-01-01 09:00:00] [AI] created\n", "## Log\n\n- [2026-01-01 09:00:01] [AI] start: pending → implementing; now\n  two lines\nsaid in between\n",
				"## Log\n\n- [2026-01-01 09:00:02] [Human] complete: implementing → completed\n- [2026-01-01 08:00:00] [Human] cancel: planning → cancelled\n",
				"## Docs\n\n- docs/none.md: none\n", "## Own\n\nanything\n", "```\n## Log\n```\n", "<!-- hidden -->\n", "") + pick("gap", "\n", "\n\n", "")
		}
		return text + pick("end", "", "", "\xff", "no line end behind this")
	}
	for _, id := range ids {
		if rapid.IntRange(0, 7).Draw(rt, "without "+id) == 0 {
			continue
		}
		text := node(id)
		folder := "ws/nodes/" + pick("folder", id, id, id, "named by a person "+id)
		put(folder+"/Node.md", text)
		if rapid.IntRange(0, 4).Draw(rt, "copy of "+id) == 0 {
			put("ws/nodes/"+id+" copy/Node.md", pick("copied", text, node(id)))
		}
		if rapid.IntRange(0, 4).Draw(rt, "conflict of "+id) == 0 {
			put(folder+"/Node.sync-conflict-20260101-120000-ABCDEFG.md", pick("saved", text, "another text\n"))
		}
		if rapid.IntRange(0, 3).Draw(rt, "leftover of "+id) == 0 {
			a, b := files[folder+"/Node.md"], strings.ReplaceAll(node(id), "\n", eol)
			digits := func(s string) string { return mdstore.VersionOf([]byte(s)).String() }
			name := fmt.Sprintf("%s/.arbor-%s-%s-x-Node.md", folder, pick("after", digits(a), digits(b)), pick("before", digits(a), digits(b), "0000000000000000"))
			files[name] = pick("held", a, b, b[:len(b)/2], "a person's save\n")
		}
	}
	if len(files) == 0 {
		maps.Copy(files, unsaid)
	}
	return files
}
