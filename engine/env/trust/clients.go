package trust

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"time"

	"arbor/engine/env"
	"arbor/engine/errs"
)

// A Client is a machine that may connect and serve its folders.
type Client struct {
	ID    string    `json:"id"`
	Hash  string    `json:"hash"` // the SHA-256 of its token, as hexadecimal digits
	Added Moment    `json:"added"`
	Root  string    `json:"root,omitempty"`  // the folder that it served last
	Trust env.Level `json:"trust,omitempty"` // as the client stated it
}

// AddClient registers a client, and returns the token that it must send. No file of this machine has the token.
func (b *Book) AddClient(id string, now time.Time) (token string, err error) {
	if !env.ValidID(id) {
		return "", errs.New(errs.InvalidParams, "%q is no name of a client: small letters, digits, '.', '_' and '-'", id)
	}
	if slices.ContainsFunc(b.Clients, func(c Client) bool { return c.ID == id }) {
		return "", errs.New(errs.NameTaken, "%s: another client has this name; arbor env clients --remove %[1]s takes it away", id)
	}
	token = rand.Text() + rand.Text()
	b.Clients = append(b.Clients, Client{ID: id, Hash: hashOf(token), Added: momentOf(now)})
	return token, nil
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// ClientOf returns the client that a token is of.
func (b *Book) ClientOf(token string) (id string, ok bool) {
	hash := []byte(hashOf(token))
	for _, c := range b.Clients {
		if subtle.ConstantTimeCompare(hash, []byte(c.Hash)) == 1 {
			return c.ID, true
		}
	}
	return "", false
}

// RemoveClient forgets a client. Its token no longer works.
func (b *Book) RemoveClient(id string) error {
	n := len(b.Clients)
	b.Clients = slices.DeleteFunc(b.Clients, func(c Client) bool { return c.ID == id })
	if len(b.Clients) == n {
		return errs.New(errs.EnvironmentNotFound, "%s: no client has this name; arbor env clients lists them", id)
	}
	return nil
}
