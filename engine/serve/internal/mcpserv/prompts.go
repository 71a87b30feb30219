package mcpserv

import (
	"context"
	"maps"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Arguments name workspaces and nodes as people do: by id, by a unique prefix of it, or by the exact title. Completion
// knows these arguments by their names.
var (
	argNode = &mcp.PromptArgument{Name: "node", Title: "Node", Required: true,
		Description: "Its id, a unique beginning of it, or its exact title."}

	argWorkspace = &mcp.PromptArgument{Name: "workspace", Title: "Workspace",
		Description: "Its id, a unique beginning of it, or its exact name; the bound or only active one if left out."}
)

// prompts describe the prompts to clients; promptTexts has their words.
var prompts = []*mcp.Prompt{
	{Name: "start-workspace", Title: "Start a workspace",
		Description: "Set up a workspace for a goal: rules, documents, first nodes.",
		Arguments: []*mcp.PromptArgument{
			{Name: "name", Title: "Name", Description: "What the work is called, in one line.", Required: true},
			{Name: "goal", Title: "Goal", Description: "What is to be reached, so that a reader can tell when it is.",
				Required: true},
		}},
	{Name: "plan-node", Title: "Plan a node",
		Description: "Divide a planning node into children that can be worked on one by one.",
		Arguments:   []*mcp.PromptArgument{argNode, argWorkspace}},
	{Name: "work-on-node", Title: "Work on a node",
		Description: "Do the work of a node: start, log, solve problems, conclude.",
		Arguments:   []*mcp.PromptArgument{argNode, argWorkspace}},
	{Name: "resume", Title: "Resume the work",
		Description: "Go on where the work stopped: what changed, the focus, problems, what is ready.",
		Arguments:   []*mcp.PromptArgument{argWorkspace}},
	{Name: "report", Title: "Report",
		Description: "Write a report for people: what is done, what is open, what stands in the way.",
		Arguments:   []*mcp.PromptArgument{argWorkspace}},
}

// promptTools has the tool that the text of each prompt asks for first. A prompt is offered if its tool is.
var promptTools = map[string]string{
	"start-workspace": "workspace_init", "plan-node": "node_create", "work-on-node": "node_transition",
	"resume": "context_get", "report": "workspace_status",
	"workspace": "config_get", "context": "transcript_read", "clear": "transcript_clear", "load": "workspace_load",
	"remember": "memory_save", "recall": "ask",
}

// prompts reports whether a prompt is offered.
func (f offer) prompts(name string) bool {
	o, needs := ops.Find(promptTools[name])
	return !needs || f.has(o)
}

// prompt returns an error unless a prompt is offered.
func (f offer) prompt(name string) error {
	if f.prompts(name) {
		return nil
	}
	return errs.New(errs.InvalidParams, "the prompt %s needs %s", clip(name, 60), f.called(promptTools[name], nil))
}

// addPrompts offers the prompts that a connection may ever have: prompts/list names those that it has now.
func (s *Server) addPrompts() {
	f := s.standing()
	most := offer{&s.opt, f.offered(), nil}
	s.addCommands(most)
	for _, p := range prompts {
		if !most.prompts(p.Name) {
			continue
		}
		s.mcp.AddPrompt(p, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			res, err := s.getPrompt(ctx, p, req)
			if err != nil {
				return nil, failed(err)
			}
			return res, nil
		})
	}
}

// checkArgs refuses arguments that a prompt does not know, and reports those that are missing.
func checkArgs(p *mcp.Prompt, args map[string]string) error {
	var known []string
	for _, a := range p.Arguments {
		known = append(known, a.Name)
		if a.Required && strings.TrimSpace(args[a.Name]) == "" {
			return ops.BadParam(errs.InvalidParams, a.Name, "%s is missing: %s", a.Name, a.Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			name = clip(name, shownURI)
			return ops.BadParam(errs.UnknownParams, name, "%s: no such argument of %s; there are: %s",
				name, p.Name, strings.Join(known, ", "))
		}
	}
	return nil
}

// getPrompt returns the messages of a prompt: its text, then the context of the node that it is about,
// as the resource that it is. Together they keep within the bound of replies.
func (s *Server) getPrompt(ctx context.Context, p *mcp.Prompt, req *mcp.GetPromptRequest) (
	*mcp.GetPromptResult, error) {
	if err := checkArgs(p, req.Params.Arguments); err != nil {
		return nil, err
	}
	room := s.room() - 200 // the description, and what is around a text
	env := s.reader(req.Session, req.Extra)
	env.Names = ops.NamesLoose
	var d *promptData
	err := s.engine.Read(ctx, func(ctx context.Context) error {
		d = &promptData{ctx: ctx, env: env, room: room, Args: maps.Clone(req.Params.Arguments)}
		if err := d.load(p.Name); err != nil {
			return err
		}
		return promptTexts[p.Name](d)
	})
	if err != nil {
		return nil, err
	}
	most := room
	if d.Node != nil {
		most = room * 3 / 4
	}
	text, _ := page(d.text.String(), 0, most, func(int) string { return "workspace_status" })
	res := &mcp.GetPromptResult{Description: p.Description,
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
	if d.Node == nil {
		return res, nil
	}
	about := ref{workspace: d.Workspace.ID, part: partContext, node: d.Node.ID}
	shown := &mcp.ResourceContents{URI: about.String(), MIMEType: markdown}
	res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user",
		Content: &mcp.EmbeddedResource{Resource: shown, Annotations: forAssistants()}})
	room -= marshalled(res)
	text, err = contextText(ctx, d.env, about.workspace, about.node, room)
	if err != nil {
		return nil, err
	}
	shown.Text, _ = page(text, 0, room, func(int) string { return about.String() })
	env.Sent(ctx, new(ops.Out).Sends(about.workspace, "", about.node), ops.Reply{Text: shown.Text})
	return res, nil
}
