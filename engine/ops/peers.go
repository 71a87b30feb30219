package ops

import "strings"

// peers are the operations by the names that other programs have for them, in small letters and without what joins
// their words: TanmiWorkspace's are those of the catalogue.
var peers = []struct{ op, names string }{
	// the memory manager of an Obsidian plugin
	{"workspace_init", "createworkspace projectinit projectcreate"},
	{"workspace_list", "listworkspaces projectlist listprojects"},
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
	{"session_bind", "memcordbind memcordinit workspaceuse useworkspace workspaceswitch switchworkspace selectworkspace"},
	{"session_unbind", "memcordunbind"},
	// what bridges and environments call theirs
	{"workspace_resolve", "resolveworkspace getworkspace"},
	{"workspace_gc", "gcworkspaces workspacesgc"},
	{"transcript_append", "appendmessage addmessage"},
	{"transcript_read", "readtranscript gettranscript getmessages"},
	{"env_register", "registerenvironment environmentregister"},
	{"env_list", "listenvironments environmentlist"},
	{"env_attach", "attachenvironment environmentattach attachpwd"},
	{"env_detach", "detachenvironment environmentdetach"},
	{"tool_list", "listtools"},
	// trackers of tasks
	{"node_create", "createtask addtask newtask taskcreate createissue issuecreate createsubtask addsubtask"},
	{"node_get", "gettask showtask taskget taskview getissue showissue viewissue"},
	{"node_list", "listtasks gettasks tasklist listissues issuelist"},
	{"node_update", "updatetask edittask taskedit updateissue"},
	{"node_move", "movetask"},
	{"node_transition", "settaskstatus completetask taskcomplete closetask closeissue starttask"},
	{"workspace_check", "validatedependencies"},
	{"node_next", "nexttask getnexttask readyissues"},
	{"search", "searchtasks findtasks"},
	{"workspace_status", "workspacetree"},
	{"workspace_get", "workspacelog workspaceproblem"},
	{"plan_diff", "diff"},
	{"undo", "workspaceundo noderestore restorenode restore undelete nodeundelete undeletenode"},
	{"undo", "nodeundo undonode revert noderevert"},
	{"history_get", "history workspacehistory nodehistory historynode loghistory getnodehistory"},
	{"plan_graph", "sequencelist dependencygraph"},
	{"plan_stats", "overview burndown"},
}

// Peer returns the operation that other programs call by a name, such as createSession or memcord_save.
func Peer(name string) (Operation, bool) {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. :/", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	plain = strings.TrimPrefix(plain, "memorymanager")
	for _, p := range peers {
		for of := range strings.FieldsSeq(p.names) {
			if of == plain {
				return Find(p.op)
			}
		}
	}
	return Operation{}, false
}
