package mcpserv

import (
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/internal/say"
	"arbor/engine/ops"
)

const (
	allSets    = "all"     // turns every tool set on
	DefaultSet = "default" // the set plan with the starters and tools_enable
)

// starters are the tools of further sets that are on by default.
var starters = []string{"workspace_load", "state_save", "memory_save"}

// An offer is the choice of tools that a connection has.
type offer struct {
	*Options
	more []string    // the tool sets that tools_enable turned on
	who  *people.Who // the caller, if it has a token of its own
}

// standing returns the offer of a connection that turned nothing on.
func (s *Server) standing() offer { return offer{Options: &s.opt} }

// offer returns the offer of a request.
func (s *Server) offer(session *mcp.ServerSession, header http.Header) offer {
	f := s.standing().to(whoOf(header))
	if c := s.connection(session, header); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		f.more = c.enabled
	}
	return f
}

// CheckToolsets returns an error that names the tool sets if a name is none of them.
func CheckToolsets(names []string) error {
	known := slices.Concat([]string{DefaultSet}, ops.Sets(), []string{allSets})
	for _, set := range names {
		if !slices.Contains(known, set) {
			return ops.BadParam(errs.InvalidParams, "toolsets", "toolsets: there is no set %q; %s and %s are known",
				set, strings.Join(known[:len(known)-1], ", "), allSets)
		}
	}
	return nil
}

// byDefault reports whether the default set is on.
func (f offer) byDefault() bool {
	return len(f.Toolsets) == 0 || slices.Contains(f.Toolsets, DefaultSet)
}

// on reports whether a tool set is on.
func (f offer) on(set string) bool {
	return slices.Contains(f.Toolsets, set) || slices.Contains(f.Toolsets, allSets) || slices.Contains(f.more, set) ||
		set == ops.SetPlan && f.byDefault()
}

// has reports whether an operation is offered as a tool.
func (f offer) has(o ops.Operation) bool {
	if slices.Contains(f.Exclude, o.Name) || !f.who.May(o.Right()) || f.ReadOnly && o.Writes && !o.Looks {
		return false
	}
	second := o.Both != "" && f.on(o.Both)
	if o.Set == ops.SetPlan && !f.Profile.offers(o.Name) && !second {
		return false
	}
	if len(f.Tools) > 0 {
		return slices.Contains(f.Tools, o.Name)
	}
	starts := f.byDefault() && f.Profile != ProfileWorker && slices.Contains(starters, o.Name)
	return f.on(o.Set) || second || starts
}

// seen returns the operation as the server offers it: if it only reads, without the parameters that write.
func (f offer) seen(o ops.Operation) ops.Operation {
	if !f.ReadOnly {
		return o
	}
	o.Writes = false
	return o.Without(func(p ops.Param) bool { return p.Writes })
}

// tool describes an operation.
func (f offer) tool(o ops.Operation) *mcp.Tool {
	o = f.seen(o)
	tool := toolOf(o, f.on)
	if f.Replies != RepliesText {
		tool.OutputSchema = output(o)
	}
	return tool
}

// list returns the tools of a list that are offered, as described for the tool sets that are on. lasting says that the
// request belongs to a connection.
func (f offer) list(tools []*mcp.Tool, lasting bool) []*mcp.Tool {
	kept := []*mcp.Tool{}
	for _, tool := range tools {
		switch o, ok := ops.Find(tool.Name); {
		case !ok && lasting:
			kept = append(kept, tool)
		case !ok || !f.has(o):
		case f.more == nil && f.who.May(people.Work):
			kept = append(kept, tool)
		default:
			kept = append(kept, f.tool(o))
		}
	}
	return kept
}

// safe returns the names of the tools that are offered and remove nothing.
func (f offer) safe() (names []string) {
	for _, o := range ops.All() {
		if f.has(o) && !o.Destructive {
			names = append(names, o.Name)
		}
	}
	return names
}

// called returns the words for an operation in a hint or an error. They say so if its tool is not offered.
func (f offer) called(name string, words []string) string {
	said := say.Called(name, words)
	switch o, known := ops.Find(name); {
	case !known || f.has(o):
		return said
	case f.on(o.Set):
		return said + " (not offered here)"
	case slices.Contains(f.offered(), o.Set):
		return said + " (after " + enableName + " " + o.Set + ")"
	default:
		return said + " (tool set " + o.Set + ", not offered here)"
	}
}
