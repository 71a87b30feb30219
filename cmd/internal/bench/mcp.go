//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A server is arbor mcp, spoken to over its stdin and stdout.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func (p program) serve() *server {
	s := &server{cmd: exec.CommandContext(p.b.ctx, p.path, "mcp")}
	s.cmd.Dir, s.cmd.Env = p.v.project, environment()
	s.in, s.out = must(s.cmd.StdinPipe()), bufio.NewReader(must(s.cmd.StdoutPipe()))
	check(s.cmd.Start())
	client := map[string]any{"name": "bench", "version": "1"}
	s.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": client})
	check(json.NewEncoder(s.in).Encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}))
	return s
}

// ask sends a request and returns the line of the reply.
func (s *server) ask(method string, params any) string {
	s.id++
	check(json.NewEncoder(s.in).Encode(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}))
	for {
		line := must(s.out.ReadBytes('\n'))
		var reply struct {
			ID     any
			Result struct{ IsError bool }
			Error  json.RawMessage
		}
		check(json.Unmarshal(line, &reply))
		if reply.ID != float64(s.id) {
			continue // a notification
		}
		if reply.Error != nil || reply.Result.IsError {
			check(fmt.Errorf("%s: %s", method, line))
		}
		return string(line)
	}
}

// context asks for the context of the i-th node.
func (s *server) context(v *vault, i int) string {
	args := map[string]any{"nodeId": string(v.plan[i].id)}
	return s.ask("tools/call", map[string]any{"name": "context_get", "arguments": args})
}

// end closes the server's input and returns the time of the processor that it took.
func (s *server) end() float64 {
	check(s.in.Close())
	must(io.Copy(io.Discard, s.out))
	check(s.cmd.Wait())
	return cpuOf(s.cmd)
}

func (b *bench) mcp() []row {
	contexts := func(p program, n int) float64 {
		s := p.serve()
		for i := range n {
			s.context(p.v, p.v.other(i))
		}
		return s.end()
	}
	first := row{name: "first MCP answer, processor time of the server", unit: "s", target: 0.1}
	next := row{name: "context_get of a server that runs, processor time", unit: "s", target: 0.0007}
	return []row{
		b.row(first, 0.3, func(p program) sample { return func() float64 { return contexts(p, 1) } }, nil),
		b.row(next, 0.15, func(p program) sample {
			return func() float64 { return (contexts(p, 201) - contexts(p, 1)) / 200 }
		}, nil),
	}
}

// torn has a server asked for a node while its file is saved in two halves. The text of a reply must be that before the
// save or that after it, and some time later that after it.
func (b *bench) torn() []row {
	r := row{name: "torn reads", exact: true}
	return []row{b.row(r, 0, func(p program) sample { return p.tornReads }, nil)}
}

func (p program) tornReads() (torn float64) {
	const patience = 10 * time.Second
	s, begin := p.serve(), time.Now()
	for round := 1; round < 4 || round <= p.b.rounds/4 && time.Since(begin) < p.b.budget/4; round++ {
		i := p.v.other(round)
		head, _, _ := strings.Cut(p.v.text(i), "\n## ")
		text := func(of string) string {
			return head + "\n## Requirement\n\nbegin-" + of + strings.Repeat("x", 4000) + "end-" + of + "\n"
		}
		whole := func(reply, of string) bool {
			return strings.Contains(reply, "begin-"+of+"x") && strings.Contains(reply, "xend-"+of)
		}
		old, changed := fmt.Sprint("old", round), fmt.Sprint("new", round)
		write(p.v.file(i), text(old))
		for begin := time.Now(); !whole(s.context(p.v, i), old); {
			if time.Since(begin) > patience {
				check(fmt.Errorf("a save of %s never shows", p.v.file(i)))
			}
		}
		saved := make(chan error, 1)
		go func() { saved <- inHalves(p.v.file(i), text(changed)) }()
		for begin, over := time.Now(), false; ; {
			reply := s.context(p.v, i)
			if over && whole(reply, changed) {
				break
			}
			if !whole(reply, old) && !whole(reply, changed) || time.Since(begin) > patience {
				if torn++; over {
					break
				}
			}
			select {
			case err := <-saved:
				check(err)
				over = true
			default:
			}
		}
	}
	s.end()
	return torn
}

// inHalves truncates a file and writes it in two halves, some milliseconds apart.
func inHalves(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, first := f.WriteString(text[:len(text)/2])
	time.Sleep(5 * time.Millisecond)
	_, second := f.WriteString(text[len(text)/2:])
	return errors.Join(first, second, f.Close())
}
