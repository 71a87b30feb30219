package lsp

import (
	"encoding/json"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/exchange"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// The commands. The argument of each is a deed; the last two use its URI only.
const (
	commandDo      = "arbor.do"       // runs an operation of the catalogue
	commandContext = "arbor.context"  // shows the context of a node
	commandPage    = "arbor.openPage" // opens the page of the vault
)

// A deed is an operation on the workspace of a document, by the person at the editor, and what is to be done with the
// text afterwards.
type deed struct {
	URI       string         `json:"uri"`
	Operation string         `json:"operation"`
	Args      map[string]any `json:"args,omitempty"`

	Link  string `json:"link,omitempty"`  // a reference that is to name the node that was made
	Lines string `json:"lines,omitempty"` // lines that become nodes, and leave the text
	Into  string `json:"into,omitempty"`  // the parent of these nodes
}

// executeCommand runs a command. Its result is that of the operation; what is shown has none.
func executeCommand(s *server, p struct {
	Command string            `json:"command"`
	Args    []json.RawMessage `json:"arguments"`
}) (any, error) {
	var do deed
	ok := len(p.Args) == 1 && json.Unmarshal(p.Args[0], &do) == nil
	switch {
	case ok && p.Command == commandDo:
		return s.do(do)
	case ok && p.Command == commandContext:
		return nil, s.showContext(do.URI)
	case ok && p.Command == commandPage:
		return nil, s.showPage(do.URI)
	}
	return nil, errs.New(errs.InvalidParams, "%s: no such command; %s takes one object with uri, operation and args, "+
		"%s and %s one with uri", p.Command, commandDo, commandContext, commandPage)
}

// do runs an operation of the catalogue.
func (s *server) do(do deed) (any, error) {
	v, dir, err := s.workspaceOf(do.URI)
	if err != nil {
		return nil, err
	}
	ws, err := v.workspaceIn(s.ctx, dir)
	if err != nil {
		return nil, err
	}
	o, ok := ops.Find(do.Operation)
	if !ok {
		return nil, errs.New(errs.InvalidParams, "there is no operation %q", do.Operation)
	}
	if do.Args == nil {
		do.Args = map[string]any{}
	}
	do.Args["workspaceId"] = string(ws)
	var in any
	if do.Lines != "" {
		read := func(string) ([]byte, error) { return []byte(do.Lines), nil }
		in = &ops.ImportIn{In: ops.In{WorkspaceID: string(ws)}, Path: "-", From: "markdown", Into: do.Into,
			RulesRead: true, Source: exchange.Source{Read: read}}
	} else {
		args, err := json.Marshal(do.Args)
		if err != nil {
			return nil, err
		}
		if in, err = o.Read(args); err != nil {
			return nil, err
		}
		if create, ok := in.(*ops.NodeCreateIn); ok {
			create.RulesRead = true // a person has them in Workspace.md
		}
	}
	out, err := o.Run(s.ctx, s.env(v), in)
	if err != nil {
		return nil, err
	}
	for _, d := range s.docs {
		if d.vault == v {
			d.synced, d.checked = false, false
		}
	}
	if d := s.docs[do.URI]; d != nil {
		s.after(d, do, out)
	}
	return out, nil
}

// workspaceOf returns the vault of a file, and the folder of the workspace in it.
func (s *server) workspaceOf(uri string) (*vault, mdstore.Path, error) {
	if d := s.docs[uri]; d != nil {
		return d.vault, mdstore.WorkspaceDir(d.path), nil
	}
	if path, ok := pathOf(uri); ok {
		if v := s.vaultOf(path); v != nil {
			if rel, in := below(v.dir, real(path)); in {
				return v, mdstore.WorkspaceDir(mdstore.Path(rel)), nil
			}
		}
	}
	return nil, "", errs.New(errs.InvalidPath, "%s: no file of a vault; name one of the workspace that is meant", uri)
}

// after changes the text as the deed says: a reference names the node that was made, lines that became nodes leave.
func (s *server) after(d *document, do deed, out any) {
	to := d.text.s
	if made, ok := out.(*ops.NodeCreateOut); ok && do.Link != "" {
		for _, r := range refsIn(to, d.doc()) {
			if r.target == do.Link {
				with := made.NodeID
				if r.wiki && to[r.end] == ']' {
					with += "|" + do.Link
				}
				to = to[:r.start] + with + to[r.end:]
				break
			}
		}
	}
	if do.Lines != "" {
		to = strings.Replace(to, do.Lines, "", 1)
	}
	if edits := d.text.edits(to); len(edits) > 0 {
		version := d.version
		s.ask("workspace/applyEdit", map[string]any{"label": "Arbor: " + do.Operation,
			"edit": workspaceEdit{Changes: []fileEdit{{Doc: &docID{d.uri, &version}, Edits: edits}}},
		}, func(json.RawMessage, *rpcError) {})
	}
}
