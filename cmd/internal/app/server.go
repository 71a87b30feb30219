package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/engine"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/guard"
	"arbor/mdstore/pgstore"
)

// onServer returns the vault at the address of a server. Only opening it shows whether it is there. Its project is that
// of the folder in which the command runs.
func onServer(dir, home, address, why string) (cli.Found, error) {
	f := cli.Found{Vault: address, Why: why, Server: true, Exists: true}
	all, top := folders(dir, home)
	if f.Project = dir; top >= 0 {
		f.Project = all[top]
	}
	a, err := pgstore.ParseAddress(address)
	if err != nil {
		f.Vault = "(an address that cannot be used)" // it may hold a password
		f.Looked = []cli.Look{{Path: f.Vault, What: why}}
		return f, errs.New(errs.InvalidParams, "the vault %s: %v", why, err)
	}
	f.Vault, f.Address = a.String(), address
	f.Looked = []cli.Look{{Path: f.Vault, What: why}}
	return f, nil
}

// A serverStore is a vault on a server, with the documents of a project on this machine.
type serverStore struct {
	*pgstore.Store
	*dirstore.Docs
}

var (
	_ mdstore.Store = serverStore{}
	_ mdstore.Docs  = serverStore{}
)

func (s serverStore) Close() error { return errors.Join(s.Store.Close(), s.Docs.Close()) }

// openServer opens a vault on a server. Only the mode Create makes one.
func (v vaults) openServer(ctx context.Context, found cli.Found, mode cli.Mode, eo engine.Options) (*cli.Vault, error) {
	a, err := pgstore.ParseAddress(found.Address)
	if err != nil {
		return nil, errs.New(errs.InvalidParams, "%v", err)
	}
	if lasts := mode == cli.Later || mode == cli.Lasting; lasts && v.getenv("GOGC") == "" {
		debug.SetGCPercent(100)
	}
	own, err := v.ownName()
	if err != nil {
		return nil, err
	}
	st, err := pgstore.Open(ctx, a, pgstore.Options{Own: own, Make: mode == cli.Create})
	eo.Vault = ""
	switch {
	case errors.Is(err, fs.ErrNotExist) && mode == cli.Pretend:
		found.Exists = false
		e, err := engine.Open(ctx, emptyStore{}, eo)
		return &cli.Vault{Engine: e, Found: found, Close: emptyStore{}.Close}, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound("%s: no such vault (%s); arbor init --vault ADDRESS makes one there", found.Vault, found.Why)
	case err != nil:
		return nil, err
	}
	docs, err := dirstore.OpenDocs(found.Project, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	both := serverStore{st, docs}
	if eo.Place, err = v.placeOf(a, st.ID()); err != nil {
		return nil, errors.Join(err, both.Close())
	}
	if eo.Place != "" {
		st.CacheIn(filepath.Join(eo.Place, mdstore.LocalDir, "cache"))
	}
	e, err := engine.Open(ctx, both, eo)
	if err != nil {
		return nil, errors.Join(err, both.Close())
	}
	return &cli.Vault{Engine: e, Found: found, Made: st.Made(), Close: both.Close}, nil
}

// placeOf returns the folder of this person that stands for a vault on a server, and makes it. Its name depends on the
// server, the database, and the vault's name and id, so that what a person trusts there is trusted nowhere else.
func (v vaults) placeOf(a *pgstore.Address, id string) (string, error) {
	if v.state() == "" {
		return "", nil
	}
	sum := sha256.Sum256([]byte(a.Identity() + "\x00" + id))
	dir := filepath.Join(v.state(), "vaults", hex.EncodeToString(sum[:8]))
	return dir, os.MkdirAll(dir, 0o700)
}

// ownName returns the name under which vaults on servers keep what belongs to this person on this machine. It is
// random, so that machines with the same name differ.
func (v vaults) ownName() (string, error) {
	dir := filepath.Join(v.state(), "vaults")
	const file = "own"
	if v.state() == "" {
		host, _ := os.Hostname()
		return fmt.Sprintf("%d@%s", os.Getuid(), strings.ReplaceAll(host, "/", "")), nil
	}
	read := func() (string, error) {
		data, err := guard.ReadFile(dir, file, 100)
		name := strings.TrimSpace(string(data))
		if err == nil && (name == "" || strings.Contains(name, "/")) {
			err = fmt.Errorf("%s: no name; remove it", filepath.Join(dir, file))
		}
		return name, err
	}
	name, err := read()
	if !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".own-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strings.ToLower(rand.Text()) + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := os.Link(f.Name(), filepath.Join(dir, file)); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err // a link is not made where another process was faster
	}
	return read()
}
