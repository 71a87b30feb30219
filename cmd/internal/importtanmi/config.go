package importtanmi

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"path"
	"strings"

	"arbor/mdstore"
)

// config reads workspace.json and decides on the id. It returns the id of the root node; ok is false where nothing could be read.
func (w *workspace) config() (root string, ok bool) {
	var list []member
	if data, ok := w.dir.read(workspaceJSON); !ok {
		w.rep.warn(w.dir.at(workspaceJSON), "is missing: the workspace's id comes from its folder")
	} else {
		var err error
		if list, err = members(bytes.TrimPrefix(data, bom)); err != nil {
			w.rep.warn(w.dir.at(workspaceJSON), "is damaged: %v; what stands before the damage is taken", err)
			w.damaged[workspaceJSON] = data
		}
	}
	o := newObject(w.dir.at(workspaceJSON), "", list, w.rep)
	id, status := o.line("id"), o.line("status")
	w.imp.Name = o.line("name")
	w.imp.CreatedAt, w.imp.UpdatedAt = o.millis("createdAt"), o.millis("updatedAt")
	root = o.line("rootNodeId")
	dirName := o.line("dirName")
	switch w.imp.Archived = status == mdstore.StatusArchived || archived(w.dir); {
	case archived(w.dir) && status == mdstore.StatusActive:
		w.rep.warn(o.path, "status is active, but the folder lies in the archive, and that counts")
	case status != "" && status != mdstore.StatusActive && status != mdstore.StatusArchived:
		w.rep.warn(o.path, "status is %s, which Arbor does not know", quote(status))
	}
	w.imp.ID = w.freeID(id, dirName)
	w.keep.fields(o.path, o.rest(), w.rep)
	return root, len(list) > 0
}

// freeID returns the workspace's id; where it is none, or another workspace has it, one that is made of it.
func (w *workspace) freeID(id, dirName string) mdstore.ID {
	got := mdstore.ID(id)
	if !got.Valid() {
		base := path.Base(w.dir.path)
		if base == "." {
			base = dirName
		}
		switch _, short, ok := strings.Cut(base[max(0, strings.LastIndexByte(base, '_')):], "_"); {
		case ok && mdstore.ID("ws-"+short).Valid():
			got = mdstore.ID("ws-" + short)
		case mdstore.ID(base).Valid():
			got = mdstore.ID(base)
		default:
			got = mdstore.ID("ws-" + digest(base+id))
		}
		if id != "" {
			w.rep.warn(w.dir.at(workspaceJSON), "%s is no id that Arbor takes: the workspace becomes %s", quote(id), got)
		}
	}
	free := got
	for n := 2; w.r.ids[free]; n++ {
		free = mdstore.ID(fmt.Sprintf("%.120s-%d", got, n))
	}
	if free != got {
		w.rep.warn(w.dir.at(workspaceJSON), "another workspace has the id %s: this one becomes %s", got, free)
	}
	w.r.ids[free] = true
	return free
}

// digest returns eight hex digits that stand for a text.
func digest(s string) string {
	h := fnv.New32a()
	h.Write([]byte(s))
	return fmt.Sprintf("%08x", h.Sum32())
}
