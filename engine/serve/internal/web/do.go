package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"

	"arbor/engine/errs"
	"arbor/engine/exchange"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
)

// do runs an operation of the catalogue with the arguments of the body. The address names further nodes (also=ID) of an
// operation that takes several, which is then one operation with one undo.
func (s *Site) do(w http.ResponseWriter, r *http.Request) {
	o, ok := ops.Find(r.PathValue("operation"))
	if !ok {
		refuse(w, http.StatusNotFound, "INVALID_PARAMS", "there is no operation "+r.PathValue("operation"))
		return
	}
	var args json.RawMessage
	if !readJSON(w, r, &args) {
		return
	}
	in, err := o.Read(args)
	if err != nil {
		refuseError(w, err)
		return
	}
	if several, ok := in.(interface{ Further() *[]string }); ok {
		*several.Further() = r.URL.Query()["also"]
	}
	s.answer(w, r, o, in)
}

// outline makes nodes of lines or Markdown that a person pasted.
func (s *Site) outline(w http.ResponseWriter, r *http.Request) {
	var in struct{ WorkspaceID, Into, Text string }
	if !readJSON(w, r, &in) {
		return
	}
	o, _ := ops.Find("import")
	read := func(string) ([]byte, error) { return []byte(in.Text), nil }
	s.answer(w, r, o, &ops.ImportIn{In: ops.In{WorkspaceID: in.WorkspaceID}, Path: "-", From: "markdown", Into: in.Into,
		RulesRead: true, Source: exchange.Source{Read: read}})
}

// answer runs an operation and sends its reply.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, o ops.Operation, in any) {
	out, err := s.run(r, o, in)
	if err != nil {
		refuseError(w, err)
		return
	}
	s.told(w, r, out)
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(out); err != nil {
		s.opt.Log.Warn("a reply was not sent", "operation", o.Name, "error", err)
	}
}

// refuseError answers with the error of an operation.
func refuseError(w http.ResponseWriter, err error) {
	e := errs.As(err)
	refuse(w, status(err), string(e.Code), e.In(ops.Shell).Message)
}

// run runs an operation.
func (s *Site) run(r *http.Request, o ops.Operation, in any) (any, error) {
	env := s.envOf(people.From(r.Context()))
	env.Names = ops.NamesLoose
	return s.caught(o.Name, func() (any, error) { return o.Run(r.Context(), env, in) })
}

// caught calls f. A panic fails this call only.
func (s *Site) caught(name string, f func() (any, error)) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error("a bug in arbor", "operation", name, "panic", p, "stack", string(debug.Stack()))
			err = errs.New(errs.InternalError, "%s: this is a bug in arbor: %v; the vault is whole", name, fmt.Sprint(p))
		}
	}()
	return f()
}

// envOf returns the caller of operations: the server's own user for nil, else a person with their rights.
func (s *Site) envOf(who *people.Who) *ops.Env {
	env := s.env()
	if who == nil {
		return env
	}
	env.Who, env.By = who, "as "+who.String()+" on the page"
	if !who.May(people.Decide) {
		env.Caller = ops.ByPerson
	}
	if !who.May(people.Work) {
		env.May = ops.MayLook
	}
	return env
}
