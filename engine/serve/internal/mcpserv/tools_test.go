package mcpserv

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/ops"
)

// A line is a client over a pair of streams. It sends the given bytes, and gets the bytes of each answer.
type line struct {
	testing.TB
	server *Server
	in     io.Writer
	out    *bufio.Reader
	calls  int
}

// openLine starts a server of an engine and returns a line to it.
func openLine(t testing.TB, e *engine.Engine, opt Options) *line {
	t.Helper()
	return openLineAs(t, e, opt, "{}")
}

// openLineAs is openLine with a _meta of the client's first request.
func openLineAs(t testing.TB, e *engine.Engine, opt Options, meta string) *line {
	t.Helper()
	s, err := New(e, opt)
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(t.Context(), in, out) }()
	t.Cleanup(func() {
		toServer.Close()
		go func() {
			_, _ = io.Copy(io.Discard, fromServer)
		}()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		out.Close()
		s.Close()
	})
	l := &line{TB: t, server: s, in: toServer, out: bufio.NewReader(fromServer)}
	l.ask("initialize", `{"protocolVersion":"`+legacy+`","capabilities":{},"clientInfo":{"name":"line","version":"1"},"_meta":`+meta+`}`)
	l.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return l
}

func (l *line) write(message string) {
	l.Helper()
	if _, err := io.WriteString(l.in, message+"\n"); err != nil {
		l.Fatal(err)
	}
}

// ask sends a request and returns the bytes of its answer.
func (l *line) ask(method, params string) (result json.RawMessage, fault string) {
	l.Helper()
	l.calls++
	id := strconv.Itoa(l.calls)
	l.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	for {
		data, err := l.out.ReadBytes('\n')
		if err != nil {
			l.Fatal(err)
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			l.Fatalf("the server says %q: %v", data, err)
		}
		if m.Method == "" && string(m.ID) == id {
			return m.Result, string(m.Error)
		}
	}
}

// A said is the answer of a tool.
type said struct {
	size  int // bytes of data or of text, whichever is larger
	text  string
	data  json.RawMessage
	wrong bool
	fault string // the error, if it is one of the protocol
}

// asShown removes the JSON escapes that are only for transport.
var asShown = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u2028`, "\u2028", `\u2029`, "\u2029")

// call calls a tool with arguments in JSON, sent as they are.
func (l *line) call(tool, args string) said {
	l.Helper()
	raw, fault := l.ask("tools/call", `{"name":"`+tool+`","arguments":`+args+`}`)
	if fault != "" {
		return said{fault: fault, wrong: true}
	}
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 || r.Content[0].Type != "text" {
		l.Fatalf("%s %.200s: %.500s: %v", tool, args, raw, err)
	}
	return said{size: max(len(asShown.Replace(string(r.StructuredContent))), len(r.Content[0].Text)), text: r.Content[0].Text, data: r.StructuredContent, wrong: r.IsError}
}

// do calls a tool that must succeed, and returns its data.
func (l *line) do(tool string, args map[string]any) map[string]any {
	l.Helper()
	s := l.call(tool, jsonOf(l, args))
	if s.wrong {
		l.Fatalf("%s %.300s: %s%s", tool, jsonOf(l, args), s.text, s.fault)
	}
	return s.members(l)
}

func (s said) members(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(s.data, &m); err != nil {
		t.Fatalf("%.300s: %v", s.data, err)
	}
	return m
}

// code returns the code of a refusal, "" for a success.
func (s said) code() string {
	if !s.wrong {
		return ""
	}
	code, _, _ := strings.Cut(s.text, ": ")
	return code
}

// A listed is a tool in the answer to tools/list.
type listed struct {
	Name, Description         string
	InputSchema, OutputSchema json.RawMessage
	Annotations               struct {
		ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
	}
}

func (l *line) tools() []listed {
	l.Helper()
	raw, fault := l.ask("tools/list", "{}")
	var r struct {
		Tools      []listed
		NextCursor string
	}
	if err := json.Unmarshal(raw, &r); err != nil || fault != "" || r.NextCursor != "" {
		l.Fatalf("tools/list: %v %s %s", err, fault, r.NextCursor)
	}
	return r.Tools
}

// The limits of the tools, in bytes.
const (
	mostTools        = 12500 // name, description and input schema of all
	mostWorker       = 6850  // the same of the profile worker
	mostBare         = 14000 // tools/list without output schemas, as with --replies text
	mostSent         = 38500 // tools/list, as in docs/mcp.md: one page, as not every client asks for a second
	mostSentWorker   = 19000
	spareWorker      = 0 // bytes of mostWorker that must stay free
	mostInstructions = 1550
	workers          = 12 // tools in the profile worker
	byDefault        = 31 + 3 + 1
)

// The tools keep within the limits: the texts that a model reads in every conversation, and the list that a client
// gets.
func TestToolsAreFewBytes(t *testing.T) {
	t.Parallel()
	e := emptyEngine(t)
	for _, tt := range []struct {
		profile           Profile
		most, sent, tools int
	}{{ProfileAll, mostTools, mostSent, byDefault}, {ProfileWorker, mostWorker - spareWorker, mostSentWorker, workers}} {
		sum := 0
		l := openLine(t, e, Options{Profile: tt.profile})
		tools := l.tools()
		if raw, _ := l.ask("tools/list", "{}"); len(raw) > tt.sent {
			t.Errorf("profile %s: the list is %d bytes, want %d", tt.profile, len(raw), tt.sent)
		}
		for _, tool := range tools {
			var in bytes.Buffer
			if err := json.Compact(&in, tool.InputSchema); err != nil {
				t.Fatal(err)
			}
			sum += len(jsonOf(t, map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": json.RawMessage(in.Bytes())}))
			if in.Len() != len(tool.InputSchema) {
				t.Errorf("%s: the schema is sent with blanks", tool.Name)
			}
		}
		if len(tools) != tt.tools || sum > tt.most {
			t.Errorf("profile %s: %d tools in %d bytes, want %d in %d", tt.profile, len(tools), sum, tt.tools, tt.most)
		}
		t.Logf("profile %s: %d tools, %d bytes", tt.profile, len(tools), sum)
	}
	whole, _ := openLine(t, e, Options{}).ask("tools/list", "{}")
	bare, _ := openLine(t, e, Options{Replies: RepliesText}).ask("tools/list", "{}")
	t.Logf("tools/list: %d bytes, %d with output schemas", len(bare), len(whole))
	if len(bare) > mostBare || strings.Contains(string(bare), "outputSchema") {
		t.Errorf("tools/list without output schemas: %d bytes, %d are the most", len(bare), mostBare)
	}
	s, err := New(e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.standing().taught()); n >= mostInstructions {
		t.Errorf("the instructions take %d bytes, %d are too many", n, mostInstructions)
	}
}

// A server offers the given tool sets, by default plan. The profile restricts plan only. Each other set is small.
func TestToolSets(t *testing.T) {
	t.Parallel()
	const most, mostHistory = 5000, 3000 // bytes of name, description and input schema of a set
	e := emptyEngine(t)
	list := func(opt Options) (names []string, bytes int) {
		for _, tool := range openLine(t, e, opt).tools() {
			names = append(names, tool.Name)
			bytes += len(jsonOf(t, map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": tool.InputSchema}))
		}
		return names, bytes
	}
	plan, _ := list(Options{Toolsets: []string{ops.SetPlan}})
	for _, set := range ops.Sets()[1:] {
		names, bytes := list(Options{Toolsets: []string{set}, Profile: ProfileWorker})
		both, _ := list(Options{Toolsets: []string{ops.SetPlan, set}})
		shared := len(slices.DeleteFunc(ops.Of(set), func(o ops.Operation) bool { return o.Set != ops.SetPlan || o.Both != set }))
		if len(names) != len(ops.Of(set)) || len(both) != len(plan)+len(names)-shared {
			t.Errorf("%s is %v; with plan %v", set, names, both)
		}
		limit := most
		if set == ops.SetHistory {
			limit = mostHistory
		}
		if t.Logf("%s takes %d bytes", set, bytes); bytes > limit {
			t.Errorf("%s takes %d bytes, %d are the limit", set, bytes, limit)
		}
	}
	if first, _ := list(Options{}); len(first) != byDefault {
		t.Errorf("by default %v are on", first)
	}
	if all, _ := list(Options{Toolsets: []string{allSets}}); len(all) != len(ops.All()) || len(plan) != len(ops.Of(ops.SetPlan)) {
		t.Errorf("%d tools of all, %d of plan", len(all), len(plan))
	}
	if s := openLine(t, e, Options{}).call("config_get", "{}"); !strings.Contains(s.fault, "tool set briefing") {
		t.Errorf("a tool of another set: %s", s.fault)
	}
	if s := openLine(t, e, Options{Toolsets: []string{allSets}}).call("config_get", `{"key":"toolsets"}`); s.wrong || !strings.Contains(s.text, `["default"]`) {
		t.Errorf("config_get: %s%s", s.text, s.fault)
	}
	if _, err := New(e, Options{Toolsets: []string{"plans"}}); err == nil || !strings.Contains(err.Error(), "plans") {
		t.Errorf("an unknown set: %v", err)
	}
}

// There is one tool for each operation of the catalogue.
func TestToolsAreTheCatalogue(t *testing.T) {
	t.Parallel()
	tools := openLine(t, emptyEngine(t), Options{Toolsets: []string{ops.SetPlan}}).tools()
	byName := map[string]listed{}
	for _, tool := range tools {
		byName[tool.Name] = tool
	}
	if len(byName) != len(tools) || len(tools) != len(ops.Of(ops.SetPlan)) {
		t.Errorf("%d tools, %d names, %d operations", len(tools), len(byName), len(ops.Of(ops.SetPlan)))
	}
	for _, o := range ops.Of(ops.SetPlan) {
		tool, ok := byName[o.Name]
		if !ok {
			t.Errorf("no tool %s", o.Name)
			continue
		}
		var in struct {
			Type       string
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(tool.InputSchema, &in); err != nil {
			t.Fatal(err)
		}
		var want, required, got []string
		for _, p := range o.Params() {
			if p.Name == "dryRun" || p.Name == "ifMatch" && !slices.Contains(matched, o.Name) || p.Listed != "" && p.Listed != o.Set {
				continue
			}
			want = append(want, p.Name)
			if p.Required && in.Properties[p.Unless] == nil { // one of two may be given
				required = append(required, p.Name)
			}
		}
		if o.Destructive {
			want = append(want, confirm)
		}
		if slices.Contains(verbosely, o.Name) {
			want = append(want, verbose)
		}
		for name := range in.Properties {
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if in.Type != "object" || !slices.Equal(got, want) || !slices.Equal(in.Required, required) {
			t.Errorf("%s takes %s %v, required %v\nwant %v, required %v", o.Name, in.Type, got, in.Required, want, required)
		}
		a := tool.Annotations
		for hint, v := range map[string]struct {
			got  *bool
			want bool
		}{"readOnly": {a.ReadOnlyHint, !o.Writes}, "destructive": {a.DestructiveHint, o.Destructive || slices.Contains(overwriting, o.Name)}, "idempotent": {a.IdempotentHint, false}, "openWorld": {a.OpenWorldHint, false}} {
			if !o.Writes && hint != "readOnly" {
				v.want = false // nothing is said
			}
			if is := v.got != nil && *v.got; is != v.want || v.got == nil && o.Writes && hint == "destructive" { // which are true where nothing is said
				t.Errorf("%s: %sHint is %v, want %v", o.Name, hint, is, v.want)
			}
		}
		if d := tool.Description; d == "" || !strings.HasSuffix(d, ".") || strings.Contains(d, "..") {
			t.Errorf("%s is described as %q", o.Name, d)
		}
	}
	for _, name := range workerTools {
		if _, ok := byName[name]; !ok {
			t.Errorf("the worker's profile has %s, which is not a tool", name)
		}
	}
	for name := range hints {
		if !slices.ContainsFunc(ops.Of(ops.SetPlan), func(o ops.Operation) bool {
			return slices.ContainsFunc(o.Params(), func(p ops.Param) bool { return p.Name == name }) || o.Destructive && name == confirm
		}) {
			t.Errorf("a hint for %s, which is not a parameter", name)
		}
	}
}

// The instructions and descriptions name only tools that exist.
func TestInstructionsNameToolsThatExist(t *testing.T) {
	t.Parallel()
	texts := []string{instructions}
	for _, o := range ops.Of(ops.SetPlan) {
		texts = append(texts, describe(o))
	}
	met := 0
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			if noun, _, is := strings.Cut(word, "_"); is && noun != "info" {
				met++
				if _, ok := ops.Find(word); !ok && word != enableName {
					t.Errorf("%q names %s, which is not a tool", text, word)
				}
			}
		}
	}
	if met < 10 {
		t.Errorf("only %d tools are named", met)
	}
}
