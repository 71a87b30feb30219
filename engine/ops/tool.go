package ops

import (
	"context"
	"encoding/json"
	"strings"

	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
)

type ToolListIn struct{ SessionRef }

type ToolListOut struct {
	Tools []ListedTool `json:"tools"`
	Out
}

// A ListedTool is a tool with the environments that have it.
type ListedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersSchema,omitempty"`
	State       string          `json:"state,omitempty"` // "disabled" before a person approves it; "" if it can be called
	// the environments that have it, in the order of attachment
	Environments []string `json:"environments"`
	// "[env ID]": the environment of a call that names none, as things are now; of several, the path decides
	Taken string `json:"taken,omitempty"`
}

var toolList = op("tool_list", reads|repeats, ToolList, Help{
	Summary: "list the tools of the environments, and which one a call uses",
	Use:     "env tools",
	Text: `For each tool it shows which environment a call without a name uses. A tool that
runs a program is disabled until a person approves its exact definition.`,
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
				if to := places.Taken(h.Places, t.Name); len(to) > 0 && h.Session != nil {
					l.Taken = "[env " + strings.Join(to, " or ") + "]"
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

type ToolCallIn struct {
	Act
	Tool      string          `json:"tool" req:"true" arg:"TOOL"`
	Arguments json.RawMessage `json:"arguments,omitempty" arg:"ARG=VALUE" help:"see parameters in tool_list"`
}

type ToolCallOut struct {
	Environment string `json:"environment"`
	ExitCode    int    `json:"exitCode"`
	Output      string `json:"output"`
	Omitted     int    `json:"omittedBytes,omitempty"`
	TimedOut    bool   `json:"timedOut,omitempty"`
	Confined    string `json:"confinedBy,omitempty"`

	Made []string `json:"madeProtected,omitempty"` // files and folders of protected names that were made or replaced meanwhile
	Out
}

var toolCall = op("tool_call", writes, ToolCall, Help{
	Summary: "run a tool that an environment defines",
	Use:     "env run TOOL [ARG=VALUE...]",
	Text: `Tools are defined in the environment (.monad/tools.json) or the vault
(tools/*.md). A person must approve a tool's exact definition before it runs.
Each value reaches the program unchanged, as one argument.`,
	Example: "arbor env run test package=./engine",
})

// ToolCall runs a tool that has a command. Arbor's own tools are refused: callers call them by their names.
func ToolCall(ctx context.Context, env *Env, in ToolCallIn) (*ToolCallOut, error) {
	if builtIn(in.Tool) {
		return nil, errs.New(errs.ToolNotFound, "%s is one of Arbor's own tools; assistants call it by its name over MCP",
			in.Tool)
	}
	out := &ToolCallOut{}
	where, err := use(ctx, env, in.Act, in.Tool, in, out, func(a *act.Call) error {
		r, refused, err := a.Run(ctx, in.Arguments)
		if err != nil {
			return err
		}
		out.ExitCode, out.Output, out.Omitted, out.TimedOut, out.Confined, out.Made = r.Code, r.Output, r.Cut, r.TimedOut, r.Confined, r.Made
		a.Result = []any{r.Code, r.Output}
		if r.TimedOut {
			out.Hint = "it was killed after " + a.Tool.Timeout.String() + ", with all that it started"
		} else if refused != "" {
			out.Hint = "confined by " + r.Confined + ": " + refused
		}
		if made := a.TellMade(ctx, r.Made); made != "" {
			out.Hint = strings.TrimPrefix(out.Hint+"; "+made, "; ")
		}
		return nil
	})
	out.Environment = where
	return out, err
}
