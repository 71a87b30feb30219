package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"arbor/engine/check"
	"arbor/engine/live"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// find returns the findings of a workspace, and its view.
func (e *Engine) find(ctx context.Context, ws mdstore.ID) (*view.View, []check.Finding, error) {
	v, err := e.live.Current(ctx, ws)
	if err != nil {
		return nil, nil, err
	}
	return e.findIn(ctx, v)
}

func (e *Engine) findIn(ctx context.Context, v *view.View) (base *view.View, found []check.Finding, err error) {
	st, err := e.facts(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	base, err = e.live.Over(ctx, v, func(v *view.View) error {
		_, found = check.All(v, st, e.Off()...)
		return nil
	})
	return base, found, err
}

// facts asks the store what checks need to know besides the files.
func (e *Engine) facts(ctx context.Context, v *view.View) (check.Store, error) {
	st, err := e.strays(ctx, v.Workspace().Dir)
	if err != nil {
		return st, err
	}
	st.Unusable = append(st.Unusable, e.checkConfig(ctx, v.Workspace().Dir)...)
	if r, ok := e.docs(); ok {
		st.Missing = map[string]string{}
		for _, target := range check.Targets(v) {
			if missing(ctx, r, target) {
				st.Missing[target] = alike(ctx, r, target)
			}
		}
	}
	if w, ok := mdstore.AsStore[mdstore.Writable](e.st); ok {
		files := []mdstore.Path{v.Workspace().Path}
		for n := range v.All() {
			files = append(files, n.Path)
		}
		for _, p := range files {
			var u *mdoc.UnreadableError
			if err := w.Writable(ctx, p); errors.As(err, &u) {
				st.Unusable = append(st.Unusable, u.Problem)
			}
		}
	}
	return st, ctx.Err()
}

// missing reports whether a target is the path of a document of the project, and no such file is there.
func missing(ctx context.Context, r mdstore.Docs, target string) bool {
	tries := check.Tries(target)
	for _, t := range tries {
		if _, err := readDoc(ctx, r, t); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(tries) > 0
}

// alike returns the document whose path differs from a missing target in case only, or "".
func alike(ctx context.Context, r mdstore.Docs, target string) (found string) {
	for _, t := range check.Tries(target) {
		found = cmp.Or(found, r.Alike(ctx, t))
	}
	return found
}

// Lacks returns an error that says that the project does not have a document, and which one may be meant; nil if the
// target is no path of a missing document.
func (e *Engine) Lacks(ctx context.Context, target string) error {
	if !e.Absent(ctx, target) {
		return nil
	}
	r, _ := e.docs()
	if found := alike(ctx, r, target); found != "" {
		return fmt.Errorf("%s: no such file in the project; did you mean %s?", target, found)
	}
	return fmt.Errorf("%s: no such file in the project", target)
}

// Absent reports whether a target is the path of a document of the project that is not there. It is false if the store
// knows no documents.
func (e *Engine) Absent(ctx context.Context, target string) bool {
	r, ok := e.docs()
	return ok && missing(ctx, r, target)
}

// Head returns the id of the commit that git has checked out in the project, "" if there is none or the store cannot
// tell.
func (e *Engine) Head(ctx context.Context) string {
	if r, ok := e.docs(); ok {
		return r.Head(ctx)
	}
	return ""
}

// Tree returns what lies below a folder of the project: see mdstore.Docs. If entries are missing, lacking says why. The
// error is that of ctx.
func (e *Engine) Tree(
	ctx context.Context, dir string, most int,
) (found []mdstore.TreeEntry, lacking string, err error) {
	r, ok := e.docs()
	if !ok {
		return nil, "", nil
	}
	found, more, err := r.Tree(ctx, dir, most)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.Is(err, fs.ErrPermission):
		lacking = "it lies outside of the project, or is a link: it is not listed"
	case err != nil:
		lacking = "no such folder in the project"
	case more:
		lacking = fmt.Sprintf("it holds more than %d files and folders: those further down are not counted", most)
	}
	return found, lacking, nil
}

// FileAt reads a file of the vault that is not a document. A file that is not there has the zero Version and is no
// error.
func (e *Engine) FileAt(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, err := e.st.Read(ctx, p)
	if errors.Is(err, fs.ErrNotExist) {
		return mdstore.File{Path: p}, nil
	}
	return f, err
}

// strays returns the strays below a folder of the vault. It waits for a commit that is under way, so that it does not
// report that commit's files. It also compares each conflict copy with its file.
func (e *Engine) strays(ctx context.Context, under mdstore.Path) (st check.Store, err error) {
	in, ok := mdstore.AsStore[mdstore.Strays](e.st)
	if !ok {
		return st, nil
	}
	gen, err := e.live.Generation(ctx) // waits for the commit that is being made
	if err != nil {
		return st, err
	}
	for range 3 {
		if st.Strays, err = in.Strays(ctx, under); err != nil {
			return st, err
		}
		now, err := e.live.Generation(ctx)
		if err != nil {
			return st, err
		}
		if now == gen {
			break
		}
		gen = now
	}
	st.Equal = map[mdstore.Path]mdstore.Version{}
	for _, s := range st.Strays {
		if s.Kind != mdstore.StrayConflictCopy || s.Of == "" {
			continue
		}
		copied, err := e.st.Read(ctx, s.Path)
		file, failed := e.st.Read(ctx, s.Of)
		switch {
		case live.Passing(err):
			st.Unusable = append(st.Unusable, live.ProblemOf(s.Path, err))
		case err == nil && failed == nil && file.Version == copied.Version:
			st.Equal[s.Path] = file.Version
		}
	}
	return st, nil
}

// sweep clears away the leftovers of commits that are among the findings. It needs no commit of its own: the store
// recognizes the leftovers by their names.
func (e *Engine) sweep(ctx context.Context, found []check.Finding, now time.Time, dryRun bool) (fixed []mdoc.Diagnostic, files []plan.FileChange, err error) {
	sw, ok := mdstore.AsStore[mdstore.Strays](e.st)
	at := map[mdstore.Path]mdoc.Diagnostic{}
	var paths []mdstore.Path
	for _, f := range found {
		if f.ClearedByStore() {
			at[mdstore.Path(f.File)] = f.Diagnostic
			paths = append(paths, mdstore.Path(f.File))
		}
	}
	if !ok || len(paths) == 0 {
		return nil, nil, nil
	}
	trash := mdstore.TrashPath(mdstore.TrashStamp(now, "check"), "")
	done, err := sw.Sweep(ctx, paths, trash, dryRun)
	for _, s := range done {
		what := "removed: what it holds is elsewhere, too"
		if s.To != "" {
			what = "moved: what a commit has left"
		}
		files = append(files, plan.FileChange{Path: s.Path, To: s.To, What: []view.Change{{Do: what}}})
		fixed = append(fixed, at[s.Path])
	}
	return fixed, files, err
}
