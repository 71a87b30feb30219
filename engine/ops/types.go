package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
)

// In names the workspace that an operation is about.
type In struct {
	WorkspaceID string `json:"workspaceId,omitempty" help:"the workspace; may be left out where one is meant without doubt: the bound one, or the only active one"`
}

// Write are the parameters that every writing operation takes.
type Write struct {
	DryRun bool `json:"dryRun,omitempty" help:"plan only: return the unified diff and write nothing"`
}

// Match is the precondition of operations on one file that was read before.
type Match struct {
	IfMatch string `json:"ifMatch,omitempty" help:"the version that a read returned; refused with CONFLICT when the file moved on"`
}

// Out is what every result carries.
type Out struct {
	Hint string `json:"hint"` // one short line on what can be done next
}

// Wrote is what every writing operation's result carries.
type Wrote struct {
	Success bool                `json:"success"`
	Changed bool                `json:"changed"`             // false where everything was so already
	Adapted []string            `json:"adapted,omitempty"`   // how given text was changed to fit in
	Met     []mdstore.Collision `json:"conflicts,omitempty"` // saves by others that the write met, and what became of both
	DryRun  bool                `json:"dryRun,omitempty"`
	Diff    string              `json:"diff,omitempty"` // unified, of a dry run; of a repair also where it was made
	Files   []FileDiff          `json:"files,omitempty"`
	More    int                 `json:"filesHidden,omitempty"` // further files, where results are bounded
	Out
}

// A FileDiff says what a writing operation changed in one file.
type FileDiff struct {
	Path    string   `json:"path"`              // relative to the vault
	To      string   `json:"to,omitempty"`      // where the file or folder moved
	Version string   `json:"version,omitempty"` // of the file as it is now; for ifMatch
	Lines   int      `json:"lines"`             // lines that differ: the larger of those added and those removed
	What    []string `json:"what,omitempty"`    // "node-… status pending → implementing"
}

// wrote turns an outcome into what every writing operation returns, and notes the change as the session's own.
func (env *Env) wrote(ctx context.Context, ws mdstore.ID, o *engine.Outcome, hint string) Wrote {
	w := Wrote{Success: true, Changed: o.Changed(), Adapted: o.Adapted, Met: o.Collisions, DryRun: o.DryRun, Out: Out{Hint: hint}}
	if o.DryRun {
		w.Diff = o.Diff()
		w.Hint = "nothing was written; repeat the call without dryRun to do it"
	} else if !w.Changed {
		w.Hint = "it was so already; nothing was written"
	}
	if len(w.Met) > 0 {
		w.Hint = "done; conflicts says what became of saves by others that this write, or an earlier one, has met"
	}
	files := o.Files
	if env.bounded() {
		files = files[:min(len(files), boundedFiles)]
	}
	for _, f := range files {
		w.Files = append(w.Files, FileDiff{Path: string(f.Path), To: string(f.To), Version: f.Version.String(), Lines: f.Lines(), What: f.What})
	}
	w.Files = w.Files[:share(env, w.Files, 3)]
	w.More = len(o.Files) - len(w.Files)
	if err := env.Engine.NoteOwn(ctx, ws, env.Session, o); err != nil {
		w.Hint = "done; but what the session has seen could not be noted, so changes_get will name this change too"
	}
	return w
}

// Doc is a document of a workspace or node, or a node's reference.
type Doc struct {
	Path        string `json:"path"`
	Description string `json:"description"`
	Expired     bool   `json:"expired,omitempty"`
}

func docs(rs []mdstore.Ref) []Doc {
	out := make([]Doc, len(rs))
	for i, r := range rs {
		out[i] = Doc{Path: r.Target, Description: r.Description, Expired: r.Expired}
	}
	return out
}

func refs(ds []Doc) []mdstore.Ref {
	out := make([]mdstore.Ref, len(ds))
	for i, d := range ds {
		out[i] = mdstore.Ref{Target: d.Path, Description: d.Description}
	}
	return out
}

// LogEntry is an entry of a log; a line of another form has only Event.
type LogEntry struct {
	Timestamp string `json:"timestamp,omitempty"`
	Operator  string `json:"operator,omitempty"`
	Event     string `json:"event"`
}

func logs(es []mdstore.LogEntry) []LogEntry {
	out := make([]LogEntry, len(es))
	for i, e := range es {
		out[i] = LogEntry{Timestamp: e.Time, Operator: e.Operator, Event: e.Event}
	}
	return out
}

// Problem is what is wrong now; null in results where nothing is.
type Problem struct {
	Problem  string `json:"problem"`
	NextStep string `json:"nextStep,omitempty"`
}

func problem(p mdstore.Problem) *Problem {
	if p.IsZero() {
		return nil
	}
	return &Problem{p.Text, p.NextStep}
}

// Cascade is a node that an operation on another one moved along.
type Cascade struct {
	NodeID string `json:"nodeId"`
	From   string `json:"from"`
	To     string `json:"to"`
}

func cascades(cs []engine.Cascade) []Cascade {
	out := make([]Cascade, len(cs))
	for i, c := range cs {
		out[i] = Cascade{string(c.NodeID), string(c.From), string(c.To)}
	}
	return out
}

// Archived is what a completed info_collection node brought into its workspace.
type Archived struct {
	Rules []string `json:"rules"`
	Docs  []Doc    `json:"docs"`
}

func archived(a *engine.Archived) *Archived {
	if a == nil {
		return nil
	}
	return &Archived{a.Rules, docs(a.Docs)}
}
