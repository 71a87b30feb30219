package app

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/engine"
	"arbor/engine/env/remote"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
)

// clients are the machines that connect to arbor serve and serve folders of theirs.
type clients struct {
	pairs     bool // of --pair
	cert, key string
	engine    *engine.Engine
	pairing   remote.Pairing
	all       *remote.Hub
}

func (c *clients) flags(fs *flag.FlagSet) {
	fs.BoolVar(&c.pairs, "pair", false, "show a code with which one machine may connect: once, for ten minutes (arbor env connect)")
	fs.StringVar(&c.cert, "tls-cert", "", "the `FILE` with a certificate: the server speaks TLS, and may listen where others reach it")
	fs.StringVar(&c.key, "tls-key", "", "the `FILE` with the key of the certificate")
}

// tls returns how the server speaks TLS; nil if no certificate is named.
func (c *clients) tls() (*tls.Config, error) {
	if c.cert == "" && c.key == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return nil, errs.New(errs.InvalidPath, "--tls-cert and --tls-key name the files of a certificate and its key: %v", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

func (c *clients) hub() *remote.Hub {
	known := func(id string) bool {
		b, err := c.read()
		return err == nil && slices.ContainsFunc(b.Clients, func(o trust.Client) bool { return o.ID == id })
	}
	came := func(id string, h remote.Hello) {
		_ = c.update(context.Background(), func(b *trust.Book) error {
			for i, o := range b.Clients {
				if o.ID == id {
					b.Clients[i].Root, b.Clients[i].Trust = h.Root, h.Trust
				}
			}
			return nil
		})
	}
	c.all = remote.NewHub(remote.Times{}, known, came)
	return c.all
}

func (c *clients) store() (*trust.Store, error) {
	if c.engine == nil || c.engine.StateDir() == "" {
		return nil, errors.New("there is no folder for the tokens of clients; set HOME or XDG_STATE_HOME")
	}
	return trust.At(filepath.Join(c.engine.StateDir(), "trust"), c.engine.Place())
}

func (c *clients) read() (*trust.Book, error) {
	s, err := c.store()
	if err != nil {
		return nil, err
	}
	return s.Read()
}

func (c *clients) update(ctx context.Context, f func(*trust.Book) error) error {
	s, err := c.store()
	if err != nil {
		return err
	}
	return s.Update(ctx, f)
}

// show prints a pairing code if --pair asks for one.
func (c *clients) show(call cli.Call) error {
	if !c.pairs {
		return nil
	}
	if _, err := c.store(); err != nil {
		return errs.New(errs.VaultNotFound, "--pair: no client can be paired with a vault that is not there yet: %v; arbor init makes it", err)
	}
	_, err := fmt.Fprintf(call.Stderr, "the code for one machine, for ten minutes: %s\n", c.pairing.Open(time.Now()))
	return err
}

// A pair asks for a token.
type pair struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// A paired is the answer to a pair.
type paired struct {
	Client string `json:"client"`
	Token  string `json:"token"`
}

// pair registers a machine that sends the code, and answers with its token.
func (c *clients) pair(w http.ResponseWriter, r *http.Request) {
	var in pair
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(&in); err != nil {
		http.Error(w, "a code and a name are expected", http.StatusBadRequest)
		return
	}
	if err := c.pairing.Take(time.Now(), in.Code); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	out := paired{Client: in.Name}
	err := c.update(r.Context(), func(b *trust.Book) (err error) {
		out.Token, err = b.AddClient(in.Name, time.Now())
		return err
	})
	if err != nil {
		http.Error(w, errs.As(err).Message+"; the code is used up, arbor serve --pair shows another", http.StatusConflict)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// connect serves the WebSocket of a machine that has a token.
func (c *clients) connect(w http.ResponseWriter, r *http.Request) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	b, err := c.read()
	id := ""
	if ok && err == nil {
		id, ok = b.ClientOf(token)
	}
	if !ok || err != nil {
		http.Error(w, "the token is that of no client; arbor serve --pair shows a code, arbor env connect takes it", http.StatusUnauthorized)
		return
	}
	c.all.Serve(w, r, id)
}
