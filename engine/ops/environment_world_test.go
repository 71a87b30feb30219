package ops_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A machine has a project with a vault, on a machine of one person.
type machine struct {
	*testing.T
	project, state, home string
	engine               *engine.Engine
	now                  time.Time
	memory               *places.CallLog
}

// newMachine makes a project with the files that are given, a vault with one workspace, and nothing that anybody
// trusts.
func newMachine(t *testing.T, files map[string]string) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &machine{
		T: t, project: filepath.Join(dir, "home", "project"), home: filepath.Join(dir, "home"), state: filepath.Join(dir, "home", ".state"),
		now: time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC),
	}
	for name, text := range files {
		p.save(name, text)
	}
	vault := filepath.Join(p.project, mdstore.DefaultVault)
	if err := dirstore.Create(vault); err != nil {
		t.Fatal(err)
	}
	p.open()
	p.do(p.person(), "workspace_init", args{"name": "Demo", "goal": "try"})
	return p
}

// open opens the vault anew, as another process does.
func (p *machine) open() {
	p.Helper()
	vault := filepath.Join(p.project, mdstore.DefaultVault)
	st, err := dirstore.Open(vault, dirstore.Options{ProjectRoot: p.project, SaveQuiet: -1})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { st.Close() })
	p.memory = &places.CallLog{}
	p.engine, err = engine.Open(p.Context(), st, engine.Options{
		Vault: vault, Project: p.project, State: p.state, Now: func() time.Time { return p.now },
	})
	if err != nil {
		p.Fatal(err)
	}
}

func (p *machine) save(name, text string) {
	p.Helper()
	at := filepath.Join(p.project, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
}

// text returns a file of the project; "" for one that is not there.
func (p *machine) text(name string) string {
	data, _ := os.ReadFile(filepath.Join(p.project, filepath.FromSlash(name)))
	return string(data)
}

type args map[string]any

// person is the person of the machine at a terminal.
func (p *machine) person() *ops.Env {
	return &ops.Env{Engine: p.engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider, Home: p.home}
}

// assistant is one that a server serves, with a session.
func (p *machine) assistant(session string) *ops.Env {
	return &ops.Env{Engine: p.engine, Session: session, Operator: mdstore.OperatorAI, Home: p.home, CallLog: p.memory}
}

// started is an assistant whose session has a file.
func (p *machine) started(session string) *ops.Env {
	p.Helper()
	env := p.assistant(session)
	p.do(env, "session_start", args{"sessionId": session})
	return env
}

// attached is an assistant whose session has the environment app.
func (p *machine) attached(session string) *ops.Env {
	p.Helper()
	env := p.started(session)
	p.do(env, "env_attach", args{"id": "app"})
	return env
}

func (p *machine) try(env *ops.Env, tool string, in args) (map[string]any, error) {
	p.Helper()
	o, ok := ops.Find(tool)
	if !ok {
		p.Fatalf("there is no operation %s", tool)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		p.Fatal(err)
	}
	out, err := o.Call(p.Context(), env, raw)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(out)
	if err != nil {
		p.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		p.Fatal(err)
	}
	return got, nil
}

func (p *machine) do(env *ops.Env, tool string, in args) map[string]any {
	p.Helper()
	out, err := p.try(env, tool, in)
	if err != nil {
		p.Fatalf("%s %v: %v", tool, in, err)
	}
	return out
}

// refused makes a call that must fail with a code, and returns the error.
func (p *machine) refused(env *ops.Env, code errs.Code, tool string, in args) *errs.Error {
	p.Helper()
	out, err := p.try(env, tool, in)
	if err == nil {
		p.Fatalf("%s %v: done: %v; want %s", tool, in, out, code)
	}
	e := errs.As(err)
	if e.Code != code {
		p.Fatalf("%s %v: %v; want %s", tool, in, err, code)
	}
	return e
}

// asked makes a call that must wait for a person, and returns the request.
func (p *machine) asked(env *ops.Env, tool string, in args) string {
	p.Helper()
	return p.refused(env, errs.ApprovalPending, tool, in).Details.Param
}

// code is what a call ends with: "" for one that runs.
func (p *machine) code(env *ops.Env, tool string, in args) errs.Code {
	p.Helper()
	if _, err := p.try(env, tool, in); err != nil {
		return errs.As(err).Code
	}
	return ""
}

// add registers the project's folder for the person.
func (p *machine) add(id string, trust places.Level, more args) {
	p.Helper()
	in := args{"uri": "file:.", "id": id, "trust": string(trust)}
	for k, v := range more {
		in[k] = v
	}
	p.do(p.person(), "env_register", in)
}
