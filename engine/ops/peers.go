package ops

import (
	"strings"

	"arbor/mdstore/pattern"
)

// peers are the operations by the names that other programs have for them, in small letters and without what joins
// their words: TanmiWorkspace's are those of the catalogue.
var peers = []struct{ op, names string }{
	// the memory manager of an Obsidian plugin
	{"workspace_init", "createworkspace initproject createproject"},
	{"workspace_list", "listworkspaces listprojects"},
	{"workspace_load", "loadworkspace recentactivity"},
	{"workspace_update", "updateworkspace"},
	{"workspace_archive", "archiveworkspace"},
	{"session_start", "createsession"},
	{"session_list", "listsessions"},
	{"session_load", "loadsession resumesession"},
	{"session_note", "updatesession"},
	{"session_end", "endsession memcordclose"},
	{"state_save", "createstate savestate checkpoint createcheckpoint"},
	{"state_list", "liststates listcheckpoints"},
	{"state_load", "loadstate restorestate"},
	{"state_update", "updatestate"},
	// memcord
	{"memory_use", "memcordname memcorduse memcordzero"},
	{"memory_save", "memcordsave remember savememory addmemory addmemories storememory"},
	{"memory_save", "writenote createentities addobservations createrelations"},
	{"memory_summarize", "memcordsaveprogress"},
	{"memory_read", "memcordread memcordselectentry recall readmemory readnote opennodes readgraph"},
	{"memory_list", "memcordlist memcordlisttags memcordstatus listmemories"},
	{"memory_update", "memcordtag memcordgroup"},
	{"search", "memcordsearch searchmemory searchmemories searchnotes"},
	{"ask", "memcordquery"},
	{"memory_import", "memcordimport"},
	{"memory_merge", "memcordmerge"},
	{"memory_export", "memcordexport memcordshare"},
	{"memory_archive", "memcordarchive"},
	{"memory_compress", "memcordcompress"},
	{"session_bind", "memcordbind memcordinit useworkspace switchworkspace selectworkspace"},
	{"session_unbind", "memcordunbind"},
	// what bridges and environments call theirs
	{"workspace_resolve", "resolveworkspace getworkspace"},
	{"workspace_gc", "gcworkspaces"},
	{"transcript_append", "appendmessage addmessage"},
	{"transcript_read", "readtranscript gettranscript getmessages"},
	{"env_register", "registerenvironment"},
	{"env_list", "listenvironments listenvironment"},
	{"env_attach", "attachenvironment attachpwd"},
	{"env_detach", "detachenvironment"},
	{"tool_list", "listtools"},
	// trackers of tasks
	{"node_create", "createtask addtask newtask createissue createsubtask addsubtask"},
	{"node_get", "gettask showtask viewtask getissue showissue viewissue"},
	{"node_list", "listtasks gettasks listtask listissues listissue"},
	{"node_update", "updatetask edittask updateissue"},
	{"node_move", "movetask"},
	{"node_transition", "settaskstatus completetask closetask closeissue starttask"},
	{"workspace_check", "validatedependencies"},
	{"node_next", "nexttask getnexttask readyissues"},
	{"search", "searchtasks findtasks"},
	{"workspace_status", "workspacetree"},
	{"workspace_get", "showworkspace viewworkspace workspacelog workspaceproblem"},
	{"plan_diff", "diff"},
	{"undo", "workspaceundo restorenode restore undelete undeletenode"},
	{"undo", "undonode revert revertnode"},
	{"history_get", "history workspacehistory nodehistory loghistory getnodehistory"},
	{"plan_graph", "sequencelist dependencygraph"},
	{"plan_stats", "overview burndown"},
}

// Peer returns the operation that other programs call by a name, such as createSession, session_create or memcord_save.
func Peer(name string) (Operation, bool) {
	words := strings.FieldsFunc(strings.ToLower(capitals().ReplaceAllString(name, "${1}_$2")), func(r rune) bool {
		return strings.ContainsRune("_-. :/", r)
	})
	plain := strings.TrimPrefix(strings.Join(words, ""), "memorymanager")
	turned := ""
	if len(words) == 2 { // the verb may be the last word, or the first
		turned = words[1] + words[0]
	}
	for _, p := range peers {
		for of := range strings.FieldsSeq(p.names) {
			if of == plain || of == turned {
				return Find(p.op)
			}
		}
	}
	return Operation{}, false
}

// capitals matches where a word of a name such as createSession ends.
var capitals = pattern.Of(`([a-z])([A-Z])`)
