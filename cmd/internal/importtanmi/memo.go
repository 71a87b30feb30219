package importtanmi

import (
	"bytes"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// memos takes over the memos as files of the new workspace and as documents of it. The result leads from the ids of the memos to the paths
// of the files, relative to the project.
func (w *workspace) memos(list []*memo) map[string]mdstore.Ref {
	refs := map[string]mdstore.Ref{}
	dir, ok := w.dir.sub(memosDir)
	if !ok {
		dir = &folder{path: w.dir.at(memosDir), rep: w.rep}
	}
	for _, m := range list {
		content, found := w.memoContent(dir, m)
		if !found {
			w.rep.warn(w.dir.at(graphJSON), "memo %s has no %s in its folder, %s: its title and summary are all there is", quote(m.key), contentMD, quote(m.dirName))
		}
		refs[m.key] = w.memo(m, content)
	}
	for _, name := range dir.names {
		if dir.used[name] || !dir.isDir(name) {
			continue
		}
		sub, ok := dir.sub(name)
		if !ok {
			continue
		}
		if sub.isFile(contentMD) {
			w.rep.warn(sub.path, "graph.json does not know this memo: taken over under the name of its folder")
			content, _ := w.text(sub, contentMD)
			w.memo(&memo{key: name, title: withoutSuffix(name)}, content)
		}
		w.keep.rest(sub, path.Join(memosDir, name), 0)
	}
	if ok {
		w.keep.rest(dir, memosDir, 0)
	}
	return refs
}

// memoContent reads a memo from the folder that the graph names, or from the only one that ends like its id.
func (w *workspace) memoContent(dir *folder, m *memo) (string, bool) {
	name := m.dirName
	if !dir.isDir(name) {
		short := shortID(m.key)
		name = ""
		for _, n := range dir.names {
			if short != "" && strings.HasSuffix(n, "_"+short) && dir.isDir(n) && !dir.used[n] {
				name = n
			}
		}
	}
	if name == "" || dir.used[name] {
		return "", false
	}
	sub, ok := dir.sub(name)
	if !ok {
		return "", false
	}
	content, found := w.text(sub, contentMD)
	w.keep.rest(sub, path.Join(memosDir, name), 0)
	return content, found
}

// memo adds a memo's file and document, and returns the reference to it.
func (w *workspace) memo(m *memo, content string) mdstore.Ref {
	name, full := title(m.title, strings.TrimSpace(oneLine(m.key, maxName)))
	if name == "" {
		name = "memo"
	}
	var b strings.Builder
	b.WriteString("---\ntitle: " + yamlText(name) + "\n")
	if full != "" {
		b.WriteString("fullTitle: " + yamlText(full) + "\n")
	}
	if m.summary != "" {
		b.WriteString("description: " + yamlText(m.summary) + "\n")
	}
	if len(m.tags) > 0 {
		tags := make([]string, len(m.tags))
		for i, t := range m.tags {
			tags[i] = yamlText(t)
		}
		b.WriteString("tags: [" + strings.Join(tags, ", ") + "]\n")
	}
	for _, f := range [][2]string{{"id", m.key}, {"createdAt", m.created}, {"updatedAt", m.updated}} {
		if f[1] != "" {
			b.WriteString(f[0] + ": " + yamlText(f[1]) + "\n")
		}
	}
	if len(m.rest) > 0 {
		b.WriteString(yamlMembers(m.rest))
	}
	b.WriteString("---\n\n" + content)
	if content != "" && !strings.HasSuffix(content, "\n") {
		b.WriteByte('\n')
	}
	file := w.keep.put(path.Join(memosDir, fileName(name)+".md"), []byte(b.String()))
	r := mdstore.Ref{Target: w.projectPath(file), Description: name}
	if s := strings.TrimSpace(oneLine(m.summary, 400)); s != "" {
		r.Description += ": " + s
	}
	if _, ok := r.Format(); !ok {
		r.Description = ""
	}
	w.imp.Docs = append(w.imp.Docs, r)
	r.Description = name
	if _, ok := r.Format(); !ok {
		r.Description = ""
	}
	return r
}

// projectPath returns the path of a file of the new workspace, relative to the project.
func (w *workspace) projectPath(file string) string {
	dir := path.Join(w.r.opt.VaultName, string(w.imp.ID))
	if w.imp.Archived {
		dir = path.Join(w.r.opt.VaultName, mdstore.ArchiveDir, string(w.imp.ID))
	}
	return path.Join(dir, file)
}

// yamlText returns a text as a YAML scalar in double quotes. The escapes of Go's quoting are YAML's.
func yamlText(s string) string { return strconv.Quote(cleanText(s)) }

// yamlMembers returns members of a JSON object as lines of YAML, of which JSON values are a part.
func yamlMembers(list []member) string {
	var b strings.Builder
	for _, m := range list {
		key := m.key
		if key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			key = jsonText(key)
		}
		b.WriteString(key + ": " + jsonLine(m.raw) + "\n")
	}
	return b.String()
}

// jsonLine returns a JSON value on one line.
func jsonLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return jsonText(string(raw))
	}
	return cleanText(b.String())
}
