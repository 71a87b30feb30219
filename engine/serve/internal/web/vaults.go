package web

import (
	"net"
	"net/url"
	"path/filepath"
	"time"

	"arbor/engine/env/act"
	"arbor/mdstore"
)

// An otherVault is the vault of another project whose page this person opened lately.
type otherVault struct {
	Name    string // of the folder of the project
	Folder  string
	Address string // of the page; "" if no server shows it
	Waits   int    // requests that wait for a decision
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
			v.Address = b.Page.Address
		}
		all = append(all, v)
	}
	return all
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
