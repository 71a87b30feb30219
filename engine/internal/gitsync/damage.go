package gitsync

import (
	"context"
	"fmt"

	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// readable refuses to sync a file that could be read when the last sync ended and cannot be read now, such as one that
// an editor or a full disk left empty: it would replace everyone else's version.
func (s *syncing) readable(ctx context.Context, h gitrepo.Head, tree string) error {
	since := h.Commit
	if h.Remote != "" && h.Commit != "" {
		theirs, err := s.r.Fetched(ctx, h)
		if err == nil && theirs != "" {
			since, err = s.r.MergeBase(ctx, h.Commit, theirs)
		}
		if err != nil {
			return err
		}
	}
	if since == "" {
		return nil
	}
	all, err := s.r.Between(ctx, since, tree)
	if err != nil {
		return err
	}
	var ids, bad []string
	var of []gitrepo.Change
	for _, c := range all {
		switch {
		case mdstore.AllKinds().Of(c.Path) == nil || !c.Old.IsFile() || c.New.Mode == "":
		case !c.New.IsFile():
			bad = append(bad, fmt.Sprintf("%s (it is no file any more)", c.Path))
		default:
			ids, of = append(ids, c.New.ID, c.Old.ID), append(of, c)
		}
	}
	why := ""
	err = s.r.Blobs(ctx, ids, func(i int, data []byte) error {
		path := of[i/2].Path
		problem := unreadableText(path, data)
		switch {
		case i%2 == 0:
			why = problem
		case why != "" && problem == "":
			bad = append(bad, fmt.Sprintf("%s (%s)", path, why))
		}
		return nil
	})
	if err != nil || len(bad) == 0 {
		return err
	}
	return stopped("since the last sync %s became unreadable: %s; nothing was committed or pushed: mend what is wrong (arbor check; git has the earlier text), "+
		"or carry it on as it is (--force)", plural(len(bad), "file"), named(bad))
}

// unreadableText returns why the text of a file cannot be edited, "" if it can.
func unreadableText(p mdstore.Path, data []byte) string {
	if most := mdstore.MaxSize(p); int64(len(data)) > most {
		return fmt.Sprintf("it has more than %d bytes", most)
	}
	doc, problems := mdstore.ParseFile(p, data, mdstore.AllKinds().Of(p).Form)
	if doc.Editable() == nil || len(problems) == 0 {
		return ""
	}
	return problems[0].Text
}
