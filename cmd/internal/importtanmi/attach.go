package importtanmi

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"arbor/mdstore"
)

// maxDocs is how many attached files become documents of the workspace, or of one node.
const maxDocs = 300

// readMemos finds the files of the memos that graph.json lists, and makes the file of every memo a document of the
// workspace.
func (w *workspace) readMemos(g graphFile) {
	about := map[string]string{} // by file
	for _, key := range slices.Sorted(maps.Keys(g.Memos)) {
		w.src.keep(graphJSON, "it holds what is said of memos")
		var m memoEntry
		_ = json.Unmarshal(g.Memos[key], &m)
		file := path.Join(memosDir, m.DirName, contentMD)
		if _, ok := w.src.data[file]; !ok || about[file] != "" {
			w.warn(graphJSON, "memo %s has no %s in its folder, %s", key, contentMD, m.DirName)
			continue
		}
		about[file] = titleLine(strings.Trim(cmp.Or(m.Title, key)+": "+m.Summary, ": \n"))
		w.memos[key] = w.document(file, about[file])
	}
	for _, file := range w.src.names {
		dir, name := path.Split(file)
		if name != contentMD || !strings.HasPrefix(dir, memosDir+"/") {
			continue
		}
		w.src.keep(file, "it is a memo")
		if len(w.imp.Docs) < maxDocs {
			w.imp.Docs = append(w.imp.Docs, w.document(file, cmp.Or(about[file], titleOf(path.Base(dir)))))
		}
	}
}

// document returns a reference to a file that is attached.
func (w *workspace) document(file, description string) mdstore.Ref {
	dir := mdstore.Path(w.opt.VaultName)
	if w.imp.Archived {
		dir = dir.Join(mdstore.ArchiveDir)
	}
	r := mdstore.Ref{Target: string(dir.Join(string(w.imp.ID), w.src.target[file])), Description: description}
	if len(w.src.data[file]) > mdstore.MaxFileSize {
		r.Target += ".part001"
	}
	if !holdsRef(r) {
		r.Description = ""
	}
	return r
}

// attach adds the files that are not used as a whole, each with a warning. Those in a node's folder become its
// documents.
func (w *workspace) attach() {
	w.imp.Files = map[string][]byte{}
	for _, file := range w.src.names {
		if w.src.used[file] && len(w.src.why[file]) == 0 {
			continue
		}
		parts := w.src.parts(file)
		maps.Copy(w.imp.Files, parts)
		why := cmp.Or(strings.Join(w.src.why[file], "; "), "Arbor has no place for it")
		if rest, ok := strings.CutPrefix(file, nodesDir+"/"); ok {
			folder, _, _ := strings.Cut(rest, "/")
			i, ok := w.owner[folder]
			if !ok {
				why = "its folder belongs to no node of graph.json"
			} else if n := &w.imp.Nodes[i]; len(n.Docs) < maxDocs {
				n.Docs = append(n.Docs, w.document(file, "attached by the import"))
			}
		}
		names := slices.Sorted(maps.Keys(parts))
		where := slices.Compact([]string{names[0], names[len(names)-1]})
		w.warn(file, "attached as %s: %s", strings.Join(where, " to "), why)
	}
}
