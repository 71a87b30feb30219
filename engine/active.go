package engine

import (
	"context"
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// ReadProject returns the bytes of a file of the project. A file of more than most bytes is an error.
func (e *Engine) ReadProject(ctx context.Context, path string, most int64) (data []byte, err error) {
	docs, ok := e.docs()
	if !ok {
		return nil, errNoProject
	}
	data, err = docs.ReadDoc(ctx, path, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errNoFile
	case errors.Is(err, fs.ErrPermission):
		err = errors.New("it is outside the project or cannot be read")
	}
	return data, err
}

// MakeInProject makes a new file in the project. The file's folder must exist, and the file must not.
func (e *Engine) MakeInProject(ctx context.Context, path string, data []byte) error {
	docs, ok := e.docs()
	if !ok {
		return errNoProject
	}
	err := docs.MakeDoc(ctx, path, data)
	switch {
	case errors.Is(err, fs.ErrExist):
		err = errors.New("it exists already; nothing was written; name another file, or remove that one")
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("its folder does not exist; create it first")
	case errors.Is(err, fs.ErrPermission):
		err = errors.New("it is outside the project, inside the vault, hidden or read-only; name another file")
	}
	return err
}

// ActiveFile returns a file of the project as it is now. If it cannot be read, the result has only its path, and the
// error says why.
func (e *Engine) ActiveFile(ctx context.Context, path string) (mdstore.ActiveFile, error) {
	data, err := e.ReadProject(ctx, path, mdstore.MaxFileSize)
	if err != nil {
		return mdstore.ActiveFile{Path: path}, err
	}
	return mdstore.ActiveFileOf(path, data), nil
}

var (
	errNoProject = errors.New("this call cannot see the project's files")
	errNoFile    = errors.New("no such file in the project")
)

// FileSince compares an active file of a state with the present one: "same", "changed" or "gone", or "unknown" if it
// cannot be read.
func (e *Engine) FileSince(ctx context.Context, was mdstore.ActiveFile) string {
	switch now, err := e.ActiveFile(ctx, was.Path); {
	case err == errNoFile:
		return "gone"
	case err != nil:
		return "unknown"
	case now != was:
		return "changed"
	}
	return "same"
}
