package ops

import (
	"context"
	"encoding/json"

	places "arbor/engine/env"
)

// ToolListIn names a session.
type ToolListIn struct{ SessionRef }

// ToolListOut says which environments have which tools.
type ToolListOut struct {
	Tools []ListedTool `json:"tools"`
	Out
}

// A ListedTool is a tool, and where it is.
type ListedTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parametersSchema,omitempty"`
	State        string          `json:"state,omitempty"` // "disabled" until a person approves its definition; "" for one that can be called
	Environments []string        `json:"environments"`    // that have it, in order; the first is taken where a call names none
	Taken        string          `json:"taken,omitempty"` // "[env ID]": where a call that names none goes now
}

var toolList = op("tool_list", reads|repeats, ToolList, Help{
	Summary: "list the tools of the environments, and which is taken",
	Use:     "env tools",
	Text: `For each tool it says which environment a call goes to that names none. A tool
with a program is disabled until a person has approved its exact definition.`,
	Example: "arbor env tools",
})

// ToolList returns the tools of a session's environments.
func ToolList(ctx context.Context, env *Env, in ToolListIn) (*ToolListOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	out := &ToolListOut{Tools: []ListedTool{}}
	at := map[string]int{}
	for _, p := range h.Places {
		for _, t := range p.Has {
			i, met := at[t.Name]
			if !met {
				i, at[t.Name] = len(out.Tools), len(out.Tools)
				l := ListedTool{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
				if to, _, err := places.Route(h.Places, t.Name, ""); err == nil && h.Session != nil {
					l.Taken = "[env " + to.ID + "]"
				}
				out.Tools = append(out.Tools, l)
			}
			if t.Command != nil && !met && !h.Approved(p, t) {
				out.Tools[i].State = "disabled"
			}
			out.Tools[i].Environments = append(out.Tools[i].Environments, p.ID)
		}
	}
	return out, nil
}
