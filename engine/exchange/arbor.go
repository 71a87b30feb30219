package exchange

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"unicode/utf8"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// formatNumber is the number of the form of an export in JSON, its first member.
const formatNumber = 1

// A jsonPlan is an export in JSON. An import reads the files; the other members are for programs.
type jsonPlan struct {
	Arbor     int           `json:"arbor"`
	Workspace jsonWorkspace `json:"workspace"`
	Nodes     []jsonNode    `json:"nodes"`
	Files     []jsonFile    `json:"files,omitempty"`
}

// A jsonFile is a file: its text, or its bytes if these are not UTF-8.
type jsonFile struct {
	Path  mdstore.Path `json:"path"` // below the folder of the workspace
	Text  string       `json:"text,omitempty"`
	Bytes []byte       `json:"base64,omitempty"`
}

type jsonWorkspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Goal string `json:"goal,omitempty"`
	jsonFile
}

type jsonNode struct {
	ID        string `json:"id"`
	ParentID  string `json:"parentId,omitempty"`
	CreatedAt int64  `json:"createdAt,omitempty"` // milliseconds
	UpdatedAt int64  `json:"updatedAt,omitempty"`
	mdstore.Head
	jsonFile
}

func fileOf(p mdstore.Path, dir mdstore.Path, data []byte) jsonFile {
	f := jsonFile{Path: p[len(dir)+1:]}
	if utf8.Valid(data) {
		f.Text = string(data)
	} else {
		f.Bytes = data
	}
	return f
}

func (f jsonFile) data() []byte {
	if len(f.Bytes) > 0 {
		return f.Bytes
	}
	return []byte(f.Text)
}

func writeJSON(p Plan) (string, error) {
	w := p.View.Workspace()
	out := jsonPlan{Arbor: formatNumber, Nodes: []jsonNode{},
		Workspace: jsonWorkspace{string(w.ID), w.Name, w.Goal, fileOf(w.Path, w.Dir, w.Doc.Bytes())}}
	for _, n := range p.Nodes {
		x := jsonNode{ID: string(n.ID), CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, Head: p.View.HeadOn(n, ""),
			jsonFile: fileOf(n.Path, w.Dir, n.Doc().Bytes())}
		if n.ID != mdstore.Root {
			x.ParentID = string(n.Parent)
		}
		out.Nodes = append(out.Nodes, x)
	}
	for _, f := range p.Files {
		out.Files = append(out.Files, fileOf(f.Path, w.Dir, f.Data))
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(out)
	return b.String(), err
}

// isArbor reports whether a file is an export in JSON: its first member says so.
func isArbor(s Source) bool {
	if s.Files != nil || s.Name != "" && strings.ToLower(path.Ext(s.Name)) != ".json" {
		return false
	}
	data, err := s.Read("")
	rest, object := bytes.CutPrefix(bytes.TrimSpace(data), []byte("{"))
	return err == nil && object && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"arbor"`))
}

// readArbor reads an export in JSON. The files of nodes keep every byte; see plan.ImportItem.
func readArbor(r *reader) error {
	data, err := r.Read("")
	if err != nil {
		return err
	}
	var x struct {
		jsonPlan
		Nodes []json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(data, &x); err != nil {
		return refused("%s: %v; the JSON of arbor export json is expected", r.at("", lineOf(data, err)), err)
	}
	if x.Arbor != formatNumber {
		return refused("%s has the form %d of exports; this version of Arbor reads %d", r.named(), x.Arbor, formatNumber)
	}
	dir := mdstore.Path(x.Workspace.ID)
	if !dir.Valid() || mdstore.WorkspaceDir(dir) != dir {
		return refused("%s: workspace.id is %q; the id of a workspace is expected", r.named(), x.Workspace.ID)
	}
	r.out.Scope, r.out.Files = string(dir)+"/", map[mdstore.Path][]byte{}
	if x.Workspace.Path != "" {
		r.out.Files[x.Workspace.Path] = x.Workspace.data()
	}
	for _, f := range x.Files {
		r.out.Files[f.Path] = f.data()
	}
	var nodes []*mdstore.Node
	places := map[mdstore.Path]string{}
	from := 0
	for _, raw := range x.Nodes {
		from += bytes.Index(data[from:], raw)
		at, f := r.at("", 1+bytes.Count(data[:from], []byte("\n"))), jsonFile{}
		err := json.Unmarshal(raw, &f)
		switch p := dir.Join(string(f.Path)); {
		case err != nil:
			r.left(at, "a node is left out: %v", err)
		case !p.Valid() || mdstore.AllKinds().Of(p) != mdstore.NodeKind:
			r.left(at, "its path is %q, where no node is; it is left out", f.Path)
		case places[p] != "":
			r.left(at, "another node has its path %s; it is left out", f.Path)
		default:
			places[p] = at
			nodes = append(nodes, mdstore.ParseNode(mdstore.File{Path: p, Data: f.data()}))
		}
	}
	own := mdstore.File{Path: mdstore.WorkspacePath(dir), Data: x.Workspace.data()}
	v := view.New(mdstore.ParseWorkspace(own), nodes, nil)
	keys := map[mdstore.Path]string{}
	for _, n := range nodes {
		keys[n.Path] = r.unique(r.out.Scope + string(n.ID))
	}
	for _, n := range nodes {
		n, _ = v.File(n.Path) // with the parent that a link names
		r.add(nodeItem(v, n, keys, places[n.Path]))
	}
	return nil
}

// nodeItem returns the item of a node of another workspace.
func nodeItem(v *view.View, n *mdstore.Node, keys map[mdstore.Path]string, at string) plan.ImportItem {
	it := plan.ImportItem{Key: keys[n.Path], At: at, File: n, Links: map[string]string{}}
	it.ID, it.Head, it.CreatedAt = n.ID, n.Head, n.CreatedAt
	if up, ok := v.Node(n.Parent); ok && n.ID != mdstore.Root {
		it.Up = keys[up.Path]
	}
	for _, x := range v.Dependencies(n) {
		if x.Node != nil {
			it.After, it.Links[x.Target] = append(it.After, keys[x.Node.Path]), keys[x.Node.Path]
		}
	}
	for _, x := range n.References() {
		if to, ok := v.Referred(n, x.Target); ok {
			it.Links[x.Target] = keys[to.Path]
		}
	}
	if n.Editable() != nil {
		return it
	}
	for _, l := range plan.TextLinks(string(n.Doc().Bytes()[len(n.Doc().Front()):])) {
		if to, ok := v.Referred(n, l.Target); ok {
			it.Links[l.Target] = keys[to.Path]
		}
	}
	return it
}
