package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
)

// asked returns the workspaces that a query means: those whose name and description contain all its words. If there are
// none, it returns the one whose root folder is the nearest above the folder that the query names. A single letter is
// no word.
func asked(env *Env, query string, all []WorkspaceHead) []WorkspaceHead {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(query)), func(w string) bool {
		return utf8.RuneCountInString(w) < 2
	})
	found := slices.DeleteFunc(slices.Clone(all), func(w WorkspaceHead) bool {
		text := strings.ToLower(w.Name + "\n" + w.Description)
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	})
	if len(found) > 0 && len(words) > 0 || query == "" {
		return found
	}
	folder, nearest := inProject(env, query), -1
	found = []WorkspaceHead{}
	for _, w := range all {
		root := inProject(env, w.RootFolder)
		above := root == folder || strings.HasPrefix(folder, strings.TrimSuffix(root, "/")+"/")
		if root == "." { // the project: a word without a slash or dot names no folder in it
			outside := folder == ".." || strings.HasPrefix(folder, "../") || strings.HasPrefix(folder, "/")
			above = strings.ContainsAny(query, `./\`) && !outside
		}
		above = above && w.RootFolder != ""
		if above && len(root) > nearest {
			found, nearest = []WorkspaceHead{w}, len(root)
		}
	}
	return found
}

// ordered sorts workspaces as the call asks, with the default workspace last. Of two equal ones the older comes first,
// and a workspace with a known last use comes before one without.
func ordered(ctx context.Context, env *Env, in WorkspaceListIn, all []WorkspaceHead) []WorkspaceHead {
	accessed := env.Engine.Accessed(ctx)
	for i, w := range all {
		if at, ok := accessed[mdstore.ID(w.ID)]; ok {
			all[i].LastAccessed = at.UnixMilli()
		}
	}
	compare := func(a, b WorkspaceHead) int { return cmp.Compare(a.LastAccessed, b.LastAccessed) }
	down := in.Order != "asc"
	switch in.SortBy {
	case "name":
		compare = func(a, b WorkspaceHead) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }
		down = in.Order == "desc"
	case "created":
		compare = func(a, b WorkspaceHead) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) }
	}
	last := func(w WorkspaceHead) int {
		if w.ID == string(mdstore.DefaultWorkspace) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b WorkspaceHead) int {
		c := compare(a, b)
		if down {
			c = -c
		}
		return cmp.Or(cmp.Compare(last(a), last(b)), c)
	})
	return all
}

// countSessions sets the counts of sessions in all, and marks the workspace that the caller's session is bound to. It
// counts no sessions of a workspace that it cannot read.
func countSessions(ctx context.Context, env *Env, all []WorkspaceHead) error {
	bound := ""
	if env.Session != "" {
		b, _, _ := env.Engine.Binding(ctx, env.Session) // session_status reports unreadable bindings
		bound = string(b.WorkspaceID)
	}
	for i := range all {
		w := &all[i]
		w.Bound = w.ID == bound
		s, err := env.Engine.View(ctx, mdstore.ID(w.ID))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		for _, p := range s.Pages().All() {
			switch p.Kind {
			case mdstore.SessionKind:
				w.SessionCount++
				w.TraceCount += len(p.Log())
			case mdstore.SessionLogKind:
				w.TraceCount += len(p.Log())
			}
		}
	}
	return nil
}
