package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/mdstore"
)

// tools sets the tools that an environment offers: built-in ones, those that the vault defines and the environment
// lists, and those of its own file. If the environment or the session names tools, only these are offered.
func (h *Here) tools(ctx context.Context, p *env.Place, only []string) {
	all := env.BuiltIn()
	defined, wrong := h.defined(ctx)
	own, ownWrong := h.owned(p)
	lists := func(t env.Tool) bool { return slices.Contains(p.Tools, t.Name) }
	lack := func(t env.Tool, why string) {
		p.Lacks = append(p.Lacks, env.Lack{Tool: t.Name, File: t.Source, Why: why})
	}
	for _, t := range slices.Concat(all, defined, own) {
		switch ofVault := t.Source != "" && t.Source != env.ToolsFile; {
		case (ofVault || len(p.Tools) > 0) && !lists(t):
			lack(t, "the tools of the environment "+p.ID+" do not list it")
		case only != nil && !slices.Contains(only, t.Name):
			lack(t, "the session has attached "+p.ID+" without it ({env_attach} with it in tools attaches it)")
		default:
			p.Has = append(p.Has, t)
		}
	}
	p.Lacks = append(slices.Concat(wrong, ownWrong), p.Lacks...)
}

// defined returns the tools that the vault defines, and the definitions that are wrong.
func (c Caller) defined(ctx context.Context) (tools []env.Tool, wrong []env.Lack) {
	pages, _ := c.Engine.Live().VaultPages(ctx, mdstore.ToolKind) // check reports why they cannot be read
	for _, page := range pages {
		if t, err := c.toolOf(page); err != nil {
			told := len(page.Problems) > 0 || len(page.Check()) > 0
			wrong = append(wrong, env.Lack{Tool: string(page.ID), File: string(page.Path), Why: err.Error(), Told: told})
		} else {
			tools = append(tools, t)
		}
	}
	return tools, wrong
}

// owned returns the tools of the file in an environment's root, and its definitions that are wrong.
func (c Caller) owned(p *env.Place) (tools []env.Tool, wrong []env.Lack) {
	if p.Root == "" {
		return nil, nil
	}
	r, err := jail.Open(p.Root, jail.Options{})
	if err != nil {
		return nil, nil
	}
	defer r.Close()
	data, err := r.Content(env.ToolsFile, env.MaxToolsFile)
	if err != nil {
		return nil, nil
	}
	return env.ParseTools(data, c.BuiltIn)
}

// WrongTools returns the wrong definitions of tools about which check reports nothing else: those of the vault, and
// those in the roots of places, with the full paths of their files.
func (c Caller) WrongTools(ctx context.Context, places []*env.Place) []env.Lack {
	_, all := c.defined(ctx)
	all = slices.DeleteFunc(all, func(l env.Lack) bool { return l.Told })
	for _, p := range places {
		_, own := c.owned(p)
		for _, l := range own {
			if l.File = filepath.Join(p.Root, filepath.FromSlash(l.File)); !slices.Contains(all, l) {
				all = append(all, l)
			}
		}
	}
	return all
}

// toolOf reads the definition of a tool from its file: the keys of the front matter, and a block of JSON for the schema
// of its parameters.
func (c Caller) toolOf(p *mdstore.Page) (env.Tool, error) {
	if len(p.Problems) > 0 {
		return env.Tool{}, errors.New(p.Problems[0].Text)
	}
	d := map[string]any{"id": string(p.ID)}
	for _, key := range []string{"name", "description"} {
		if v := p.Field(key); v != "" {
			d[key] = v
		}
	}
	for _, key := range []string{"command", "env", "read"} {
		if v := p.List(key); v != nil {
			d[key] = v
		}
	}
	for _, key := range []string{"requiresPermission", "readOnly", "network", "timeout"} {
		if v := p.Field(key); v != "" {
			if !json.Valid([]byte(v)) {
				return env.Tool{}, fmt.Errorf("%s is %q; it is true, false or, of timeout, a whole number of seconds", key, v)
			}
			d[key] = json.RawMessage(v)
		}
	}
	if _, rest, ok := strings.Cut(strings.ReplaceAll(body(p), "\r\n", "\n"), "```json\n"); ok {
		schema, _, _ := strings.Cut(rest, "```")
		var any json.RawMessage
		if err := json.Unmarshal([]byte(schema), &any); err != nil {
			return env.Tool{}, fmt.Errorf("the block of JSON in its text, the parametersSchema, is no JSON: %w", err)
		}
		d["parametersSchema"] = json.RawMessage(schema)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return env.Tool{}, err
	}
	t, err := env.ParseTool(data, c.BuiltIn)
	t.Source = string(p.Path)
	return t, err
}
