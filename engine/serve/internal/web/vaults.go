package web

import (
	"context"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/mdstore"
	"arbor/statemachine"
)

// An otherVault is the vault of another project whose page this person opened lately.
type otherVault struct {
	Name    string // of the folder of the project
	Folder  string
	Address string // of the page; "" if no server shows it
	Waits   int    // for this person: requests, and if a server shows it questions, problems and nodes in validation
}

// vaultAnswers is how long the server of another vault has to accept a connection.
const vaultAnswers = 200 * time.Millisecond

// otherVaults returns the other vaults that this person opened lately.
func (s *Site) otherVaults() (all []otherVault) {
	store, err := act.StoreOf(s.engine)
	if err != nil {
		return nil // there is no folder for what this person decided
	}
	now := s.engine.Now()
	for _, b := range store.Others(now) {
		folder := b.Vault
		if filepath.Base(folder) == mdstore.DefaultVault {
			folder = filepath.Dir(folder)
		}
		v := otherVault{Name: filepath.Base(folder), Folder: folder, Waits: len(b.Pending(now))}
		if b.Page != nil && answers(b.Page.Address) {
			v.Address, v.Waits = b.Page.Address, v.Waits+b.Waits
		}
		all = append(all, v)
	}
	return all
}

// noteWaits counts the questions, problems and nodes in validation that wait for the person in this vault. The number
// is kept with the person's state, too: the pages of their other vaults show it.
func (s *Site) noteWaits(ctx context.Context) {
	all, err := s.engine.Workspaces(ctx)
	if err != nil {
		return // the next change tells
	}
	waits := 0
	for _, w := range all {
		v, err := s.engine.View(ctx, w.ID)
		if err != nil || w.Status != mdstore.StatusActive {
			continue
		}
		for n := range v.All() {
			if n.HasProblem() || n.Status == statemachine.Validating {
				waits++
			}
			if !statemachine.Terminal(n.Status) {
				waits += len(n.OpenQuestions())
			}
		}
	}
	s.waits.Store(int64(waits))
	store, err := act.StoreOf(s.engine)
	if err != nil {
		return // there is no folder for what this person decided
	}
	if b, err := store.Read(); err == nil && b.Waits != waits {
		err = store.Update(ctx, func(b *trust.Book) error { b.Waits = waits; return nil })
		if err != nil {
			s.opt.Log.Warn("the number of what waits was not kept", "error", err)
		}
	}
}

// answers reports whether something listens at the address of a page.
func answers(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	conn, err := net.DialTimeout("tcp", u.Host, vaultAnswers)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}
