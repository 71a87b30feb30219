package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/mdstore"
)

// peopleFile is a file of .local/, which git does not track, so a clone has no persons.
const peopleFile = mdstore.Path("people.json")

// People returns the persons who may use the vault through a server. A list that is damaged is an error.
func (e *Engine) People(ctx context.Context) (*people.Book, error) {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return &people.Book{}, nil
	}
	data, err := local.ReadLocal(ctx, peopleFile)
	b := &people.Book{}
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		err = d.Decode(b)
	}
	if err != nil {
		return nil, errs.New(errs.TrustDamaged, "%s/%s cannot be read (%v), so that nobody can log in; move it away, and "+
			"invite people again", mdstore.LocalDir, peopleFile, err)
	}
	return b, nil
}

// EditPeople changes the list of persons under the lock of the vault, if edit does not fail. A power failure does not
// take the change back: a revoked token stays revoked.
func (e *Engine) EditPeople(ctx context.Context, edit func(*people.Book) error) error {
	local, ok := mdstore.AsStore[mdstore.Local](e.st)
	if !ok {
		return errs.New(errs.InvalidParams, "this store keeps no files of its own machine, and so no list of persons")
	}
	return e.st.Update(ctx, func(mdstore.Tx) error {
		b, err := e.People(ctx)
		if err == nil {
			err = edit(b)
		}
		if err != nil {
			return err
		}
		data, err := json.MarshalIndent(b, "", "  ")
		if err != nil {
			return err
		}
		return local.KeepLocal(ctx, peopleFile, append(data, '\n'))
	})
}
