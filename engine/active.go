package engine

import (
	"context"
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// ActiveFile returns a file of the project as it is now; one that is missing is no error. The error says why the file is not read, so
// that only its path is known.
func ActiveFile(ctx context.Context, e *Engine, path string) (mdstore.ActiveFile, error) {
	f := mdstore.ActiveFile{Path: path}
	r, ok := mdstore.AsStore[mdstore.Docs](e.st)
	if !ok {
		return f, errors.New("the files of the project are not known here")
	}
	data, err := r.ReadDoc(ctx, path)
	switch {
	case err == nil:
		return mdstore.ActiveFileOf(path, data), nil
	case errors.Is(err, fs.ErrNotExist):
		f.Missing = true
		return f, nil
	case errors.Is(err, fs.ErrPermission):
		err = errors.New("it is outside of the project, or may not be read")
	}
	return f, err
}

// FileSince returns what became of an active file of a state: "same", "changed" or "gone", and "unknown" where it was not read then or
// cannot be now.
func FileSince(ctx context.Context, e *Engine, was mdstore.ActiveFile) string {
	switch now, err := ActiveFile(ctx, e, was.Path); {
	case now.Missing:
		return "gone"
	case err != nil, was.Hash == "" && !was.Missing:
		return "unknown"
	case now != was:
		return "changed"
	}
	return "same"
}
