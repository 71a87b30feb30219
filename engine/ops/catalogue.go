package ops

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

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

// all is the catalogue, in the order of its documentation. It is made when somebody asks for it: a command of the command line knows the one operation
// that it is about.
var all = sync.OnceValue(func() []Operation {
	return []Operation{
		op("workspace_init", "make a workspace with its root node", writes, WorkspaceInit),
		op("workspace_list", "list the workspaces of the vault", reads|repeats, WorkspaceList),
		op("workspace_get", "goal, rules, documents, problem and log of a workspace", reads|repeats, WorkspaceGet),
		op("workspace_status", "the tree with statuses, progress and problems, as text", reads|repeats, WorkspaceStatus),
		op("workspace_update", "rename a workspace or give it another goal", writes|repeats, WorkspaceUpdate),
		op("workspace_update_rules", "add, remove or replace rules", writes|repeats, WorkspaceUpdateRules),
		op("workspace_update_docs", "add, remove, expire or activate a document", writes, WorkspaceUpdateDocs),
		op("workspace_archive", "move a workspace into the archive", writes|repeats, WorkspaceArchive),
		op("workspace_restore", "take a workspace out of the archive", writes|repeats, WorkspaceRestore),
		op("workspace_delete", "move a workspace to the trash", writes|destroys, WorkspaceDelete),
		op("node_create", "make a node under a planning node", writes, NodeCreate),
		op("node_get", "everything that one node's file says", reads|repeats, NodeGet),
		op("node_list", "nodes as a tree, filtered and bounded", reads|repeats, NodeList),
		op("node_update", "give a node another title, requirement, note or conclusion", writes|repeats, NodeUpdate),
		op("node_move", "give a node another parent, or another place among its siblings", writes|repeats, NodeMove),
		op("node_delete", "move a node and all below it to the trash", writes|destroys, NodeDelete),
		op("node_transition", "start, submit, complete, fail, retry, reopen or cancel a node", writes, NodeTransition),
		op("node_isolate", "cut a node's context off from its ancestors, or join it again", writes|repeats, NodeIsolate),
		op("node_reference", "add, remove, expire or activate a reference to a node or document", writes, NodeReference),
		op("context_get", "what somebody working on a node must know, and nothing else", reads|repeats, ContextGet),
		op("context_focus", "say which node the work is at", writes|repeats, ContextFocus),
		op("log_append", "add to the log of a node or of the workspace", writes, LogAppend),
		op("problem_update", "say what is wrong now, and what to do next", writes|repeats, ProblemUpdate),
		op("problem_clear", "say that nothing is wrong any more", writes|repeats, ProblemClear),
		op("session_bind", "make a workspace the default of a session", writes|repeats, SessionBind),
		op("session_unbind", "end a session's binding", writes, SessionUnbind),
		op("session_status", "what a session is bound to", reads|repeats, SessionStatus),
		op("changes_get", "what people and others changed since a session last looked", writes, ChangesGet),
		op("workspace_check", "every diagnostic of the files, and repairs that lose nothing", writes|repeats, WorkspaceCheck),
		op("node_next", "nodes ready to be worked on; claim them", writes, NodeNext),
	}
})

// All returns every operation in the order of the documentation.
func All() []Operation { return slices.Clone(all()) }

// Find returns the operation of that name.
func Find(name string) (Operation, bool) {
	for _, o := range all() {
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
