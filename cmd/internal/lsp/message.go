package lsp

import "encoding/json"

// The messages of the protocol that this server uses, in version 3.18. docs/decisions/0010-language-server.md says why
// they are written here. Names of members are those of the protocol.

type position struct {
	Line int `json:"line"`
	Char int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type textEdit struct {
	Range      span   `json:"range"`
	NewText    string `json:"newText"`
	Annotation string `json:"annotationId,omitempty"`
}

type docID struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"` // null for a file that is not open
}

// A fileEdit is a member of documentChanges: edits of a text, or with kind the creation of a file.
type fileEdit struct {
	Doc   *docID     `json:"textDocument,omitempty"`
	Edits []textEdit `json:"edits,omitempty"`
	Kind  string     `json:"kind,omitempty"`
	URI   string     `json:"uri,omitempty"`
}

// An annotation groups edits in a preview, which the client shows if the person asks for it. With needsConfirmation VS
// Code shows it always, and makes only what the person ticks there.
type annotation struct {
	Label string `json:"label"`
}

type workspaceEdit struct {
	Changes     []fileEdit            `json:"documentChanges"`
	Annotations map[string]annotation `json:"changeAnnotations,omitempty"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
	CodeDesc *struct {
		Href string `json:"href"`
	} `json:"codeDescription,omitempty"`
}

type command struct {
	Title   string `json:"title"`
	Command string `json:"command"`
	Args    []any  `json:"arguments,omitempty"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
}

type completionItem struct {
	Label    string    `json:"label"`
	Kind     int       `json:"kind,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Docs     *markup   `json:"documentation,omitempty"`
	Sort     string    `json:"sortText,omitempty"`
	Filter   string    `json:"filterText,omitempty"`
	TextEdit *textEdit `json:"textEdit,omitempty"`
}

type completionList struct {
	Incomplete bool             `json:"isIncomplete"`
	Items      []completionItem `json:"items"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    *span  `json:"range,omitempty"`
}

type symbol struct {
	Name      string   `json:"name"`
	Detail    string   `json:"detail,omitempty"`
	Kind      int      `json:"kind"`
	Range     span     `json:"range"`
	Selection span     `json:"selectionRange"`
	Children  []symbol `json:"children,omitempty"`
}

type workspaceSymbol struct {
	Name      string   `json:"name"`
	Kind      int      `json:"kind"`
	Location  location `json:"location"`
	Container string   `json:"containerName,omitempty"`
}

type docLink struct {
	Range   span   `json:"range"`
	Target  string `json:"target"`
	Tooltip string `json:"tooltip,omitempty"`
}

type codeLens struct {
	Range   span     `json:"range"`
	Command *command `json:"command"`
}

type inlayHint struct {
	Position position `json:"position"`
	Label    string   `json:"label"`
	Before   bool     `json:"paddingLeft"`
}

type hierarchyItem struct {
	Name      string          `json:"name"`
	Kind      int             `json:"kind"`
	Detail    string          `json:"detail,omitempty"`
	URI       string          `json:"uri"`
	Range     span            `json:"range"`
	Selection span            `json:"selectionRange"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// The parameters of requests and notifications.

type textParams struct {
	Doc struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"` // of didOpen
	} `json:"textDocument"`
	Position position `json:"position"`
	Range    span     `json:"range"`
	Changes  []struct {
		Range *span  `json:"range"` // nil for the whole text
		Text  string `json:"text"`
	} `json:"contentChanges"`
	Text    *string `json:"text"`    // of didSave, where the client sends it
	NewName string  `json:"newName"` // of rename
	Context struct {
		Declaration bool     `json:"includeDeclaration"`
		Only        []string `json:"only"`
	} `json:"context"`
}

type folder struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	RootURI string   `json:"rootUri"`
	Folders []folder `json:"workspaceFolders"`
	Client  struct {
		Name string `json:"name"`
	} `json:"clientInfo"`
	Options json.RawMessage `json:"initializationOptions"`
	Can     capabilities    `json:"capabilities"`
}

// capabilities are those of a client that this server asks for.
type capabilities struct {
	General struct {
		Encodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		ApplyEdit bool `json:"applyEdit"`
		Edit      struct {
			Annotations *struct{} `json:"changeAnnotationSupport"`
			Operations  []string  `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		Configuration bool `json:"configuration"`
		InlayHint     struct {
			Refresh bool `json:"refreshSupport"`
		} `json:"inlayHint"`
		CodeLens struct {
			Refresh bool `json:"refreshSupport"`
		} `json:"codeLens"`
	} `json:"workspace"`
	Window struct {
		ShowDocument struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
}
