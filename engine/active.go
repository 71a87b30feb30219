package engine

import (
	"context"
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// ActiveFile returns a file of the project as it is now. With an error it could not be read, and only its path is
// known.
func ActiveFile(ctx context.Context, e *Engine, path string) (mdstore.ActiveFile, error) {
	docs, ok := mdstore.AsStore[mdstore.Docs](e.st)
	if !ok {
		return mdstore.ActiveFile{Path: path}, errors.New("the files of the project are not known here")
	}
	data, err := docs.ReadDoc(ctx, path)
	switch {
	case err == nil:
		return mdstore.ActiveFileOf(path, data), nil
	case errors.Is(err, fs.ErrNotExist):
		err = errNoFile
	case errors.Is(err, fs.ErrPermission):
		err = errors.New("it is outside of the project, or may not be read")
	}
	return mdstore.ActiveFile{Path: path}, err
}

var errNoFile = errors.New("no such file in the project")

// FileSince returns what became of an active file of a state: "same", "changed" or "gone", and "unknown" where it
// cannot be read.
func FileSince(ctx context.Context, e *Engine, was mdstore.ActiveFile) string {
	switch now, err := ActiveFile(ctx, e, was.Path); {
	case err == errNoFile:
		return "gone"
	case err != nil:
		return "unknown"
	case now != was:
		return "changed"
	}
	return "same"
}
