package mcpserv

import (
	"net/url"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// scheme begins the URI of every resource.
const scheme = "arbor://"

// forms says in errors which URIs there are.
const forms = scheme + "WORKSPACE/workspace, /tree, /nodes/NODE and /context/NODE are there, " +
	"each also with ?from=BYTE; resources/list names workspaces"

const shownURI = 200 // bytes of a URI that an error shows

// A part is what a resource shows of a workspace: the element of its URI behind the workspace.
type part string

const (
	partWorkspace part = "workspace" // Workspace.md as it is
	partTree      part = "tree"      // the tree with its statuses
	partNode      part = "nodes"     // a Node.md as it is
	partContext   part = "context"   // what is needed to work on a node
)

// ofNode reports whether the part is one node, which the URI names.
func (p part) ofNode() bool { return p == partNode || p == partContext }

// A ref is a resource as its URI names it: arbor://ws-1/nodes/node-2, or arbor://ws-1/nodes/node-2?from=31000 for the
// rest of a long one.
type ref struct {
	workspace mdstore.ID
	part      part
	node      mdstore.ID // "" unless part.ofNode
	from      int        // where the page begins, in bytes of the text
}

// String returns the URI. parseURI reads it back, for every ref whose ids are valid: they need no escaping.
func (r ref) String() string {
	s := scheme + string(r.workspace) + "/" + string(r.part)
	if r.part.ofNode() {
		s += "/" + string(r.node)
	}
	if r.from > 0 {
		s += "?from=" + strconv.Itoa(r.from)
	}
	return s
}

// at returns the URI of the same resource from a byte on.
func (r ref) at(from int) string {
	r.from = from
	return r.String()
}

// parseURI reads the URI of a resource, whether its workspace and node exist or not. Ids may be percent-encoded. The
// error is one of the protocol.
func parseURI(uri string) (r ref, err error) {
	path, ok := strings.CutPrefix(uri, scheme)
	path, query, paged := strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	if ok = ok && len(parts) > 1; ok {
		r.part = part(parts[1])
		switch r.part {
		case partWorkspace, partTree:
			ok = len(parts) == 2
		case partNode, partContext:
			if ok = len(parts) == 3; ok {
				r.node, ok = decodeID(parts[2])
			}
		default:
			ok = false
		}
	}
	if ok {
		r.workspace, ok = decodeID(parts[0])
	}
	if ok && paged {
		r.from, ok = parseFrom(query)
	}
	if !ok {
		fault := errs.New(errs.InvalidParams, "%s: no such resource; %s", clip(uri, shownURI), forms)
		return ref{}, notFound(uri, fault)
	}
	return r, nil
}

// decodeID returns the id that an element of a URI names.
func decodeID(s string) (mdstore.ID, bool) {
	s, err := url.PathUnescape(s)
	id := mdstore.ID(s)
	return id, err == nil && id.Valid()
}

// parseFrom reads a query of the form from=31000.
func parseFrom(query string) (from int, ok bool) {
	text, ok := strings.CutPrefix(query, "from=")
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), ok && err == nil && n > 0
}
