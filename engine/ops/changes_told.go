package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
)

const (
	changesTold = 20  // changes for which a reply says who made them and what text changed
	linesTold   = 8   // lines of one change
	lineTold    = 200 // bytes of a line
)

// byEditor is the By of a change that was made without an operation on this machine and is not committed.
const byEditor = "editor"

// A teller finds who made changes and what text changed: from the operations that this machine records, and from git.
type teller struct {
	env   *Env
	deeds []engine.Deed // the newest first
	repo  *gitrepo.Repo // nil if there is none
	head  string
	dirty map[mdstore.Path]bool // files that differ from those of head
}

// tell adds to the first of the changes who made them and what text changed.
func (env *Env) tell(ctx context.Context, diffs []view.Difference, all []FileChange) {
	if len(diffs) == 0 {
		return
	}
	t := &teller{env: env}
	t.deeds, _ = env.Engine.Deeds(ctx) // without the record, the reply says less
	for i, d := range diffs[:min(len(diffs), changesTold)] {
		c := &all[i]
		now, err := env.Engine.ReadFile(ctx, d.Path)
		if err != nil && d.Kind != view.Removed {
			continue
		}
		if c.By = t.operation(d); c.By == "" {
			c.By = t.outside(ctx, d, now.Data)
		}
		if d.Kind != view.Removed {
			c.Text = t.text(d, now)
		}
	}
}

// operation returns who made the operation that left a file as it is; "" if none did.
func (t *teller) operation(d view.Difference) string {
	for _, deed := range t.deeds {
		for _, s := range slices.Backward(deed.Steps) {
			switch moved := s.To != ""; {
			case moved && (d.Kind == view.Removed && d.Path.Under(s.Path) || d.Kind != view.Altered && d.Path.Under(s.To)),
				!moved && s.Path == d.Path && s.New == nil && d.Kind == view.Removed,
				!moved && s.Path == d.Path && s.New != nil && mdstore.VersionOf(s.New) == d.Is:
				return byWhom(deed.Operator, deed.Who, deed.Session)
			case !moved && s.Path == d.Path:
				return "" // it was changed since
			}
		}
	}
	return ""
}

// outside returns who changed a file without an operation of this machine: the author of its commit if git has the file
// as it is, else byEditor; "" if it cannot be told.
func (t *teller) outside(ctx context.Context, d view.Difference, now []byte) string {
	if t.dirty == nil {
		t.dirty = map[mdstore.Path]bool{}
		if r, err := repoOf(ctx, t.env); err == nil {
			t.look(ctx, r)
		}
	}
	if t.repo != nil && !t.dirty[d.Path] && d.Kind != view.Removed {
		log, err := t.repo.FileLog(ctx, t.head, d.Path, time.Time{}, 1)
		if err == nil && len(log) > 0 {
			return "git " + strings.Join(strings.Fields(log[0].Author), " ")
		}
	}
	byArbor := slices.Contains(d.Fields, mdstore.KeyUpdated) || len(t.deeds) >= engine.MostUndone
	if byArbor || t.env.Engine.Vault() == "" { // elsewhere, or too long ago
		return ""
	}
	return byEditor
}

// look notes which files of the vault differ from those of the last commit.
func (t *teller) look(ctx context.Context, r *gitrepo.Repo) {
	head, err := revision(ctx, r, "HEAD")
	if err != nil {
		return
	}
	differ, err := r.SinceCommit(ctx, head)
	if err != nil {
		return
	}
	t.repo, t.head = r, head
	for _, c := range differ {
		t.dirty[c.Path] = true
	}
}

// text returns what of a file's text changed, in a few lines.
func (t *teller) text(d view.Difference, now mdstore.File) []string {
	is := view.EditionOf(d.Path, now.Data).Doc
	var was *mdoc.Doc
	if data := t.before(d); data != nil {
		was = view.EditionOf(d.Path, data).Doc
	}
	var all []string
	add := func(head, text string) {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			all = append(all, beginningAs(head+text, lineTold))
		}
	}
	for _, f := range view.FieldChanges(was, is) {
		shown := was != nil || slices.Contains(d.Fields, f.Key)
		if shown && f.Key != mdstore.KeyUpdated && f.Key != mdstore.KeyRulesHash {
			add(f.Key+": ", strings.TrimPrefix(valueOf(f.From)+" → "+valueOf(f.To), " → "))
		}
	}
	for _, s := range view.SectionChanges(was, is) {
		switch {
		case was == nil && d.Kind != view.Added && !slices.Contains(d.Sections, s.Name):
		case was == nil && s.Name == mdstore.SecLog: // which entries are new is unknown
			if n := len(s.Added); n > 0 && !mdstore.ParseLog(s.Added[n-1]).Own() {
				add("Log: … ", s.Added[n-1])
			}
		case len(s.Added)+len(s.Removed) > 0:
			for _, item := range s.Added {
				if s.Name != mdstore.SecLog || !mdstore.ParseLog(item).Own() {
					add(s.Name+" + ", item)
				}
			}
			for _, item := range s.Removed {
				add(s.Name+" − ", item)
			}
		case was == nil:
			add(s.Name+": ", is.Text(s.Name))
		default:
			old, now := strings.Split(was.Text(s.Name), "\n"), strings.Split(is.Text(s.Name), "\n")
			itself := func(line string) string { return line }
			add(s.Name+" + ", strings.Join(view.Surplus(now, old, itself), " "))
			add(s.Name+" − ", strings.Join(view.Surplus(old, now, itself), " "))
		}
	}
	if len(all) > linesTold {
		all = append(all[:linesTold], "…")
	}
	return all
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return cmp.Or(*text, `""`)
}

// before returns the bytes that a changed file had, nil if they are not recorded.
func (t *teller) before(d view.Difference) []byte {
	if d.Was.IsZero() {
		return nil
	}
	at := cmp.Or(d.From, d.Path)
	for _, deed := range t.deeds {
		for _, s := range slices.Backward(deed.Steps) {
			for _, data := range [][]byte{s.New, s.Base} {
				if s.Path == at && data != nil && mdstore.VersionOf(data) == d.Was {
					return data
				}
			}
		}
	}
	return nil
}

// byWhom returns in words who made an operation: "Human ann", "AI ann/claude s-1".
func byWhom(operator, who, session string) string {
	return strings.Join(strings.Fields(operator+" "+who+" "+session), " ")
}
