package mcpserv

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// sound has a valid value of each required parameter, by name.
var sound = map[string]string{
	"workspaceId": `"` + planID + `"`, "nodeId": `"` + signIn + `"`, "name": `"N"`, "goal": `"g"`, "action": "", "path": `"docs/a.md"`, "parentId": `"root"`, "type": `"execution"`, "title": `"T"`,
	"requirement": `"r"`, "newParentId": `"root"`, "isolate": `true`, "targetIdOrPath": `"docs/a.md"`, "operator": `"AI"`, "event": `"e"`, "problem": `"p"`, "sessionId": `"s"`,
	"rulesHash": `"` + richHash + `"`, "rule": `"r"`, "confirm": `true`, "query": `"login"`,
}

// soundOf has values that are valid for one tool only.
var soundOf = map[string]map[string]string{
	"workspace_update_rules": {"action": `"add"`}, "workspace_update_docs": {"action": `"add"`}, "node_reference": {"action": `"add"`}, "node_transition": {"action": `"submit"`},
	"node_update": {"note": `"n"`}, "workspace_update": {"goal": `"another"`}, "workspace_delete": {"force": `true`}, "workspace_restore": {"workspaceId": `"ws-old"`}, "node_move": {"newParentId": `"node-alone"`},
}

// soundArgs returns arguments with which an operation succeeds: the required ones, and those that the rich vault needs.
func soundArgs(t testing.TB, o ops.Operation) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, p := range o.Params() {
		own, has := soundOf[o.Name][p.Name]
		switch v := sound[p.Name]; {
		case has:
			out[p.Name] = own
		case !p.Required && p.Name != "rulesHash" && p.Name != "rule" && p.Name != "workspaceId":
		case v == "":
			t.Fatalf("%s: say a sound value of %s", o.Name, p.Name)
		default:
			out[p.Name] = v
		}
	}
	if o.Destructive {
		out[confirm] = "true"
	}
	return out
}

func object2(members map[string]string) string {
	var list []string
	for k, v := range members {
		list = append(list, jsonRaw(k)+":"+v)
	}
	slices.Sort(list)
	return "{" + strings.Join(list, ",") + "}"
}

// A siege calls tools of a vault with bad arguments, and compares the vault after each call.
type siege struct {
	testing.TB
	world *enginetest.World
	line  *line
	files map[mdstore.Path][]byte
	calls int
	shown map[string]bool
}

func newSiege(t testing.TB) *siege {
	t.Helper()
	files := richFiles()
	for p := range files { // few files are enough, as each call reads all of them
		if id := p.Dir().Base(); p.Base() == mdstore.NodeFile && !slices.Contains([]string{"root", "node-mj2hz4gy-theapi", signIn, "node-alone", "odd"}, id) {
			delete(files, p)
		}
	}
	w := enginetest.New(t, files)
	return &siege{TB: t, world: w, line: openLine(t, w.Engine, Options{}), files: w.Store.Files(), shown: map[string]bool{}}
}

// try calls a tool and returns its answer. The call must be refused unless may is true.
func (s *siege) try(o ops.Operation, members map[string]string, what string, may bool) said {
	s.Helper()
	s.calls++
	r := s.line.call(o.Name, object2(members))
	changed := enginetest.Diff(s.files, s.world.Store.Files())
	if !r.wrong && !may {
		s.Errorf("%s with %s works: %.300s", o.Name, what, r.data)
	}
	if r.wrong && len(changed) > 0 {
		s.Errorf("%s with %s is refused, and changes %v: %.300s", o.Name, what, changed, r.text)
	}
	s.restore(changed)
	if !r.wrong {
		return r
	}
	if r.fault != "" {
		s.Errorf("%s with %s is an error of the protocol: %s", o.Name, what, r.fault)
		return r
	}
	s.judge(o, what, r)
	return r
}

// restore writes the original bytes of the files.
func (s *siege) restore(paths []mdstore.Path) {
	s.Helper()
	var back []mdstore.Change
	for _, p := range paths {
		c := mdstore.Change{Path: p, New: s.files[p]}
		if f, err := s.world.Store.Read(s.Context(), p); err == nil {
			c.Base = f.Version
		}
		back = append(back, c)
	}
	if len(back) == 0 {
		return
	}
	if _, err := s.world.Store.Commit(s.Context(), back); err != nil {
		s.Fatal(err)
	}
}

// judge checks the text of a refusal.
func (s *siege) judge(o ops.Operation, what string, r said) {
	s.Helper()
	code, message, _ := strings.Cut(r.text, ": ")
	switch {
	case code != r.code() || errs.Code(code).Class() == errs.Internal:
		s.Errorf("%s with %s: the code is %q and %q: %.300s", o.Name, what, code, r.code(), r.text)
	case len(r.text) > 2048 || len(message) < 20 || !utf8.ValidString(r.text):
		s.Errorf("%s with %s: the message has %d bytes: %.300q", o.Name, what, len(r.text), r.text)
	case strings.ContainsFunc(message, func(c rune) bool { return unicode.IsControl(c) && c != '\n' || c == '\u202e' }):
		s.Errorf("%s with %s: a message with what it must not hold: %.300q", o.Name, what, r.text)
	case strings.Contains(message, " json: ") || strings.Contains(message, "Go "):
		s.Errorf("%s with %s: a message for programmers: %.300q", o.Name, what, r.text)
	}
	if os.Getenv("SHOW") != "" && !s.shown[message] {
		s.shown[message] = true
		fmt.Printf("%-22s %-40.40s %.260s\n", o.Name, what, r.text)
	}
}

// wrongTypes returns JSON values that no parameter of the type accepts, in any other form either.
func wrongTypes(t reflect.Type) []string {
	all := []string{`{}`, `{"path":"x"}`, `[[]]`, `[[["x"]]]`}
	switch t.Kind() {
	case reflect.Map: // any object may be valid
		return append(all[2:], `5`, `"x"`, `true`, `[]`)
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			return append(all[1:], `5`, `"x"`, `true`, `[]`, `{"purpose":true}`, `{"workflows":[{"name":"x","steps":{}}]}`)
		}
		return wrongTypes(t.Elem())
	case reflect.String:
		return append(all, `1.0`, `5e2`, `true`, `[]`, `["x"]`, `1e400`)
	case reflect.Bool:
		return append(all, `"yes"`, `""`, `0`, `1`, `[]`, `[true]`)
	case reflect.Int, reflect.Int64:
		return append(all, `"five"`, `1.5`, `true`, `[]`, `[1]`, `1e400`, `-1e400`, `9223372036854775808`, `-9223372036854775809`, `123456789012345678901234567890`)
	case reflect.Slice:
		all = append(all, `""`, `[""]`, `true`, `[true]`, `[null]`, `["x",null]`, `["x",["y"]]`, `1e400`)
		if t.Elem().Kind() == reflect.Struct {
			all = slices.DeleteFunc(all, func(v string) bool { return v == `{"path":"x"}` }) // may be a list of one document
			return append(all, `[{"path":[]}]`, `[{"path":null}]`, `[{"path":"x","description":[]}]`, `[{"path":"x","nothing":1}]`, `[{"description":"x"}]`, `[{}]`)
		}
		return append(all, `[{}]`)
	}
	return all
}

// A parameter refuses values of every other type.
func TestWrongTypesAreRefused(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	for _, o := range ops.Of(ops.SetPlan) {
		base := soundArgs(t, o)
		params := o.Params()
		if o.Destructive {
			params = append(slices.Clone(params), ops.Param{Name: confirm, Type: reflect.TypeFor[bool]()})
		}
		for _, p := range params {
			for _, v := range wrongTypes(p.Type) {
				if slices.Contains(p.Enum, v) { // true is a value of includeLog
					continue
				}
				members := withMember(base, p.Name, v)
				r := s.try(o, members, p.Name+" "+v, false)
				if r.wrong && !strings.Contains(r.text, p.Name) && !strings.Contains(v, "path") {
					t.Errorf("%s with %s %s: the refusal does not name it: %s", o.Name, p.Name, v, r.text)
				}
			}
			r := s.try(o, withMember(base, p.Name, "null"), p.Name+" null", !p.Required)
			if p.Required && !strings.Contains(r.text, p.Name+" is missing") {
				t.Errorf("%s without %s: %s", o.Name, p.Name, r.text)
			}
			if p.Required {
				less := withMember(base, p.Name, "")
				delete(less, p.Name)
				if r := s.try(o, less, "no "+p.Name, false); !strings.Contains(r.text, p.Name+" is missing") {
					t.Errorf("%s without %s: %s", o.Name, p.Name, r.text)
				}
			}
		}
		s.try(o, base, "sound arguments", true)
	}
	if s.calls < 1000 {
		t.Errorf("%d calls only", s.calls)
	}
	t.Logf("%d calls", s.calls)
}

func withMember(base map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for k, v := range base {
		if k != name {
			out[k] = v
		}
	}
	return out
}

// hostileTexts returns JSON strings that are not valid ids or paths. Some are valid texts.
func hostileTexts() []string {
	list := []string{`""`, `" "`, `"a\u0000b"`, `"\ud83d"`, "\"a\xff\xfeb\"", `"../../etc/passwd"`, `"/etc/passwd"`, `"..\\..\\x"`, `"a/b"`, `".."`,
		`"\u001b[31mred"`, `"a\nb"`, `"\u202eabc"`, `"\u2028"`, `".local/journal"`,
		`"x'; DROP SCHEMA arbor CASCADE; --"`, `"$1 SCHEMA.files %_\\"`}
	for _, part := range []string{"节", "../"} {
		list = append(list, `"`+strings.Repeat(part, 300)+`"`)
	}
	return list
}

// names reports whether a parameter names something that must exist.
func names(p ops.Param) bool {
	switch p.Name {
	case "workspaceId", "nodeId", "parentId", "newParentId", "rootId", "before", "after", "cursor", "ifMatch", "since":
		return true
	}
	return p.Enum != nil
}

// A text that looks like a path, a control sequence or broken Unicode does no harm in any parameter.
func TestHostileTextsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	for _, o := range ops.Of(ops.SetPlan) {
		base := soundArgs(t, o)
		for _, p := range o.Params() {
			typ := p.Type
			if typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			for i, v := range hostileTexts() {
				var text string
				_ = json.Unmarshal([]byte(v), &text)
				may := !names(p) || text == "" && !p.Required
				if may && i%3 > 0 && text != "" { // for free texts, every third value is enough
					continue
				}
				switch {
				case typ.Kind() == reflect.String:
				case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.String:
					v = "[" + v + "]"
				case typ.Kind() == reflect.Slice:
					v = `[{"path":` + v + `,"description":` + v + `}]`
				default:
					continue
				}
				if strings.Contains(v, "\xff") || strings.Contains(v, `\ud83d`) || strings.Contains(v, `\u0000`) {
					may = false // invalid Unicode
				}
				s.try(o, withMember(base, p.Name, v), fmt.Sprintf("%s %.60s", p.Name, v), may)
			}
		}
	}
	t.Logf("%d calls", s.calls)
}

// Every parameter that takes a number takes the smallest and largest ones without harm.
func TestExtremeNumbersDoNoHarm(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	for _, o := range ops.Of(ops.SetPlan) {
		for _, p := range o.Params() {
			if k := p.Type.Kind(); k != reflect.Int && k != reflect.Int64 {
				continue
			}
			for _, v := range []string{"-1", "-2", "0", "1", "2147483648", "9223372036854775807", "-9223372036854775808"} {
				s.try(o, withMember(soundArgs(t, o), p.Name, v), p.Name+" "+v, true)
			}
		}
	}
	if s.calls < 30 {
		t.Errorf("%d calls only", s.calls)
	}
}

// A misspelt parameter is refused with its right name, for every parameter of every tool.
func TestMisspeltParametersAreNamed(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	for _, o := range ops.Of(ops.SetPlan) {
		base := soundArgs(t, o)
		for _, p := range o.Params() {
			for _, wrong := range []string{p.Name + "s", p.Name[:len(p.Name)-1], strings.ToUpper(p.Name), strings.ToUpper(p.Name[:1]) + p.Name[1:], snake(p.Name)} {
				known := func(q ops.Param) bool { return q.Name == wrong || slices.Contains(q.Also, wrong) }
				if wrong == p.Name || len(p.Name) < 4 || slices.ContainsFunc(o.Params(), known) {
					continue
				}
				r := s.try(o, withMember(base, wrong, `"x"`), wrong, false)
				if r.code() != string(errs.UnknownParams) || !strings.Contains(r.text, p.Name) {
					t.Errorf("%s with %s: %s", o.Name, wrong, r.text)
				}
			}
		}
		for _, v := range []string{`"../x"`, `"\u0000"`, `"` + strings.Repeat("n", 5000) + `"`, `""`, `"\u001b[31m"`, `"__proto__"`} {
			var name string
			if err := json.Unmarshal([]byte(v), &name); err != nil {
				t.Fatal(err)
			}
			if r := s.try(o, withMember(base, name, "1"), "a parameter "+v[:min(len(v), 30)], false); r.code() != string(errs.UnknownParams) {
				t.Errorf("%s with a parameter %.40s: %s", o.Name, v, r.text)
			}
		}
	}
}

// snake returns a name in snake case.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// Arguments that are not an object, or nested too deep, are refused.
func TestArgumentsMustBeObjects(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	for _, o := range ops.Of(ops.SetPlan) {
		for _, v := range []string{`[]`, `"x"`, `5`, `true`, `[{}]`} {
			r := s.line.call(o.Name, v)
			if d := enginetest.Diff(s.files, s.world.Store.Files()); len(d) > 0 || !r.wrong {
				t.Fatalf("%s with %s works, or changes %v: %s", o.Name, v, d, r.data)
			}
			if r.fault == "" {
				s.judge(o, v, r)
			}
		}
		first := "workspaceId"
		if len(o.Params()) > 0 {
			first = o.Params()[0].Name
		}
		for depth, may := range map[int]bool{900: false, 5000: true} {
			r := s.line.call(o.Name, object2(withMember(soundArgs(t, o), first, strings.Repeat("[", depth)+strings.Repeat("]", depth))))
			if d := enginetest.Diff(s.files, s.world.Store.Files()); len(d) > 0 || !r.wrong || r.fault != "" && !may || len(r.fault) > 2048 {
				t.Fatalf("%s with lists %d deep: %v %.300s %.300s", o.Name, depth, d, r.text, r.fault)
			}
			if r.fault == "" {
				s.judge(o, "lists in lists", r)
			}
		}
	}
}

// Large texts are accepted or refused as a whole, up to 4 MiB, which is more than the limit of a file.
func TestLargeTextsDoNoHarm(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	piece := "0123456789abcde\\n"
	large := func(bytes int) string { return `"` + strings.Repeat(piece, bytes/16) + `"` }
	done := map[string]bool{}
	for _, o := range ops.Of(ops.SetPlan) {
		for _, p := range o.Params() {
			v, fits := large(4<<10), !names(p)
			switch p.Name {
			case "nodeId":
				v = large(1 << 20)
			case "requirement":
				v, fits = large(4<<20), false
			}
			switch k := p.Type.Kind(); {
			case done[p.Name] || k == reflect.Bool || k == reflect.Int:
				continue
			case k == reflect.Slice && p.Type.Elem().Kind() == reflect.String:
				v = "[" + v + "]"
			case k == reflect.Slice:
				v = `[{"path":` + v + `}]`
			}
			done[p.Name] = true
			s.try(o, withMember(soundArgs(t, o), p.Name, v), p.Name+" that is large", fits)
		}
	}
	if len(done) < 20 {
		t.Errorf("%d parameters only", len(done))
	}
}

// A call with very many arguments is refused at once.
func TestManyArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSiege(t)
	o, _ := ops.Find("node_list")
	members := map[string]string{}
	for i := range 50_000 {
		members[fmt.Sprintf("k%d", i)] = "1"
	}
	began := time.Now()
	s.try(o, members, "many arguments", false)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
