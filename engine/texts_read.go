package engine

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"arbor/mdstore"
)

// ReadFile returns a file of the vault as it is now, decompressed if it is compressed.
func (e *Engine) ReadFile(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, err := e.st.Read(ctx, p)
	if err == nil {
		f.Data, err = mdstore.TextOf(p, f.Data)
	}
	return f, err
}

// ReadDoc returns the present bytes of a document of the project, at most mdstore.MaxFileSize. target is the target of
// a reference.
func (e *Engine) ReadDoc(ctx context.Context, target string) ([]byte, error) {
	r, ok := e.docs()
	if !ok {
		return nil, fs.ErrNotExist
	}
	data, err := readDoc(ctx, r, target)
	if err == nil && (!utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0) {
		err = fmt.Errorf("%s: is no text", target)
	}
	return data, err
}
