package ops_test

import (
	"strings"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// plan is a small vault in which every operation has something to do.
func plan() map[mdstore.Path][]byte {
	files := vault("- rule 1\n- rule 2\n", map[string][2]string{
		"root":   {"title: Login\ntype: planning\nstatus: planning\nparentId: null\ncreatedAt: 1", "## Requirement\n\nall of it\n"},
		"node-p": {"title: P\ntype: planning\nstatus: pending\nparentId: root\ncreatedAt: 2", "## Requirement\n\npart\n"},
		"node-a": {"title: A\ntype: execution\nstatus: pending\nparentId: node-p\ncreatedAt: 3", "## Requirement\n\na\n\n## References\n\n- node-b: builds on\n- docs/x.md: x\n"},
		"node-b": {"title: B\ntype: execution\nstatus: implementing\nrole: info_collection\nparentId: node-p\ncreatedAt: 4", "## Problem\n\nstuck\n"},
		"node-q": {"title: Q\ntype: planning\nstatus: completed\nparentId: root\ncreatedAt: 5", "## Conclusion\n\ndone\n"},
		"node-c": {"title: C\ntype: execution\nstatus: completed\nparentId: node-q\ncreatedAt: 6", "## Conclusion\n\ndone\n"},
	})
	files["ws-old/Workspace.md"] = []byte("---\nid: ws-old\nname: Old\ngoal: g\nstatus: active\nupdatedAt: 1\n---\n")
	files["archive/ws-arch/Workspace.md"] = []byte("---\nid: ws-arch\nname: Arch\ngoal: g\nstatus: archived\n---\n")
	files["archive/ws-arch/nodes/root/Node.md"] = enginetest.Node("root", "title: Arch\ntype: planning\nstatus: pending", "")
	files[openSession] = []byte("---\nid: session-1\nname: Monday\nstartedAt: 1767225600000\nendedAt: null\n---\n\n## Goal\n\nto sign in\n\n## Log\n")
	files[mdstore.TranscriptKind.FileFor(openSession.Dir(), "")] = []byte("---\nprovider: null\n---\n\n## User\n\nhi\n")
	files[endedSession] = []byte("---\nid: session-0\nname: Sunday\nstartedAt: 1767225500000\nendedAt: 1767225500001\n---\n\n## Log\n\n- [2025-12-31 10:00:00] [AI] note: x\n")
	files[ws+"/states/state-1.md"] = []byte("---\nid: state-1\nname: Before\ncreatedAt: 7\ntags: [a, b]\nnodeId: node-a\nplan: [\"node:node-a:implementing:0123456789abcdef\"]\n---\n\n" +
		"## Active Task\n\nA\n\n## Next Steps\n\n- one\n\n## Active Files\n\n- docs/a.md (0123456789ab, 3)\n\n## Mine\n\nkeep\n")
	files[openSlot] = []byte("---\nid: slot-1\nname: notes\ntags: [a]\ncreatedAt: 7\nmine: x\n---\n\nabove\n\n## entry-1 · manual_save · 2026-01-01T10:00:00Z\n\none\n\n## Mine\n\ntwo\n")
	files[openSlot.Dir().Join("more.md")] = []byte("---\nid: slot-2\nname: more\ncreatedAt: 8\n---\n\n## entry-2 · manual_save · 2026-01-02T10:00:00Z\n\none\n")
	packed := "---\nid: slot-9\nname: old\n---\n\n## entry-1 · manual_save · 2025-01-01T10:00:00Z\n\nof last year\n"
	files[oldSlot] = mdstore.Stored(oldSlot, []byte(packed))
	files[mdstore.NotePath(oldSlot)] = []byte("reason = \"done\"\narchived_at = 2025-02-01T00:00:00Z\npath = \"memory/g/old.md\"\noriginal_size = 90\nentries = 1\n")
	files[zippedSlot] = mdstore.Stored(zippedSlot, []byte(strings.NewReplacer("slot-9", "slot-8", "old", "packed").Replace(packed)))
	files["sessions.json"] = []byte(`{"bindings":{"s1":{"sessionId":"s1","workspaceId":"` + ws + `","boundAt":1},` +
		`"gone":{"sessionId":"gone","workspaceId":"ws-gone","boundAt":1}}}`)
	return files
}

const (
	openSession  = mdstore.Path(ws + "/sessions/session-1/Session.md")
	oldSlot      = mdstore.Path(ws + "/archive/memory/g/old.md.gz")
	zippedSlot   = mdstore.Path(ws + "/memory/packed.md.gz")
	openSlot     = mdstore.Path(ws + "/memory/g/notes.md")
	endedSession = mdstore.Path(ws + "/sessions/session-0/Session.md")
)

var hash = mdstore.RulesHash([]string{"rule 1", "rule 2"})

// samples are calls that write, by operation; TestCrashes fails for an operation without any.
var samples = map[string][]map[string]any{
	"briefing_update": {{"workspaceId": ws, "purpose": "p", "rootFolder": "job", "agent": "scout", "workflows": []map[string]any{{"name": "Apply", "when": "now", "steps": []string{"a", "b"}}},
		"keyFiles": []map[string]any{{"path": "cv.md", "purpose": "the CV"}}, "related": []map[string]any{{"path": "x.md", "why": "y"}}}},
	"workspace_init":         {{"name": "Job", "briefing": map[string]any{"purpose": "p"}}, {"name": "New", "goal": "g", "rules": []string{"r"}, "docs": []map[string]any{{"path": "docs/a.md", "description": "a"}}}},
	"workspace_update":       {{"workspaceId": ws, "name": "Renamed", "goal": "another"}},
	"workspace_update_rules": {{"workspaceId": ws, "action": "replace", "rules": []string{"rule 2", "rule 3"}}},
	"workspace_update_docs":  {{"workspaceId": ws, "action": "add", "path": "docs/a.md", "description": "a"}},
	"workspace_archive":      {{"workspaceId": ws}},
	"workspace_restore":      {{"workspaceId": "ws-arch"}},
	"workspace_delete":       {{"workspaceId": ws, "force": true}, {"workspaceId": "ws-arch"}},
	"node_create":            {{"workspaceId": ws, "parentId": "node-p", "type": "execution", "title": "N", "requirement": "r", "rulesHash": hash}, {"workspaceId": ws, "parentId": "node-q", "type": "planning", "title": "N", "requirement": "r", "rulesHash": hash, "cascade": true}},
	"node_update":            {{"workspaceId": ws, "nodeId": "node-a", "title": "T", "requirement": "r", "note": "n", "conclusion": "c"}},
	"node_move":              {{"workspaceId": ws, "nodeId": "node-c", "newParentId": "node-p", "before": "node-b"}},
	"node_delete":            {{"workspaceId": ws, "nodeId": "node-b"}, {"workspaceId": ws, "nodeId": "node-q"}},
	"node_transition":        {{"workspaceId": ws, "nodeId": "node-a", "action": "start"}, {"workspaceId": ws, "nodeId": "node-b", "action": "complete", "conclusion": "## Rules\n- rule 3\n\n## Docs\n- docs/b.md: b\n"}, {"workspaceId": ws, "nodeId": "node-c", "action": "reopen", "cascade": true}},
	"node_isolate":           {{"workspaceId": ws, "nodeId": "node-a", "isolate": true}},
	"node_reference":         {{"workspaceId": ws, "nodeId": "node-a", "targetIdOrPath": "node-b", "action": "expire"}},
	"context_focus":          {{"workspaceId": ws, "nodeId": "node-a"}},
	"log_append":             {{"workspaceId": ws, "nodeId": "node-a", "operator": "AI", "event": "an event\nof two lines"}, {"workspaceId": ws, "operator": "Human", "event": "x"}},
	"problem_update":         {{"workspaceId": ws, "nodeId": "node-a", "problem": "p", "nextStep": "n"}},
	"problem_clear":          {{"workspaceId": ws, "nodeId": "node-b"}},
	"session_bind":           {{"workspaceId": ws, "sessionId": "s2", "nodeId": "node-a"}},
	"session_unbind":         {{"sessionId": "s1"}},
	"changes_get":            {{"workspaceId": ws, "sessionId": "s1"}},
	"state_save":             {{"workspaceId": ws, "name": "Now", "activeTask": "## T\nt", "nextSteps": []string{"one", "two\nlines"}, "activeFiles": []string{"docs/a.md"}, "nodeId": "node-a", "tags": []string{"x: y"}, "description": "d", "reasoning": "r", "conversationContext": "c"}},
	"state_load":             {{"workspaceId": ws, "state": "Before", "restorationGoal": "g"}},
	"state_update":           {{"workspaceId": ws, "state": "state-1", "name": "After", "description": "d", "tags": []string{"c"}}},
	"state_delete":           {{"workspaceId": ws, "state": "state-1"}},
	"workspace_check":        {{"workspaceId": ws, "fix": true}},
	"session_start":          {{"workspaceId": ws, "name": "Tuesday", "goal": "g", "tags": []string{"a"}, "previous": "session-1"}, {"workspaceId": ws, "sessionId": "a/b"}},
	"session_end":            {{"workspaceId": ws, "sessionId": "session-1", "summary": "all done"}},
	"session_load":           {{"workspaceId": ws, "sessionId": "session-0"}, {"workspaceId": ws, "name": "Monday"}},
	"session_note":           {{"workspaceId": ws, "sessionId": "session-1", "text": "of two\nlines", "files": []string{"a.go"}, "type": "idea"}},
	"transcript_append":      {{"workspaceId": ws, "sessionId": "session-1", "role": "user", "text": "# hello\n"}, {"workspaceId": ws, "sessionId": "session-0", "role": "assistant", "text": "the first"}},
	"transcript_clear":       {{"workspaceId": ws, "sessionId": "session-1"}},
	"workspace_resolve":      {{"identifier": "laptop", "name": "Laptop"}, {"identifier": "gone"}},
	"workspace_gc":           {{"shared": true, "maxAge": 30}},
	"memory_save":            {{"workspaceId": ws, "slot": "notes", "text": "# three\n", "metadata": map[string]any{"k": "v"}, "tags": []string{"b"}}, {"workspaceId": ws, "slot": "fresh", "text": "first", "group": "a/b"}, {"workspaceId": ws, "slot": "slot-1", "text": "all", "mode": "replace"}},
	"memory_update":          {{"workspaceId": ws, "slot": "slot-1", "name": "renamed", "group": "h", "addTags": []string{"c"}, "priority": 2, "metadata": map[string]any{"contributors": []string{"Ann"}}}},
	"memory_archive":         {{"workspaceId": ws, "slot": "notes", "reason": "two\nlines"}},
	"memory_restore":         {{"workspaceId": ws, "slot": "old"}},
	"memory_compress":        {{"workspaceId": ws, "slot": "notes", "action": "compress", "force": true}, {"workspaceId": ws, "slot": "packed", "action": "decompress"}},
	"memory_delete":          {{"workspaceId": ws, "slot": "notes"}},
	"memory_summarize":       {{"workspaceId": ws, "slot": "notes", "entryIds": []string{"entry-1"}}, {"workspaceId": ws, "slot": "fresh", "text": "One. Two.", "summary": "s", "ratio": 0.5}},
	"memory_merge":           {{"workspaceId": ws, "sources": []string{"notes", "more"}, "target": "notes", "deleteSources": true, "dryRun": false}, {"workspaceId": ws, "sources": []string{"slot-1", "more"}, "target": "both", "similarity": 1, "dryRun": false}},
	"memory_import":          {{"workspaceId": ws, "source": ".import/notes.txt"}, {"workspaceId": ws, "source": ".import/slots.json", "slot": "notes"}},
	"memory_export":          {{"workspaceId": ws, "slot": "notes", "format": "json", "path": "new.json"}},
	"memory_use":             {{"workspaceId": ws, "sessionId": "session-1", "slot": "notes"}, {"workspaceId": ws, "sessionId": "session-1", "slot": "none"}},
	"node_next":              {{"workspaceId": ws, "claim": true, "sessionId": "s1", "count": 2}},
}

// forThisMachine are the operations that write to .local/ alone or outside of the vault, and not by commits.
var forThisMachine = map[string]bool{"changes_get": true, "node_next": true, "memory_export": true}
