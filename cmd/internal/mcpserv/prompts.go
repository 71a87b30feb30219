package mcpserv

import (
	"context"
	"embed"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
)

// promptFiles hold the words of the prompts: prompts/NAME.md is the template of the prompt NAME, prompts/shared.md has
// what several of them say. Their data is a *promptData.
//
//go:embed prompts/*.md
var promptFiles embed.FS

var promptTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(promptFuncs).ParseFS(promptFiles, "prompts/*.md"))
})

// A subject is what the value of an argument names, for completion.
type subject uint8

const (
	anyText subject = iota
	aWorkspace
	aNode
)

// An argument is one argument of a prompt. People type it, so a node or workspace may be named by a unique prefix of
// its id, or by its title.
type argument struct {
	name, title, description string
	required                 bool
	names                    subject
}

// A prompt describes a template of prompts/ to clients.
type prompt struct {
	name, title, description string
	args                     []argument // in the order in which clients take them that pass them without names
}

var (
	argNode = argument{"node", "Node", "Its id, a unique beginning of it, or its exact title.", true, aNode}

	argWorkspace = argument{"workspace", "Workspace",
		"Its id, a unique beginning of it, or its exact name; the bound or only active one if left out.",
		false, aWorkspace}
)

var prompts = []prompt{
	{"start-workspace", "Start a workspace", "Set up a workspace for a goal: rules, documents, first nodes.",
		[]argument{
			{"name", "Name", "What the work is called, in one line.", true, anyText},
			{"goal", "Goal", "What is to be reached, so that a reader can tell when it is.", true, anyText},
		}},
	{"plan-node", "Plan a node", "Divide a planning node into children that can be worked on one by one.",
		[]argument{argNode, argWorkspace}},
	{"work-on-node", "Work on a node", "Do the work of a node: start, log, solve problems, conclude.",
		[]argument{argNode, argWorkspace}},
	{"resume", "Resume the work", "Go on where the work stopped: what changed, the focus, problems, what is ready.",
		[]argument{argWorkspace}},
	{"report", "Report", "Write a report for people: what is done, what is open, what stands in the way.",
		[]argument{argWorkspace}},
}

func findPrompt(name string) (prompt, bool) {
	i := slices.IndexFunc(prompts, func(p prompt) bool { return p.name == name })
	if i < 0 {
		return prompt{}, false
	}
	return prompts[i], true
}

// addPrompts offers the prompts.
func (s *Server) addPrompts() {
	for _, p := range prompts {
		shown := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.description}
		for _, a := range p.args {
			shown.Arguments = append(shown.Arguments,
				&mcp.PromptArgument{Name: a.name, Title: a.title, Description: a.description, Required: a.required})
		}
		s.mcp.AddPrompt(shown, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			res, err := s.getPrompt(ctx, p, req)
			if err != nil {
				return nil, failed(err)
			}
			return res, nil
		})
	}
}

// checkArgs refuses arguments that the prompt does not know, and reports those that are missing.
func (p prompt) checkArgs(args map[string]string) error {
	var known []string
	for _, a := range p.args {
		known = append(known, a.name)
		if a.required && strings.TrimSpace(args[a.name]) == "" {
			return badParam(engine.InvalidParams, a.name, "%s is missing: %s", a.name, a.description)
		}
	}
	for name := range args {
		if !slices.Contains(known, name) {
			name = clip(name, shownURI)
			return badParam(engine.UnknownParams, name, "%s: no such argument of %s; there are: %s",
				name, p.name, strings.Join(known, ", "))
		}
	}
	return nil
}

// getPrompt returns the messages of a prompt: the text of its template, then the context of the node that it is about,
// as the resource that it is. Together they keep within the bound of replies.
func (s *Server) getPrompt(ctx context.Context, p prompt, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if err := p.checkArgs(req.Params.Arguments); err != nil {
		return nil, err
	}
	room := s.replyRoom() - 200 // the description, and what is around a text
	d := &promptData{ctx: ctx, env: s.reader(req.Session, req.Extra), room: room, Args: req.Params.Arguments}
	d.env.Loose = true
	if err := d.load(p.name); err != nil {
		return nil, err
	}
	if err := promptTemplates().ExecuteTemplate(&d.text, p.name+".md", d); err != nil {
		return nil, err
	}
	most := room
	if d.Node != nil {
		most = room * 3 / 4
	}
	text, _ := page(d.text.String(), place{}, most, func(place) string { return "workspace_status" })
	res := &mcp.GetPromptResult{Description: p.description,
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
	if d.Node == nil {
		return res, nil
	}
	about := ref{workspace: d.Workspace.ID, view: viewContext, node: d.Node.ID}
	shown := &mcp.ResourceContents{URI: about.String(), MIMEType: markdown}
	res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user",
		Content: &mcp.EmbeddedResource{Resource: shown, Annotations: forAssistants()}})
	room -= marshalled(res)
	text, err := contextText(ctx, d.env, about.workspace, about.node, room)
	if err != nil {
		return nil, err
	}
	shown.Text, _ = page(text, place{}, room, func(place) string { return about.String() })
	return res, nil
}
