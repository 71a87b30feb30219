package mcpserv

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// scheme begins the URI of every resource.
const scheme = "arbor://"

const shownURI = 200 // bytes of a URI that an error shows

// A view is what a resource shows of a workspace. It is the element of the URI behind the workspace.
type view string

const (
	viewWorkspace view = "workspace" // Workspace.md as it stands
	viewTree      view = "tree"      // the tree with its statuses
	viewNode      view = "nodes"     // a Node.md as it stands
	viewContext   view = "context"   // what somebody working on a node must know
)

// ofNode reports whether a resource is one of many in a workspace, so that its URI names a node.
func (v view) ofNode() bool { return v == viewNode || v == viewContext }

// A place is where the text of a resource goes on: in a line, 1-based, behind so many bytes of it. The zero place is the beginning.
type place struct{ line, col int }

// String returns the place as the query of a URI has it: 12, or 12.4096 inside a line.
func (p place) String() string {
	if p.col == 0 {
		return strconv.Itoa(p.line)
	}
	return strconv.Itoa(p.line) + "." + strconv.Itoa(p.col)
}

// A ref is a resource as its URI names it: arbor://ws-1/nodes/node-2, or arbor://ws-1/nodes/node-2?from=120 for the rest of a long one.
type ref struct {
	workspace mdstore.ID
	view      view
	node      mdstore.ID // of a node's view; "" for others
	from      place
}

// String returns the URI. parseURI reads it back, for every ref whose ids are valid.
func (r ref) String() string {
	s := scheme + string(r.workspace) + "/" + string(r.view) // ids hold nothing that a URI would have to escape
	if r.view.ofNode() {
		s += "/" + string(r.node)
	}
	if r.from != (place{}) {
		s += "?from=" + r.from.String()
	}
	return s
}

// at returns the same resource from a place on.
func (r ref) at(p place) ref {
	r.from = p
	return r
}

// forms says which URIs there are, for errors.
const forms = scheme + "WORKSPACE/workspace, /tree, /nodes/NODE and /context/NODE are there; resources/list names workspaces"

// parseURI reads the URI of a resource. Ids may be percent-encoded. The error says what is wrong and what would work; whether there is such a workspace or node,
// it does not ask.
func parseURI(uri string) (ref, error) {
	fault := func(format string, args ...any) (ref, error) {
		return ref{}, engine.Fail(engine.InvalidParams, "%s: %s", clip(uri, shownURI), fmt.Sprintf(format, args...))
	}
	path, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return fault("no resource of Arbor; %s", forms)
	}
	path, query, asked := strings.Cut(path, "?")
	var r ref
	ws, rest, _ := strings.Cut(path, "/")
	v, node, named := strings.Cut(rest, "/")
	r.view = view(v)
	switch r.view {
	case viewWorkspace, viewTree:
		if named {
			return fault("nothing is below %s; %s", v, forms)
		}
	case viewNode, viewContext:
		if r.node, ok = decodeID(node); !ok {
			return fault("no id of a node; %s", forms)
		}
	default:
		return fault("no such resource; %s", forms)
	}
	if r.workspace, ok = decodeID(ws); !ok {
		return fault("no id of a workspace; %s", forms)
	}
	if asked {
		if r.from, ok = parseFrom(query); !ok {
			return fault("?from=LINE is the one query there is, with a line from 1 on")
		}
	}
	return r, nil
}

// decodeID returns the id that an element of a URI names.
func decodeID(s string) (mdstore.ID, bool) {
	s, err := url.PathUnescape(s)
	id := mdstore.ID(s)
	return id, err == nil && id.Valid()
}

// parseFrom reads a query of the form from=12 or from=12.4096.
func parseFrom(query string) (place, bool) {
	text, ok := strings.CutPrefix(query, "from=")
	if !ok {
		return place{}, false
	}
	line, col, inside := strings.Cut(text, ".")
	p := place{}
	if p.line, ok = parseCount(line); !ok || p.line == 0 {
		return place{}, false
	}
	if inside {
		if p.col, ok = parseCount(col); !ok {
			return place{}, false
		}
	}
	if p == (place{line: 1}) {
		p = place{}
	}
	return p, true
}

// parseCount reads a number without a sign.
func parseCount(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil
}
