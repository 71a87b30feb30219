package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

// A document is an open file of a vault, and what is known of its text here and on the disk.
type document struct {
	uri     string
	vault   *vault
	path    mdstore.Path
	kind    *mdstore.Kind
	version int   // as the client counts
	text    *text // as the client has it

	base string                   // the last text that the client and the disk shared
	disk string                   // the file's text, in the form of the client's: see asClient
	own  map[mdstore.Version]bool // texts that the client had since base: what it saves is one of them

	sent     *sent  // the edit that the client has not answered yet
	declined bool   // the client did not make the last edit
	stands   string // what the client's text keeps and a commit had changed too; "" for none

	synced, checked bool // nothing is to be done about the disk; about diagnostics

	parsed    *mdstore.File // of file, while the text is the same
	parsedDoc *mdoc.Doc     // of doc, likewise
}

// A sent is an edit that brings a commit into the text of the client.
type sent struct {
	version int
	disk    string
	adds    []string // the text that it adds
	said    bool     // the client says that it has made it
}

// mostOwn bounds the remembered texts of a document. With more, the oldest do not matter: an editor saves its last one.
const mostOwn = 4096

// dirty reports whether the client has text that is not on the disk.
func (d *document) dirty() bool { return d.text.s != d.disk }

// file returns the text of the client as a file of the vault.
func (d *document) file() mdstore.File {
	if d.parsed == nil {
		data := []byte(d.text.s)
		d.parsed = &mdstore.File{Path: d.path, Version: mdstore.VersionOf(data), Data: data}
	}
	return *d.parsed
}

// become gives the document another text of the client.
func (d *document) become(t *text, version int) {
	if len(d.own) >= mostOwn {
		clear(d.own)
	}
	d.own[mdstore.VersionOf([]byte(d.text.s))] = true
	d.text, d.version, d.parsed, d.parsedDoc = t, version, nil, nil
	d.synced, d.checked = false, false
	if d.sent != nil && d.sent.said {
		d.settle()
	}
}

// settle ends the wait for an edit that the client says it has made. Its text tells whether that is so: Neovim says it
// also of an edit that came too late, and drops it. Then it is computed again.
func (d *document) settle() {
	lacks := func(added string) bool { return !strings.Contains(d.text.s, added) }
	if !slices.ContainsFunc(d.sent.adds, lacks) {
		d.base, d.declined = d.sent.disk, false
	}
	d.sent, d.synced = nil, false
}

// asClient returns the bytes of a file as an editor has them: without a byte order mark, and with the line ends that
// the text of the client has.
func asClient(data []byte, like string) string {
	s := strings.TrimPrefix(string(data), "\ufeff")
	if !strings.Contains(like, "\r\n") && strings.Contains(like, "\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s
}

// didOpen begins with a document. A file outside of all vaults is left alone.
func didOpen(s *server, p textParams) (any, error) {
	path, ok := pathOf(p.Doc.URI)
	if !ok || filepath.Ext(path) != ".md" {
		return nil, nil
	}
	v := s.vaultOf(filepath.Dir(path))
	if v == nil {
		return nil, nil
	}
	rel, in := below(v.dir, filepath.Join(real(filepath.Dir(path)), filepath.Base(path)))
	kind := mdstore.AllKinds().Of(mdstore.Path(rel))
	if !in || kind == nil {
		return nil, nil
	}
	d := &document{uri: p.Doc.URI, vault: v, path: mdstore.Path(rel), kind: kind, version: p.Doc.Version,
		text: newText(p.Doc.Text, s.wide), own: map[mdstore.Version]bool{}}
	if f, err := v.engine.FileAt(s.ctx, d.path); err == nil {
		d.disk = asClient(f.Data, d.text.s)
	}
	d.base = d.disk
	s.docs[d.uri] = d
	return nil, nil
}

func didChange(s *server, p textParams) (any, error) {
	d := s.docs[p.Doc.URI]
	if d == nil {
		return nil, nil
	}
	t := d.text
	for _, c := range p.Changes {
		t = t.edited(c.Range, c.Text)
	}
	d.become(t, p.Doc.Version)
	s.agree(d)
	return nil, nil
}

func didSave(s *server, p textParams) (any, error) {
	if d := s.docs[p.Doc.URI]; d != nil {
		d.synced, d.checked = false, false
	}
	return nil, nil
}

// holds reports whether the text of a document has all that its file on the disk has: then the file may be written
// without a question. The protocol has no such request: the extension for VS Code asks it before a save.
func holds(s *server, p textParams) (any, error) {
	d := s.docs[p.Doc.URI]
	if d == nil {
		return false, nil
	}
	s.sync(d)
	return d.disk == d.base && d.sent == nil && !d.declined, nil
}

func didClose(s *server, p textParams) (any, error) {
	if d := s.docs[p.Doc.URI]; d != nil {
		delete(s.docs, p.Doc.URI)
		d.vault.suspect[d.path] = true // the file counts again
	}
	return nil, nil
}

// sync compares a document with the disk, and brings into unsaved text what a commit has changed in the file. Where
// both changed the same place, the text of the client stands, as it would at the save.
func (s *server) sync(d *document) {
	if d.sent != nil && d.sent.said {
		d.settle() // no text has come, and there is news
	}
	d.synced = true
	f, err := d.vault.engine.FileAt(s.ctx, d.path)
	if err != nil || f.Version.IsZero() {
		return // it is gone, or a program is replacing it: news will come
	}
	d.disk = asClient(f.Data, d.text.s)
	switch {
	case d.disk == d.text.s, d.own[mdstore.VersionOf([]byte(d.disk))]: // the client has it, or has saved it
		d.base, d.declined, d.stands = d.disk, false, ""
		if d.disk == d.text.s {
			clear(d.own)
		}
		return
	case d.disk == d.base, d.sent != nil:
		return
	case d.text.s == d.base: // not edited: the editor reads the file again by itself
		return
	case damaged(d.path, f):
		return // half of a save: news will come
	}
	joined, missing := merge.Save(d.path, []byte(d.base), []byte(d.disk), []byte(d.text.s))
	if joined == nil {
		return
	}
	d.stands = strings.Join(missing, ", ")
	edits := d.text.edits(string(joined))
	if len(edits) == 0 {
		d.base, d.declined = d.disk, false
		return
	}
	if !s.can.Workspace.ApplyEdit {
		d.declined = true
		return
	}
	d.sent = &sent{version: d.version, disk: d.disk}
	for _, e := range edits {
		d.sent.adds = append(d.sent.adds, e.NewText)
	}
	version := d.version
	s.ask("workspace/applyEdit", map[string]any{
		"label": "Arbor: what was committed to " + string(d.path),
		"edit":  workspaceEdit{Changes: []fileEdit{{Doc: &docID{d.uri, &version}, Edits: edits}}},
	}, func(raw json.RawMessage, failed *rpcError) { s.applied(d, raw, failed) })
}

// applied notes the client's answer to an edit. If it has made the edit, the text with it comes before the answer or
// after it. A declined edit is sent again when the text has changed: it may have been computed for an older one.
func (s *server) applied(d *document, raw json.RawMessage, failed *rpcError) {
	var out struct {
		Applied bool `json:"applied"`
	}
	edit := d.sent
	if edit == nil {
		return
	}
	d.checked = false
	if failed == nil && json.Unmarshal(raw, &out) == nil && out.Applied {
		if edit.said = true; d.version != edit.version {
			d.settle()
		}
		return
	}
	d.sent = nil
	d.declined = d.version == edit.version
	d.synced = d.declined
}

// damaged reports whether a file has no front matter that can be read.
func damaged(p mdstore.Path, f mdstore.File) bool {
	switch k := mdstore.AllKinds().Of(p); k {
	case mdstore.NodeKind:
		return mdstore.ParseNode(f).Lost()
	case mdstore.WorkspaceKind:
		return mdstore.ParseWorkspace(f).Lost()
	default:
		return len(f.Data) == 0
	}
}
