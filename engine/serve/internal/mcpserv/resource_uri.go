package mcpserv

import (
	"net/url"
	"strconv"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// scheme begins the URI of every resource.
const scheme = "arbor://"

// forms says in errors which URIs there are.
const forms = scheme + "WORKSPACE/workspace, /tree, /nodes/NODE and /context/NODE are there, " +
	"each also with ?from=BYTE, and with the tool set memory " + slotScheme + "SLOT.md, .txt and .json; resources/list names workspaces"

const shownURI = 200 // bytes of a URI that an error shows

// A part is what a resource shows of a workspace: the element of its URI behind the workspace.
type part string

const (
	partWorkspace part = "workspace" // Workspace.md as it is
	partTree      part = "tree"      // the tree with its statuses
	partNode      part = "nodes"     // a Node.md as it is
	partContext   part = "context"   // what is needed to work on a node
	partSlot      part = "memory"    // a slot of the memory: see parseSlotURI
)

// ofNode reports whether the part is one node, which the URI names.
func (p part) ofNode() bool { return p == partNode || p == partContext }

// A ref is a resource as its URI names it: arbor://ws-1/nodes/node-2, or arbor://ws-1/nodes/node-2?from=31000 for the
// rest of a long one.
type ref struct {
	workspace mdstore.ID
	part      part
	node      mdstore.ID // "" unless part.ofNode
	slot      string     // its name; "" unless partSlot
	form      string     // of slotForms; "" unless partSlot
	from      int        // where the page begins, in bytes of the text
}

// String returns the URI. parseURI reads it back, for every ref whose ids are valid: they need no escaping.
func (r ref) String() string {
	s := scheme + string(r.workspace) + "/" + string(r.part)
	switch {
	case r.part == partSlot:
		s = r.slotURI()
	case r.part.ofNode():
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

// uriForm is the form of a URI: workspace, part, node and the byte at which the page begins.
var uriForm = pattern.Of(
	`^` + scheme + `([^/?]+)/(?:(workspace|tree)|(nodes|context)/([^/?]+))(?:\?from=([1-9][0-9]{0,8}))?$`)

// parseURI reads the URI of a resource, whether its workspace and node exist or not. Ids may be percent-encoded. The
// error is one of the protocol.
func parseURI(uri string) (r ref, err error) {
	if r, ok := parseSlotURI(uri); ok {
		return r, nil
	}
	m := uriForm().FindStringSubmatch(uri)
	ok := m != nil
	if ok {
		r.part = part(m[2] + m[3])
		r.from, _ = strconv.Atoi(m[5]) // digits, or nothing
		r.workspace, ok = decodeID(m[1])
	}
	if ok && r.part.ofNode() {
		r.node, ok = decodeID(m[4])
	}
	if !ok {
		fault := errs.New(errs.InvalidParams, "%s: no such resource; %s", clip(uri, shownURI), forms)
		return ref{}, notFound(uri, fault)
	}
	return r, nil
}

// parseURI is the function parseURI, but refuses slots if the tool set memory is off.
func (s *Server) parseURI(uri string) (ref, error) {
	r, err := parseURI(uri)
	if err == nil && r.part == partSlot && !s.standing().on(ops.SetMemory) {
		err = notFound(uri, errs.New(errs.InvalidParams,
			"%s: the tool set memory is off; start the server with --toolsets default,memory", clip(uri, shownURI)))
	}
	return r, err
}

// decodeID returns the id that an element of a URI names.
func decodeID(s string) (mdstore.ID, bool) {
	s, err := url.PathUnescape(s)
	id := mdstore.ID(s)
	return id, err == nil && id.Valid()
}
