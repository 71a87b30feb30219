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
	var at struct{ WorkspaceID string }
	_ = json.Unmarshal(args, &at) // it was read as JSON
	s.answer(w, r, at.WorkspaceID, o, in)
}

// outline makes nodes of lines or Markdown that a person pasted.
func (s *Site) outline(w http.ResponseWriter, r *http.Request) {
	var in struct{ WorkspaceID, Into, Text string }
	if !readJSON(w, r, &in) {
		return
	}
	o, _ := ops.Find("import")
	read := func(string) ([]byte, error) { return []byte(in.Text), nil }
	s.answer(w, r, in.WorkspaceID, o, &ops.ImportIn{In: ops.In{WorkspaceID: in.WorkspaceID}, Path: "-",
		From: "markdown", Into: in.Into, RulesRead: true, Source: exchange.Source{Read: read}})
}

// answer runs an operation of a workspace and sends its reply.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, ws string, o ops.Operation, in any) {
	env := s.envOf(people.From(r.Context()))
	l := look{Language: language(w, r)}
	env.Names, env.Voice.Op = ops.NamesLoose, l.button
	env.Voice.Param = func(given string) string { return ops.Shell.Param(given) + l.say(" (at the command line)") }
	out, err := s.caught(o.Name, func() (any, error) { return o.Run(r.Context(), env, in) })
	if err != nil {
		e := *errs.As(err)
		e.Message = s.titled(r.Context(), ws, e.Message)
		refuseError(w, &e)
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
