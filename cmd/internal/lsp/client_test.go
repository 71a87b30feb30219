package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// An editor is a client over the server of a vault. Its methods belong to the goroutine of the test.
type editor struct {
	t     *testing.T
	dir   string // the vault
	state string // of the engine: what undo knows
	wire  *wire
	in    chan *packet
	utf8  bool

	texts map[string]string // open documents, by URI
	vers  map[string]int
	found map[string][]diagnostic // published, by URI
	shown []string

	lies    bool                              // workspace/applyEdit is said to be done, also where it was not
	decline bool                              // workspace/applyEdit is declined
	before  func(uri string, es []textEdit)   // called before edits of the server are made
	asked   func(method string, p rawMessage) // hears requests of the server
}

type rawMessage = json.RawMessage

// patience ends a test that waits for what never comes.
const patience = time.Minute

// edit starts a server over the files and returns an editor of them.
func edit(t *testing.T, files map[mdstore.Path][]byte, utf8 bool) *editor {
	t.Helper()
	return editIn(t, enginetest.Place(t, files), utf8)
}

func editIn(t *testing.T, dir string, utf8 bool) *editor {
	t.Helper()
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t: t, dir: real(dir), utf8: utf8, in: make(chan *packet, 1000), texts: map[string]string{},
		vers: map[string]int{}, found: map[string][]diagnostic{}, state: t.TempDir()}
	e.wire = &wire{in: bufio.NewReader(toEditor), out: fromEditor}
	st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	served, err := engine.Open(t.Context(), st, engine.Options{Vault: dir, Project: filepath.Dir(dir), State: e.state})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(context.Background(), toServer, fromServer, Options{
			Page: func(context.Context, *engine.Engine) (string, error) { return "http://127.0.0.1:1/#token=x", nil },
			Open: func(_ context.Context, at string) (*engine.Engine, error) {
				if _, in := below(filepath.Dir(e.dir), at); !in {
					return nil, errs.New(errs.VaultNotFound, "no vault")
				}
				return served, nil
			}})
		fromServer.Close()
	}()
	go func() {
		for {
			p, err := e.wire.read()
			if err != nil {
				close(e.in)
				return
			}
			e.in <- p
		}
	}()
	t.Cleanup(func() {
		e.call("shutdown", nil, nil)
		e.tell("exit", nil)
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		st.Close()
	})
	encodings := []string{"utf-16"}
	if utf8 {
		encodings = []string{"utf-8", "utf-16"}
	}
	var out struct {
		Capabilities struct {
			Encoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	e.call("initialize", map[string]any{
		"workspaceFolders": []folder{{uriOf(filepath.Dir(e.dir))}},
		"capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": encodings},
			"workspace": map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{
				"documentChanges": true, "changeAnnotationSupport": map[string]any{},
				"resourceOperations": []string{"create", "rename", "delete"}}},
			"window": map[string]any{"showDocument": map[string]any{"support": true}},
		},
	}, &out)
	if want := encodings[0]; out.Capabilities.Encoding != want {
		t.Fatalf("positionEncoding = %s, want %s", out.Capabilities.Encoding, want)
	}
	e.tell("initialized", map[string]any{})
	return e
}

func (e *editor) uri(p mdstore.Path) string {
	return uriOf(filepath.Join(e.dir, filepath.FromSlash(string(p))))
}

// tell sends a notification.
func (e *editor) tell(method string, params any) {
	if err := e.wire.notify(nil, method, params); err != nil {
		e.t.Fatal(err)
	}
}

// call sends a request and waits for its response, which must be no error.
func (e *editor) call(method string, params, out any) {
	e.t.Helper()
	if err := e.try(method, params, out); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// try is call with the error of the response.
func (e *editor) try(method string, params, out any) error {
	e.t.Helper()
	e.wire.last++
	id := strconv.FormatInt(e.wire.last, 10)
	if err := e.wire.notify(rawMessage(id), method, params); err != nil {
		e.t.Fatal(err)
	}
	var answer *packet
	e.until("the response to "+method, func(p *packet) bool {
		if p.Method == "" && string(p.ID) == id {
			answer = p
		}
		return answer != nil
	})
	if answer.Error != nil {
		return answer.Error
	}
	if out != nil && answer.Result != nil {
		if err := json.Unmarshal(answer.Result, out); err != nil {
			e.t.Fatalf("%s answers %s: %v", method, answer.Result, err)
		}
	}
	return nil
}

// until handles messages of the server until one is what is waited for.
func (e *editor) until(what string, is func(*packet) bool) {
	e.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case p, ok := <-e.in:
			if !ok {
				e.t.Fatalf("the server ended before %s", what)
			}
			e.hear(p)
			if is(p) {
				return
			}
		case <-deadline:
			e.t.Fatalf("no %s; texts: %q", what, e.texts)
		}
	}
}

// hear does what the server asks for.
func (e *editor) hear(p *packet) {
	if e.asked != nil && p.Method != "" && p.ID != nil {
		e.asked(p.Method, p.Params)
	}
	switch p.Method {
	case "textDocument/publishDiagnostics":
		var in struct {
			URI         string       `json:"uri"`
			Diagnostics []diagnostic `json:"diagnostics"`
		}
		if err := json.Unmarshal(p.Params, &in); err != nil {
			e.t.Error(err)
		}
		e.found[in.URI] = in.Diagnostics
	case "window/showMessage":
		e.shown = append(e.shown, string(p.Params))
	case "window/showDocument":
		e.shown = append(e.shown, string(p.Params))
		e.wire.respond(p.ID, map[string]any{"success": true}, nil)
	case "workspace/applyEdit":
		var in struct {
			Edit workspaceEdit `json:"edit"`
		}
		if err := json.Unmarshal(p.Params, &in); err != nil {
			e.t.Error(err)
		}
		ok := !e.decline && e.apply(in.Edit)
		e.wire.respond(p.ID, map[string]any{"applied": ok || e.lies}, nil)
	default:
		if p.Method != "" && p.ID != nil {
			e.wire.respond(p.ID, nil, nil)
		}
	}
}

// apply makes an edit, as editors do: nothing of it if a version is no longer right.
func (e *editor) apply(in workspaceEdit) bool {
	for _, c := range in.Changes {
		if c.Doc != nil && e.before != nil {
			e.before(c.Doc.URI, c.Edits)
		}
		if c.Doc != nil && c.Doc.Version != nil && *c.Doc.Version != e.vers[c.Doc.URI] {
			return false
		}
	}
	for _, c := range in.Changes {
		if c.Kind == "create" {
			path, _ := pathOf(c.URI)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
				e.t.Error(err)
			}
			continue
		}
		now, open := e.texts[c.Doc.URI]
		path, _ := pathOf(c.Doc.URI)
		if !open {
			data, err := os.ReadFile(path)
			if err != nil {
				e.t.Error(err)
			}
			now = string(data)
		}
		t := newText(now, !e.utf8)
		edits := slices.Clone(c.Edits)
		slices.SortFunc(edits, func(a, b textEdit) int { return t.offset(b.Range.Start) - t.offset(a.Range.Start) })
		for _, x := range edits { // from the end, so that places before stay
			now = now[:t.offset(x.Range.Start)] + x.NewText + now[t.offset(x.Range.End):]
		}
		if open {
			e.change(c.Doc.URI, nil, now)
		} else if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			e.t.Error(err)
		}
	}
	return true
}

// open opens a file.
func (e *editor) open(p mdstore.Path) (uri string) {
	e.t.Helper()
	data, err := os.ReadFile(filepath.Join(e.dir, filepath.FromSlash(string(p))))
	if err != nil {
		e.t.Fatal(err)
	}
	uri = e.uri(p)
	delete(e.found, uri) // what is published from now on is about the open document
	e.texts[uri], e.vers[uri] = string(data), 1
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "markdown", "version": 1, "text": string(data)}})
	return uri
}

// change replaces a range, or the whole text, and tells the server.
func (e *editor) change(uri string, in *span, with string) {
	e.vers[uri]++
	c := map[string]any{"text": with}
	if in == nil {
		e.texts[uri] = with
	} else {
		c["range"] = in
		e.texts[uri] = newText(e.texts[uri], !e.utf8).edited(in, with).s
	}
	e.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": e.vers[uri]}, "contentChanges": []any{c}})
}

// replace changes the first old in a text to with.
func (e *editor) replace(uri, old, with string) {
	e.t.Helper()
	at := strings.Index(e.texts[uri], old)
	if at < 0 {
		e.t.Fatalf("%q is not in %q", old, e.texts[uri])
	}
	t := newText(e.texts[uri], !e.utf8)
	in := t.span(at, at+len(old))
	e.change(uri, &in, with)
}

// save writes a text to its file.
func (e *editor) save(uri string) {
	e.t.Helper()
	path, _ := pathOf(uri)
	if err := os.WriteFile(path, []byte(e.texts[uri]), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.tell("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// codes waits until the diagnostics of a file have these codes, sorted.
func (e *editor) codes(uri string, want ...string) {
	e.t.Helper()
	now := func() []string {
		all := []string{}
		for _, d := range e.found[uri] {
			all = append(all, d.Code)
		}
		slices.Sort(all)
		return all
	}
	if slices.Equal(now(), want) && e.found[uri] != nil {
		return
	}
	e.until(fmt.Sprintf("diagnostics %v of %s", want, uri), func(*packet) bool {
		return slices.Equal(now(), want) && e.found[uri] != nil
	})
}

// at returns the parameters of a request about a place: that of the first mark | in sample, which is a part of the text
// with the mark added.
func (e *editor) at(uri, sample string) map[string]any {
	e.t.Helper()
	before, after, _ := strings.Cut(sample, "|")
	at := strings.Index(e.texts[uri], before+after)
	if at < 0 {
		e.t.Fatalf("%q is not in %q", before+after, e.texts[uri])
	}
	return map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": newText(e.texts[uri], !e.utf8).position(at + len(before))}
}

// outside returns another engine on the vault, as an assistant's process has one.
func (e *editor) outside() *engine.Engine {
	return enginetest.Open(e.t, enginetest.OpenDir(e.t, e.dir))
}

// reload reads a changed file again, as an editor does where its text has no edits. It reports whether the file has want
// now.
func (e *editor) reload(uri, want string) bool {
	path, _ := pathOf(uri)
	data, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	if string(data) != e.texts[uri] {
		e.change(uri, nil, string(data))
	}
	return strings.Contains(string(data), want)
}
