package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/statemachine"
)

// An Operation is one entry of the catalogue.
type Operation struct {
	Name string
	Set  string // the tool set that offers it
	Both string // a second tool set to which it belongs; "" for none
	Help
	Writes      bool
	Destructive bool // takes something away, if only to the trash
	Idempotent  bool // doing it again changes nothing
	Git         bool // needs git, and a vault in a repository of git
	Looks       bool // a caller that MayLook can use it too; then it writes nothing
	In, Out     reflect.Type
	Brief       reflect.Type // what brief replies have of Out; Out unless it is shorter

	params []Param // nil: all; else those that Without kept
	run    func(ctx context.Context, env *Env, in any) (any, error)
}

// Help is what front ends say about an operation.
type Help struct {
	Summary string // one line without a full stop: of the tool and of the command
	Advice  string // further advice for models
	Use     string // the command with its words, as "mv NODE... PARENT"; a field of In names its word with the tag arg
	Aliases string // other names of the command, separated by spaces
	Text    string // further help of the command, in lines of at most 80 columns
	Example string // command lines
}

// A Param is a parameter of an operation (a field of its In), or a member of an object in a parameter or in a reply.
// The tags of the field say all that front ends need:
//
//	json     the name
//	req      "true" if it must be given
//	unless   the parameter that may be given instead
//	listed   the only tool set whose list of tools shows it, NeverListed for none; calls may give it all the same
//	enum     the values allowed, separated by commas
//	judge    "engine" if the engine checks the value, because its error says more
//	help     what it is; the command line shows the first word in capitals as the value of the flag
//	arg      the word of Help.Use that gives it at the command line
//	flag     the name and shorthand of the flag, if the name is not that of json, as "parent,p"; "-" for no flag
//	default  the value at the command line without the flag
//	is       what the value names: "node", "planning" (a planning node), "slot", "status", "key" or "action"
//	text     set if the value may come from a flag, a file, stdin or an editor: what to call it, as "the note"
//	writes   "true" if the operation writes only when it is given
//	empty    "ok" if the flag may be given with an empty value
//	only     of a reply: "verbose" if only verbose replies have it, "version" if those to a call with ifMatch have
//	         it too, "rarely" if few replies have it
//	usual    of a reply: the value that brief replies leave out instead of an empty one
//	flat     "true" if calls may give its members as parameters of the operation
//	like     the tool whose parameters, or whose result, it repeats
//	always   of a reply: "true" if the reply has it even if it is empty
type Param struct {
	Name     string
	Type     reflect.Type
	Shape    *Shape
	Required bool
	Unless   string   // the parameter that may be given instead; "" for none
	Listed   string   // the only tool set whose list of tools shows it; "" for any
	Enum     []string // the values allowed; nil for any
	Help     string
	Also     []string     // other names of it, which calls may use
	Flat     bool         // calls may give its members as parameters of the operation
	Writes   bool         // the operation writes only when it is given
	Rule     mdstore.Rule // the accepted values
	Field    reflect.StructField
}

// Params returns the parameters, the members of In.
func (o Operation) Params() []Param {
	if o.params != nil {
		return o.params
	}
	return ShapeOf(o.In).Members
}

// Without returns the operation without the parameters for which left returns true.
func (o Operation) Without(left func(Param) bool) Operation {
	o.params = slices.DeleteFunc(slices.Clone(o.Params()), left)
	return o
}

// Call runs the operation with arguments in JSON. Unknown, missing and mistyped arguments are refused before anything
// is done.
func (o Operation) Call(ctx context.Context, env *Env, args json.RawMessage) (any, error) {
	in, err := o.Read(args)
	if err != nil {
		return env.said(nil, err)
	}
	return o.Run(ctx, env, in)
}

// Run runs the operation with in, a pointer to a value of its type In. If the operation fails because something is not
// there, Run looks at every file again and repeats it: the file system may not have reported a rename yet. If a file is
// missing or unreadable, Run also waits for a program that is saving such a file, and repeats the operation.
//
// What it returns, hint, warnings and error, is in the words of env.Voice.
func (o Operation) Run(ctx context.Context, env *Env, in any) (any, error) {
	return env.said(o.do(ctx, env, in))
}

func (o Operation) do(ctx context.Context, env *Env, in any) (any, error) {
	if err := cmp.Or(o.permits(env, in), o.check(in)); err != nil {
		return nil, err
	}
	plans, _ := in.(interface{ planned() bool })
	dry := plans != nil && plans.planned()
	if m, ok := in.(interface{ caller() string }); ok && o.Writes && !dry && o.Name != "memory_use" && !o.Looks {
		if err := memoryOn(ctx, env, m.caller()); err != nil {
			return nil, err
		}
	}
	if o.Writes {
		traced := *env
		traced.trace = o.trace(in)
		env, ctx = &traced, mdstore.WithOperation(ctx, o.deed(env, in))
	}
	if dry {
		preview := *env
		preview.May, env = max(env.May, MayPreview), &preview
	}
	out, err := o.run(mdstore.WithMoment(ctx), env, in)
	if err != nil && errs.As(err).Class() == errs.NotFound && env.Engine.Live().Following() {
		env.Engine.Live().Stale()
		out, err = o.run(mdstore.WithMoment(ctx), env, in)
	}
	if e := errs.As(err); e != nil && (e.Class() == errs.NotFound || e.Class() == errs.Unreadable) && env.Engine.Live().AwaitSaves(ctx) {
		out, err = o.run(mdstore.WithMoment(ctx), env, in)
	}
	if m, ok := in.(interface{ workspace() string }); ok && err == nil && env.Detail == DetailBrief {
		if r, ok := out.(interface{ out() *Out }); ok && r.out().ws == "" {
			r.out().ws, _ = env.workspace(ctx, m.workspace()) // without it the reply has whole ids
		}
	}
	return out, err
}

// check returns an error for a number outside the bounds of its parameter.
func (o Operation) check(in any) error {
	for _, p := range o.Params() {
		if p.Rule.Min == nil && p.Rule.Max == nil {
			continue
		}
		v := reflect.ValueOf(in).Elem().FieldByIndex(p.Field.Index)
		if v.IsZero() { // it is not given
			continue
		}
		if err := p.Rule.Check(p.Name, fmt.Sprint(reflect.Indirect(v))); err != nil {
			return badParam(p.Name, "%v", err)
		}
	}
	return nil
}

// effect are the properties of an operation, as bits.
type effect uint8

const (
	reads  effect = 0
	writes effect = 1 << iota
	destroys
	repeats // idempotent
	looks   // see Operation.Looks
	byGit   // see Operation.Git
)

// The tool sets. An MCP server offers the tools of those that are on; the command line has every operation.
const (
	SetPlan     = "plan"     // on by default
	SetBriefing = "briefing" // for a caller that comes back: briefings, sessions, states, bindings, settings
	SetMemory   = "memory"   // memory: slots with entries, and search
	SetHistory  = "history"  // who did what when, by git; undo

	SetEnvironments = "environments" // where tools act: files, tools, approvals
)

// Sets returns the names of the tool sets, in the order of the documentation.
func Sets() []string { return []string{SetPlan, SetBriefing, SetMemory, SetHistory, SetEnvironments} }

// NeverListed is the Listed of a parameter that no list of tools shows.
const NeverListed = "never"

// all is the catalogue, in the order of its documentation.
var all = slices.Concat(in(SetPlan, planSet), in(SetBriefing, briefingSet), in(SetMemory, memorySet), in(SetHistory, historySet), in(SetEnvironments, environmentSet))

// both makes an operation part of a second tool set.
func both(set string, o Operation) Operation {
	o.Both = set
	return o
}

func in(set string, operations []Operation) []Operation {
	for i := range operations {
		operations[i].Set = set
	}
	return operations
}

var briefingSet = []Operation{
	configGet,
	workspaceLoad,
	briefingUpdate,
	workspaceResolve,
	workspaceGC,
	sessionStart,
	sessionEnd,
	sessionList,
	sessionLoad,
	sessionNote,
	stateSave,
	stateList,
	stateLoad,
	stateUpdate,
	stateDelete,
	transcriptAppend,
	transcriptRead,
	transcriptClear,
}

var memorySet = []Operation{
	memorySave,
	memoryRead,
	memoryList,
	memoryUpdate,
	memoryArchive,
	memoryRestore,
	memoryCompress,
	memoryDelete,
	memorySummarize,
	memoryMerge,
	memoryImport,
	memoryExport,
	memoryUse,
	ask,
}

var historySet = []Operation{
	undo,
	historyGet,
	planDiff,
}

var environmentSet = []Operation{
	envRegister,
	envList,
	envAttach,
	envDetach,
	envRestore,
	envRemove,
	toolList,
	toolCall,
	accessRequest,
	approvalList,
	fileRead,
	fileList,
	fileSearch,
	fileWrite,
	fileEdit,
	fileDelete,
}

// forPeople are operations that no server offers as a tool: people call them.
var forPeople = append(aboutPeople, []Operation{
	importOp,
	adoptOp,
	exportOp,
	syncOp,
	conflictsOp,
	resolveConflict,
	gitInstall,
	gitUninstall,
	blame,
	planGraph,
	planStats,
	approve,
	deny,
	envTrust,
	envGrants,
	envUndo,
	envClients,
}...)

// Commands returns the operations that only the command line has.
func Commands() []Operation { return slices.Clone(forPeople) }

var planSet = []Operation{
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
	searchOp,
}

// All returns every operation that servers offer, in the order of the documentation.
func All() []Operation { return slices.Clone(all) }

// Of returns the operations of a tool set.
func Of(set string) []Operation {
	return slices.DeleteFunc(All(), func(o Operation) bool { return o.Set != set && o.Both != set })
}

// Find returns the operation of that name.
func Find(name string) (Operation, bool) {
	for _, list := range [][]Operation{all, forPeople} {
		if i := slices.IndexFunc(list, func(o Operation) bool { return o.Name == name }); i >= 0 {
			return list[i], true
		}
	}
	return Operation{}, false
}

// op makes the operation that runs a function.
func op[I, O any](name string, e effect, run func(context.Context, *Env, I) (*O, error), h Help) Operation {
	brief := reflect.TypeFor[O]()
	if l, ok := any(new(O)).(leaner); ok {
		brief = reflect.TypeOf(l.lean(func(id string) string { return id }))
	}
	return Operation{
		Name: name, Help: h, Writes: e&writes != 0, Destructive: e&destroys != 0, Idempotent: e&repeats != 0, Looks: e&looks != 0, Git: e&byGit != 0,
		In: reflect.TypeFor[I](), Out: reflect.TypeFor[O](), Brief: brief,
		run: func(ctx context.Context, env *Env, in any) (any, error) { return run(ctx, env, *in.(*I)) },
	}
}

// params returns the members that a struct has as JSON.
func params(t reflect.Type) []Param {
	all := []Param{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" { // "-" is for front ends in Go
			continue
		}
		p := Param{
			Name: name, Type: f.Type, Shape: shapeOf(f.Type), Required: f.Tag.Get("req") == "true", Help: f.Tag.Get("help"), Field: f,
			Unless: f.Tag.Get("unless"), Listed: f.Tag.Get("listed"), Writes: f.Tag.Get("writes") == "true",
			Flat: f.Tag.Get("flat") == "true",
		}
		if last := len(f.Index) - 1; last == 0 || t.FieldByIndex(f.Index[:last]).Type != reflect.TypeFor[mdstore.Fields]() {
			p.Rule = mdstore.RuleOf(f) // the plan checks fields of nodes, in which 0 can mean no value
		}
		if also := f.Tag.Get("also"); also != "" {
			p.Also = strings.Split(also, ",")
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			p.Enum = strings.Split(enum, ",")
		} else if f.Tag.Get("is") == "action" {
			for _, do := range statemachine.Actions() {
				p.Enum = append(p.Enum, string(do))
			}
		}
		if p.Enum != nil {
			p.Shape = &Shape{Type: p.Shape.Type, Kind: KindText, Enum: p.Enum, judged: f.Tag.Get("judge") != ""}
		}
		all = append(all, p)
	}
	return all
}
