package mcpserv

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A subject is what the value of an argument names. Completion offers those there are.
type subject uint8

const (
	anyText subject = iota
	aWorkspace
	aNode
)

// An argument is what a prompt is to be told. People type it, so a node or workspace may be named by a unique beginning of its id, or by its title.
type argument struct {
	name, title, description string
	required                 bool
	names                    subject
}

// A prompt is a way of working with the state of a workspace filled in.
type prompt struct {
	name, title, description string
	args                     []argument // in the order in which clients that have no names for them take them
	write                    func(ctx context.Context, s *Server, env *ops.Env, args map[string]string) (*letter, error)
}

var (
	argNode      = argument{"node", "Node", "Its id, a unique beginning of it, or its exact title.", true, aNode}
	argWorkspace = argument{"workspace", "Workspace", "Its id, a unique beginning of it, or its exact name; the bound or only active one unless said otherwise.", false, aWorkspace}
)

// prompts are all there are. It is a function, because what the rows do asks for the rows.
func prompts() []prompt {
	return []prompt{
		{"start-workspace", "Start a workspace", "Set up a workspace for a goal: rules, documents, first nodes.", []argument{
			{"name", "Name", "What the work is called, in one line.", true, anyText},
			{"goal", "Goal", "What is to be reached, so that somebody can tell when it is.", true, anyText},
		}, startWorkspace},
		{"plan-node", "Plan a node", "Divide a planning node into children that can be worked on one by one.", []argument{argNode, argWorkspace}, planNode},
		{"work-on-node", "Work on a node", "Do the work of a node: start, log, solve problems, conclude.", []argument{argNode, argWorkspace}, workOnNode},
		{"resume", "Resume the work", "Go on where the work stopped: what changed, the focus, problems, what is ready.", []argument{argWorkspace}, resume},
		{"report", "Report", "Write a report for people: what is done, what is open, what stands in the way.", []argument{argWorkspace}, report},
	}
}

func findPrompt(name string) (prompt, bool) {
	all := prompts()
	i := slices.IndexFunc(all, func(p prompt) bool { return p.name == name })
	if i < 0 {
		return prompt{}, false
	}
	return all[i], true
}

// addPrompts offers the prompts.
func (s *Server) addPrompts() {
	for _, p := range prompts() {
		shown := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.description, Arguments: []*mcp.PromptArgument{}}
		for _, a := range p.args {
			shown.Arguments = append(shown.Arguments, &mcp.PromptArgument{Name: a.name, Title: a.title, Description: a.description, Required: a.required})
		}
		s.mcp.AddPrompt(shown, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if err := p.check(req.Params.Arguments); err != nil {
				return nil, failed(err)
			}
			env := s.reader(req.Session, req.Extra)
			env.Loose = true
			l, err := p.write(ctx, s, env, req.Params.Arguments)
			if err != nil {
				return nil, failed(err)
			}
			res, err := s.deliver(ctx, env, l)
			if err != nil {
				return nil, failed(err)
			}
			res.Description = p.description
			return res, nil
		})
	}
}

// check refuses arguments that the prompt does not know, and those that are missing.
func (p prompt) check(args map[string]string) error {
	var known []string
	for _, a := range p.args {
		known = append(known, a.name)
	}
	for name := range args {
		if slices.Contains(known, name) {
			continue
		}
		e := engine.Fail(engine.UnknownParams, "%s: no such argument of %s; there are: %s", clip(name, shownURI), p.name, strings.Join(known, ", "))
		e.Details = &engine.Details{Param: clip(name, shownURI), Nearest: ops.Nearest(name, known)}
		return e
	}
	for _, a := range p.args {
		if a.required && strings.TrimSpace(args[a.name]) == "" {
			e := engine.Fail(engine.InvalidParams, "%s is missing: %s", a.name, a.description)
			e.Details = &engine.Details{Param: a.name}
			return e
		}
	}
	return nil
}

// deliver makes a prompt's messages of a letter: the text, then the context that it is about as the resource it is. Together they keep within the bound of replies.
func (s *Server) deliver(ctx context.Context, env *ops.Env, l *letter) (*mcp.GetPromptResult, error) {
	room := s.replyRoom() - 200 // the description, and what is around a text
	most := room
	if l.about != (ref{}) {
		most = room * 3 / 4
	}
	words, _ := page(l.String(), place{}, most, func(place) string { return "workspace_status" })
	res := &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: words}}}}
	if l.about == (ref{}) {
		return res, nil
	}
	shown := &mcp.ResourceContents{URI: l.about.String(), MIMEType: markdown}
	res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: &mcp.EmbeddedResource{Resource: shown, Annotations: forAssistants()}})
	room -= marshalled(res)
	text, err := contextText(ctx, env, l.about.workspace, l.about.node, room)
	if err != nil {
		return nil, err
	}
	shown.Text, _ = page(text, place{}, room, func(place) string { return l.about.String() })
	return res, nil
}

// contextOf returns the resource that shows the context of a node.
func contextOf(snap *engine.Snapshot, id mdstore.ID) ref {
	return ref{workspace: snap.Workspace().ID, view: viewContext, node: id}
}
