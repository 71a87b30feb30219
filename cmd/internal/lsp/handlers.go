package lsp

import "encoding/json"

// A row is a request or notification that the server handles.
type row struct {
	method   string
	handle   handler
	provider string // the capability that offers it; "" for none
	options  any    // of the capability
}

// rows is the table of what the server handles.
func rows() []row {
	return []row{
		{"initialize", decoded(initialize), "", nil},
		{"initialized", ignored, "", nil},
		{"shutdown", shutdown, "", nil},
		{"$/cancelRequest", ignored, "", nil}, // each request is answered at once
		{"$/setTrace", ignored, "", nil},
		{"workspace/didChangeConfiguration", decoded(configured), "", nil},
		{"workspace/didChangeWorkspaceFolders", decoded(foldersChanged), "", nil},
		{"workspace/didChangeWatchedFiles", ignored, "", nil}, // the server watches the vault itself
		{"textDocument/didOpen", decoded(didOpen), "", nil},
		{"textDocument/didChange", decoded(didChange), "", nil},
		{"textDocument/didSave", decoded(didSave), "", nil},
		{"textDocument/didClose", decoded(didClose), "", nil},
		{"arbor/holds", decoded(holds), "", nil},
		{"textDocument/completion", decoded(completion), "completionProvider",
			map[string]any{"triggerCharacters": []string{"[", " ", ":", "#", "-", "@"}}},
		{"textDocument/hover", decoded(hoverAt), "hoverProvider", true},
		{"textDocument/definition", decoded(definition), "definitionProvider", true},
		{"textDocument/references", decoded(references), "referencesProvider", true},
		{"textDocument/documentLink", decoded(documentLinks), "documentLinkProvider", map[string]any{}},
		{"textDocument/documentSymbol", decoded(documentSymbols), "documentSymbolProvider", true},
		{"textDocument/codeAction", decoded(codeActions), "codeActionProvider",
			map[string]any{"codeActionKinds": []string{kindFix, kindRewrite, kindExtract}}},
		{"workspace/executeCommand", decoded(executeCommand), "executeCommandProvider",
			map[string]any{"commands": []string{commandDo, commandContext, commandPage}}},
		{"textDocument/prepareRename", decoded(prepareRename), "", nil},
		{"textDocument/rename", decoded(rename), "renameProvider", map[string]any{"prepareProvider": true}},
		{"textDocument/prepareCallHierarchy", decoded(prepareHierarchy), "callHierarchyProvider", true},
		{"callHierarchy/incomingCalls", calls("from", waiting), "", nil},
		{"callHierarchy/outgoingCalls", calls("to", waitedFor), "", nil},
		{"textDocument/inlayHint", decoded(inlayHints), "inlayHintProvider", true},
		{"textDocument/codeLens", decoded(codeLenses), "codeLensProvider", map[string]any{}},
		{"workspace/willRenameFiles", decoded(willRenameFiles), "", nil},
		{"workspace/didRenameFiles", ignored, "", nil}, // the server watches the vault itself
		{"workspace/symbol", decoded(workspaceSymbols), "workspaceSymbolProvider", true},
	}
}

func handlers() map[string]handler {
	all := map[string]handler{}
	for _, r := range rows() {
		all[r.method] = r.handle
	}
	return all
}

// provided returns the capabilities of the rows, with their options.
func provided() map[string]any {
	all := map[string]any{}
	for _, r := range rows() {
		if r.provider != "" {
			all[r.provider] = r.options
		}
	}
	return all
}

func shutdown(s *server, _ json.RawMessage) (any, error) {
	s.ended = true
	return nil, nil
}

func configured(s *server, p struct {
	Settings json.RawMessage `json:"settings"`
}) (any, error) {
	s.set.read(p.Settings)
	for _, v := range s.vaults {
		v.all = true
	}
	for _, d := range s.docs {
		d.checked = false
	}
	s.refreshHints()
	return nil, nil
}

func foldersChanged(s *server, p struct {
	Event struct {
		Added []folder `json:"added"`
	} `json:"event"`
}) (any, error) {
	for _, f := range p.Event.Added {
		if dir, ok := pathOf(f.URI); ok {
			s.vaultOf(dir)
		}
	}
	return nil, nil
}
