package ops

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"arbor/engine"
)

// An Operation is one entry of the catalogue.
type Operation struct {
	Name        string
	Summary     string // one line
	Writes      bool
	Destructive bool // takes something away, if only to the trash
	Idempotent  bool // doing it again changes nothing
	Params      []Param
	In, Out     reflect.Type

	run func(ctx context.Context, env *Env, read func(in any) error) (any, error)
}

// A Param is a parameter of an operation.
type Param struct {
	Name     string
	Type     reflect.Type
	Required bool
	Enum     []string // the values allowed; nil for any
	Help     string

	judged bool // the engine refuses other values, and says more about them than that they are none
}

// Call runs the operation with arguments in JSON. Arguments that the operation does not know, of another type, or missing are refused before anything
// is done.
func (o Operation) Call(ctx context.Context, env *Env, args json.RawMessage) (any, error) {
	out, err := o.run(ctx, env, func(in any) error { return o.decode(args, in) })
	if err != nil {
		return nil, engine.AsError(err)
	}
	return out, nil
}

// effect are the properties of an operation, as bits.
type effect uint8

const (
	reads  effect = 0
	writes effect = 1 << iota
	destroys
	repeats // idempotent
)

// all is the catalogue, in the order of its documentation.
var all = []Operation{
	workspaceInit,
	workspaceList,
	workspaceGet,
	workspaceStatus,
	workspaceUpdate,
	workspaceUpdateRules,
	workspaceUpdateDocs,
	workspaceArchive,
	workspaceRestore,
	workspaceDelete,
	nodeCreate,
	nodeGet,
	nodeList,
	nodeUpdate,
	nodeMove,
	nodeDelete,
	nodeTransition,
	nodeIsolate,
	nodeReference,
	contextGet,
	contextFocus,
	logAppend,
	problemUpdate,
	problemClear,
	sessionBind,
	sessionUnbind,
	sessionStatus,
	changesGet,
	workspaceCheck,
	nodeNext,
}

// All returns every operation in the order of the documentation.
func All() []Operation { return slices.Clone(all) }

// Find returns the operation of that name.
func Find(name string) (Operation, bool) {
	for _, o := range all {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// op describes the operation that a function is. All that does not depend on its types is in describe: there is one of this function for each operation.
func op[I, O any](name, summary string, e effect, run func(context.Context, *Env, I) (*O, error)) Operation {
	o := describe(name, summary, e, reflect.TypeFor[I](), reflect.TypeFor[O]())
	o.run = func(ctx context.Context, env *Env, read func(in any) error) (any, error) {
		var in I
		if err := read(&in); err != nil {
			return nil, err
		}
		return run(ctx, env, in)
	}
	return o
}

func describe(name, summary string, e effect, in, out reflect.Type) Operation {
	o := Operation{Name: name, Summary: summary, Writes: e&writes != 0, Destructive: e&destroys != 0, Idempotent: e&repeats != 0, In: in, Out: out}
	for _, f := range reflect.VisibleFields(in) {
		if f.Anonymous {
			continue
		}
		p := Param{Type: f.Type, Required: f.Tag.Get("req") == "true", Help: f.Tag.Get("help")}
		if p.Name, _, _ = strings.Cut(f.Tag.Get("json"), ","); p.Name == "-" {
			continue // for front ends in Go
		}
		p.judged = f.Tag.Get("judge") != ""
		if enum := f.Tag.Get("enum"); enum != "" {
			p.Enum = strings.Split(enum, ",")
		}
		o.Params = append(o.Params, p)
	}
	return o
}
