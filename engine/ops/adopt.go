package ops

import (
	"context"

	"arbor/engine/exchange"
)

type AdoptIn struct {
	In
	Files     []string `json:"files" req:"true" arg:"FILE"`
	Into      string   `json:"into,omitempty" default:"root" is:"planning" help:"the planning NODE that gets them"`
	RulesHash string   `json:"rulesHash,omitempty" help:"the rules' HASH, as arbor ws rules prints it; required from assistants if there are rules"`
	Cascade   bool     `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Write

	Notes     []exchange.Note `json:"-"` // of Files
	RulesRead bool            `json:"-"` // as in NodeCreateIn
}

var adoptOp = op("adopt", writes, Adopt, Help{
	Summary: "make nodes of notes",
	Use:     "adopt FILE...",
	Text: `Each Markdown file becomes a node: its name or title is the title, its front
matter the fields, and its text, word for word, the requirement. Links among the
files become references. All nodes are created in one commit.

A note that lies among the nodes goes to the trash, because the node replaces it;
arbor undo brings it back. Other files stay as they are, and a note that was
adopted or imported before is not adopted again.`,
	Example: `arbor adopt ideas.md --dry-run
arbor adopt notes/paint.md notes/door.md --into Backend`,
})

// Adopt makes nodes of notes.
func Adopt(ctx context.Context, env *Env, in AdoptIn) (*ImportOut, error) {
	return env.imported(ctx, ImportIn{In: in.In, Into: in.Into, Write: in.Write, RulesHash: in.RulesHash,
		RulesRead: in.RulesRead, Cascade: in.Cascade, Source: exchange.Source{Name: "notes"}},
		func() (*exchange.Result, error) { return exchange.Notes(in.Notes) })
}
