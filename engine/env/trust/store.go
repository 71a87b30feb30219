package trust

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"arbor/engine/errs"
	"arbor/mdstore/guard"
)

const maxBook = 16 << 20 // bytes

// A Store keeps the Book of one vault in a file of this person. Its methods may be called by several goroutines and
// processes at once.
type Store struct {
	dir   string
	name  string
	vault string
}

// At returns the store of a vault in a folder of this person, which is made at the first decision. It resolves links in
// the vault's path.
func At(dir, vault string) (*Store, error) {
	real, err := filepath.EvalSymlinks(vault)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, err
	}
	return &Store{dir, nameOf(real), real}, nil
}

// Vault returns the folder of the vault, without links.
func (s *Store) Vault() string { return s.vault }

// Trash returns the folder for files that tools replace or delete, wherever their environments are.
func (s *Store) Trash() string { return filepath.Join(filepath.Dir(s.dir), "trash") }

// NewID returns an id for a request or grant.
func NewID() string { return strings.ToLower(rand.Text()[:6]) }

// Read returns the book. Before the first decision it is empty. A file that is damaged, or that others can write, is an
// error.
func (s *Store) Read() (*Book, error) {
	b, err := s.read()
	if err == nil && b.Vault != s.vault {
		return nil, errs.New(errs.TrustDamaged, "%s is of the vault %s, not of %s; "+
			"move it away, and decide again what may run",
			filepath.Join(s.dir, s.name), b.Vault, s.vault)
	}
	return b, err
}

// read is Read for a book of any vault.
func (s *Store) read() (*Book, error) {
	b := &Book{Vault: s.vault}
	info, err := os.Lstat(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = private(s.dir, info)
	}
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.dir, s.name)
	if info, err = os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = private(file, info)
	}
	if err != nil {
		return nil, err
	}
	data, err := guard.ReadFile(s.dir, s.name, maxBook)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(b); err != nil {
		return nil, errs.New(errs.TrustDamaged, "%s cannot be read (%v); move it away, and decide again what may run", file, err)
	}
	return b, nil
}

// private refuses a file or folder that others may write to, or that is another person's.
func private(name string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errs.New(errs.TrustDamaged, "%s is a link and is not used as trust; "+
			"replace it by a regular file or folder", name)
	case othersWrite(info):
		return errs.New(errs.TrustDamaged, "%s can be written by others and is not used as trust; "+
			"check what it says, then chmod go-rwx", name)
	case !mine(info):
		return errs.New(errs.TrustDamaged, "%s belongs to another user and is not used as trust", name)
	}
	return nil
}

// Update changes the book by f, if f does not fail. Processes do so one after the other.
func (s *Store) Update(ctx context.Context, f func(*Book) error) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(s.dir, s.name+".lock"))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return err
	}
	defer lock.Unlock()
	b, err := s.Read()
	if err == nil {
		err = f(b)
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	if len(data) >= maxBook { // Read would refuse such a file
		return errs.New(errs.InvalidContent, "what waits for a person would have more than %d bytes; decide "+
			"about some of it first (arbor env approve), or ask for less at once", maxBook)
	}
	temp, err := os.CreateTemp(s.dir, ".arbor-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(append(data, '\n'))
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), filepath.Join(s.dir, s.name))
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return err
	}
	guard.SyncDir(s.dir) // what was taken back stays so if the power fails
	return nil
}
