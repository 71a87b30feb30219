package plan

import (
	"path"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// A TextLink is a link in a text outside of code: [[Target|words]] or [words](Target#heading).
type TextLink struct {
	Target     string
	Start, End int  // of the target
	Wiki       bool // it has the first form
}

var (
	codeText = pattern.Of("(?ms)^[ \t]*```.*?^[ \t]*```|^[ \t]*~~~.*?^[ \t]*~~~|`[^`\n]*`")
	wikiForm = pattern.Of(`\[\[([^\]\[|#^\n]+)[^\]\[\n]*\]\]`)
	linkForm = pattern.Of(`\]\((?:<([^<>#\n]+)[^<>\n]*>|([^()<>\s#]+)[^()\n]*)\)`)
)

// TextLinks returns the links in a text, in its order.
func TextLinks(text string) (all []TextLink) {
	text = codeText().ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	for _, m := range wikiForm().FindAllStringSubmatchIndex(text, -1) {
		all = append(all, TextLink{text[m[2]:m[3]], m[2], m[3], true})
	}
	for _, m := range linkForm().FindAllStringSubmatchIndex(text, -1) {
		at := m[2]
		if at < 0 {
			at = m[4]
		}
		all = append(all, TextLink{text[at:max(m[3], m[5])], at, max(m[3], m[5]), false})
	}
	slices.SortFunc(all, func(a, b TextLink) int { return a.Start - b.Start })
	return all
}

// placeFiles gives the items with files their paths: those that they had, unless their ids or these paths are taken.
func (m *importing) placeFiles() {
	taken := map[mdstore.Path]bool{}
	for i, it := range m.Items {
		if it.File == nil || m.ids[i] == "" {
			continue
		}
		n, old := m.d.View.Node(m.ids[i])
		p := m.d.View.Workspace().Dir.Join(inWorkspace(it.File.Path))
		switch {
		case old:
			p = n.Path
		case m.ids[i] != it.ID || taken[p] || occupied(m.d.View, p.Dir()):
			p = newFile(m.d, m.ids[i], it.Title)
		}
		taken[p], m.paths[it.Key] = true, p
	}
}

// inWorkspace returns a path below the folder of its workspace.
func inWorkspace(p mdstore.Path) string { return string(p[len(mdstore.WorkspaceDir(p))+1:]) }

// relinked returns the file of an item with links that follow: to nodes with other ids or in other folders, and from a
// node in another folder.
func (m *importing) relinked(it *ImportItem) *mdoc.Doc {
	doc := it.File.Doc()
	if doc.Editable() != nil {
		return doc
	}
	front := string(doc.Front())
	body := string(doc.Bytes()[len(front):])
	links := TextLinks(body)
	for _, l := range slices.Backward(links) {
		if to := m.follow(it, l); to != l.Target {
			body = body[:l.Start] + to + body[l.End:]
		}
	}
	now, problems := mdoc.Parse(doc.Name(), []byte(front+body), mdstore.NodeForm)
	if len(links) == 0 || len(problems) > 0 {
		return doc
	}
	return now
}

// follow returns the target of a link of an item's file that leads to the same place.
func (m *importing) follow(it *ImportItem, l TextLink) string {
	moved := func(it *ImportItem) bool { return inWorkspace(it.File.Path) != inWorkspace(m.paths[it.Key]) }
	k, ok := m.at[it.Links[l.Target]]
	switch {
	case !ok && moved(it) && (strings.HasPrefix(l.Target, "../") || strings.HasPrefix(l.Target, "./")):
		at := path.Join(path.Dir(inWorkspace(it.File.Path)), l.Target)
		return m.relative(it, at)
	case !ok:
		return l.Target
	case l.Target == string(m.Items[k].ID):
		return string(m.ids[k])
	case !moved(it) && !moved(&m.Items[k]):
		return l.Target
	case !strings.Contains(l.Target, "/"):
		return string(m.ids[k])
	}
	to := strings.ReplaceAll(m.relative(it, inWorkspace(m.paths[m.Items[k].Key])), " ", "%20")
	if path.Ext(l.Target) == "" {
		to = strings.TrimSuffix(to, path.Ext(to))
	}
	return to
}

// relative returns a path in the workspace as a link from the file of an item.
func (m *importing) relative(it *ImportItem, to string) string {
	from := strings.Split(path.Dir(inWorkspace(m.paths[it.Key])), "/")
	all := strings.Split(to, "/")
	for len(from) > 0 && len(all) > 1 && from[0] == all[0] {
		from, all = from[1:], all[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(all, "/")
}

// carried returns the path of a document that comes along with the workspace, which names it by the folder that it had.
func (m *importing) carried(target string) string {
	if _, rel, ok := strings.Cut("/"+target, "/"+m.Scope+importedDir+"/"); ok && m.Files != nil {
		rel = importedDir + "/" + rel
		if _, is := m.Files[mdstore.Path(rel)]; is {
			return string(mdstore.Path(m.Vault).Join(string(m.d.View.Workspace().Dir), rel))
		}
	}
	return target
}

// carry adds the edits of documents that come along, in a file of the workspace or of a node.
func (m *importing) carry(doc *mdoc.Doc, section string, put func(mdoc.Patch, error)) {
	for i, item := range doc.Items(section) {
		r := mdstore.ParseRef(item.Text)
		to := m.carried(r.Target)
		if to == r.Target || !item.Listed {
			continue
		}
		if r.Target = to; r.Target != "" {
			if text, ok := r.Format(); ok {
				put(doc.ReplaceItem(section, i, text))
			}
		}
	}
}
