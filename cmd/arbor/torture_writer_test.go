//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// hung is how long a program may take for one call.
const hung = 2 * time.Minute

// A caller makes calls of Arbor's operations.
type caller interface {
	call(tool string, args map[string]any) answer
}

// An answer is what a call returns, by any front end.
type answer struct {
	text  string // all of it
	Error *struct {
		Code    string
		Message string
		Details struct{ Committed bool }
	}
	Conflicts []struct{ Path, Copy, Text string }
}

// code returns the code of a refusal, "" for a success.
func (a answer) code() string {
	switch {
	case a.Error == nil:
		return ""
	case a.Error.Details.Committed:
		return a.Error.Code + " in part"
	}
	return a.Error.Code
}

// A shell makes each call with a command of its own.
type shell struct{ *world }

func (s shell) call(tool string, args map[string]any) answer {
	cmd := exec.Command("arbor", append(commandLine(tool, args), "--json")...)
	cmd.Dir, cmd.Env = s.dir, s.env
	late := time.AfterFunc(hung, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	out, err := cmd.Output()
	a := answer{text: string(out)}
	if json.Unmarshal(out, &a) != nil || (err == nil) != (a.Error == nil) {
		s.Errorf("arbor %q: %v\n%s", cmd.Args, err, out)
	}
	return a
}

// commandLine returns the command for a call of an operation.
func commandLine(tool string, args map[string]any) (line []string) {
	node, _ := args["nodeId"].(string)
	text := func(key string) string { s, _ := args[key].(string); return s }
	switch tool {
	case "log_append":
		return []string{"log", node, text("event")}
	case "node_transition":
		line = []string{"node", "transition", node, text("action"), "--reason", text("reason")}
		if text("conclusion") != "" {
			line = append(line, "-m", text("conclusion"))
		}
		return line
	case "node_update":
		line = []string{"set", node}
		for _, key := range []string{"requirement", "note", "conclusion"} {
			if text(key) != "" {
				line = append(line, "--"+key, text(key))
			}
		}
		return line
	}
	panic(fmt.Sprintf("no command is known for %s", tool))
}

// A client is a program that talks to a server of its own, arbor mcp.
type client struct {
	w    *world
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer // to stderr, to be read after its end
	id   int

	mu sync.Mutex // held during a call
}

// serve starts a server.
func (w *world) serve(args ...string) *client {
	c := &client{w: w, cmd: exec.Command("arbor", append([]string{"mcp"}, args...)...)}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = w.dir, w.env, &c.said
	in, err := c.cmd.StdinPipe()
	if err == nil {
		c.in = in
		var out io.Reader
		if out, err = c.cmd.StdoutPipe(); err == nil {
			c.out = bufio.NewReader(out)
			err = c.cmd.Start()
		}
	}
	if err != nil {
		panic(err)
	}
	c.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "torture", "version": "1"},
	})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *client) send(message any) {
	data, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	_, _ = c.in.Write(append(data, '\n')) // who waits for the answer notices
}

// ask sends a request and returns the result, nil where the server has failed.
func (c *client) ask(method string, params any) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id++
	late := time.AfterFunc(hung, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	for {
		line, err := c.out.ReadBytes('\n')
		var reply struct {
			ID            any
			Result, Error json.RawMessage
		}
		if err == nil {
			err = json.Unmarshal(line, &reply)
		}
		switch {
		case err != nil || reply.ID == float64(c.id) && reply.Error != nil:
			c.w.Errorf("%s: %v: %s", method, err, line)
			return nil
		case reply.ID == float64(c.id):
			return reply.Result
		}
	}
}

func (c *client) call(tool string, args map[string]any) answer {
	return answered(c.w, tool, c.ask("tools/call", map[string]any{"name": tool, "arguments": args}))
}

// answered reads the result of a call of a tool; nil is none.
func answered(w *world, tool string, result json.RawMessage) answer {
	var reply struct {
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
		IsError           bool
	}
	a := answer{text: string(result)}
	if result == nil {
		return answer{Error: &struct {
			Code    string
			Message string
			Details struct{ Committed bool }
		}{Code: "no answer"}}
	}
	if err := json.Unmarshal(result, &reply); err != nil {
		w.Errorf("%s: %v: %s", tool, err, result)
	} else if reply.IsError {
		code, message, _ := strings.Cut(reply.Content[0].Text, ": ")
		a.Error = &struct {
			Code    string
			Message string
			Details struct{ Committed bool }
		}{Code: code, Message: message}
		a.Error.Details.Committed = strings.Contains(message, "do not repeat it")
	} else if err := json.Unmarshal(reply.StructuredContent, &a); err != nil {
		w.Errorf("%s: %v: %s", tool, err, result)
	}
	return a
}

// end closes the connection and waits for the end of the server.
func (c *client) end() {
	_ = c.in.Close()
	late := time.AfterFunc(hung, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	_, _ = io.Copy(io.Discard, c.out)
	if err := c.cmd.Wait(); err != nil {
		c.w.Errorf("a server ends with %v\n%s", err, c.said.String())
	}
}

// note makes a call that leaves a token, and notes what became of it.
func (w *world) note(c caller, a *write, tool string, args map[string]any) answer {
	a.begin = time.Now()
	said := c.call(tool, args)
	a.end, a.code = time.Now(), said.code()
	for _, met := range said.Conflicts {
		if met.Copy == "" {
			a.merged++
		} else {
			a.copied++
		}
	}
	w.wrote(a)
	return said
}

// writers runs the writers of the round: each logs to nodes and moves them through their life cycle, in bursts. Without
// a server all are commands; with one, every second is a client of a server of its own.
func (w *world) writers(run func(func()), nodes ...string) {
	for i := range w.setting.writers {
		run(func() {
			var c caller = shell{w}
			if w.followed && i%2 == 1 {
				s := w.serve()
				defer s.end()
				c = s
			}
			w.work(c, fmt.Sprintf("writer %d", i), nodes)
		})
	}
}

func (w *world) work(c caller, who string, nodes []string) {
	for !w.ended() {
		node := pick(nodes)
		for range 1 + rand.IntN(5) {
			a := &write{token: w.token(), file: w.file(node), who: who}
			if rand.IntN(2) == 0 {
				w.note(c, a, "log_append", map[string]any{"nodeId": node, "operator": "AI", "event": "said " + a.token})
				continue
			}
			w.note(c, a, "node_transition", w.step(node, a.token))
		}
		w.pause(150 * time.Millisecond)
	}
}

// step returns the arguments of the transition that the status in the file of a node allows.
func (w *world) step(node, token string) map[string]any {
	args := map[string]any{"nodeId": node, "action": "start", "reason": "because " + token}
	text := read(w.file(node))
	switch {
	case strings.Contains(text, "\nstatus: implementing"):
		args["action"], args["conclusion"] = "complete", "It is done."
	case strings.Contains(text, "\nstatus: completed"):
		args["action"] = "reopen"
	}
	return args
}
