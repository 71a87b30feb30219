package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// do runs an operation of the catalogue with the arguments of the body.
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
	out, err := s.run(r, o, args)
	if err != nil {
		e := errs.As(err)
		refuse(w, status(err), string(e.Code), e.In(ops.Shell).Message)
		return
	}
	s.told(w, r, out)
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(out); err != nil {
		s.opt.Log.Warn("a reply was not sent", "operation", o.Name, "error", err)
	}
}

// run runs an operation. A panic fails this call only.
func (s *Site) run(r *http.Request, o ops.Operation, args json.RawMessage) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error("a bug in arbor", "operation", o.Name, "panic", p, "stack", string(debug.Stack()))
			err = errs.New(errs.InternalError, "%s: this is a bug in arbor: %v; the vault is whole", o.Name, fmt.Sprint(p))
		}
	}()
	env := s.env()
	env.Names = ops.NamesLoose
	return o.Call(r.Context(), env, args)
}
