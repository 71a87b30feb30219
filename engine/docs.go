package engine

import (
	"context"
	"io/fs"
	"strings"

	"arbor/mdstore"
)

// HideDots makes documents in files and folders whose names begin with a dot unreadable. A server for several people
// calls it before the first request: its persons choose which documents are read, and files such as .pgpass hold
// passwords.
func (e *Engine) HideDots() { e.dotless = true }

// docs returns the documents of the project; false if the store knows none.
func (e *Engine) docs() (mdstore.Docs, bool) {
	d, ok := mdstore.AsStore[mdstore.Docs](e.st)
	if ok && e.dotless {
		return dotless{d, e.opt.Project}, true
	}
	return d, ok
}

// dotless are the documents without those below names that begin with a dot.
type dotless struct {
	mdstore.Docs
	project string
}

func (d dotless) ReadDoc(ctx context.Context, target string, most int64) ([]byte, error) {
	name := strings.ReplaceAll(strings.TrimPrefix(target, d.project), `\`, "/")
	for elem := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(elem, ".") && elem != "." && elem != ".." {
			return nil, &fs.PathError{Op: "read document", Path: target, Err: fs.ErrPermission}
		}
	}
	return d.Docs.ReadDoc(ctx, target, most)
}
