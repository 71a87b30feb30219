package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/serve"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// several makes the server one for several people if other machines can reach it: it listens beyond this machine, or
// stands behind a proxy.
func (s *httpServer) several(call cli.Call, e *engine.Engine, speaksTLS bool) error {
	if s.proxy != "" {
		u, err := url.Parse(s.proxy)
		if err != nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil {
			return errs.New(errs.InvalidParams, "--behind-proxy %s: the address is expected at which people reach the proxy, "+
				"as https://plans.example; the proxy must speak TLS", s.proxy)
		}
		s.proxy = "https://" + u.Host
		s.hosts, s.origins = append(s.hosts, u.Host), append(s.origins, s.proxy)
	}
	if s.proxy == "" && (!speaksTLS || s.listen == "" || local(s.listen) == nil) {
		return nil
	}
	if err := s.named(); err != nil {
		return err
	}
	if !exists(e.Place()) {
		return errs.New(errs.VaultNotFound, "there is no plan yet that several people could use; arbor init makes one")
	}
	if folder := filepath.Join(e.Place(), mdstore.LocalDir); dirstore.Tracked(folder) {
		return errs.New(errs.InvalidPath, "%s is tracked by git: whoever changes the repository decides who may log in; "+
			"take it out (git rm -r --cached %[1]s)", folder)
	}
	s.door = serve.NewDoor(e, s.logFrom(call.Stderr, slog.LevelWarn)) // who guesses tokens is worth a line
	if s.proxy != "" {
		s.door.BehindProxy()
	}
	s.site.Admit(s.door)
	return nil
}

// named refuses a server that no name or address leads to. An address to listen at is a name for itself.
func (s *httpServer) named() error {
	if len(s.hosts) > 0 {
		return nil
	}
	host, _, _ := net.SplitHostPort(s.listen)
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		return errs.New(errs.InvalidParams, "--listen %s: say by which name people reach the server, as "+
			"--allow-host plans.example; its certificate is for that name", s.listen)
	}
	s.hosts = append(s.hosts, strings.TrimSuffix(net.JoinHostPort(host, ""), ":"))
	return nil
}

// public returns the address that people use for the server at base: that of the proxy, or that of the first allowed
// host. Pages of all allowed hosts are the server's own.
func (s *httpServer) public(base string) string {
	if s.proxy != "" {
		return s.proxy
	}
	at, _ := url.Parse(base)
	var first string
	for _, host := range s.hosts {
		if _, _, err := net.SplitHostPort(host); err != nil && at.Port() != "443" {
			host += ":" + at.Port()
		}
		s.origins = append(s.origins, "https://"+host)
		if first == "" {
			first = "https://" + host
		}
	}
	if first != "" {
		return first
	}
	return base
}

// sayWho lists who may log in: the server's user sees every such person at the start.
func (s *httpServer) sayWho(ctx context.Context, call cli.Call, e *engine.Engine) error {
	b, err := e.People(ctx)
	if err != nil || call.Quiet {
		return err
	}
	var all []string
	for _, p := range b.Persons {
		all = append(all, p.Name+" ("+p.Right.String()+")")
	}
	if len(all) == 0 {
		fmt.Fprintln(call.Stderr, "nobody may log in yet; arbor admin people add NAME invites a person")
		return nil
	}
	fmt.Fprintf(call.Stderr, "these may log in: %s; arbor admin people changes that\n", strings.Join(all, ", "))
	return nil
}

// redeemCommand gets a token for an assistant.
func redeemCommand() cli.Command {
	assistant := "assistant"
	return cli.Command{
		Use: "redeem ADDRESS", Under: "admin people", Short: "Get a token for an assistant with an invitation",
		Long: `ADDRESS is what arbor admin people add printed on the server. It works once, for
an hour. The token is printed, and kept nowhere: put it into the configuration
of the assistant's program, which sends it to the printed address of /mcp. The
assistant works with the rights of the person, but never decides.`,
		Example: `arbor admin people redeem https://plans.example/#token=… --assistant claude`,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&assistant, "assistant", assistant, "the `NAME` of the assistant, in lists and in the record")
		},
		Run: func(ctx context.Context, call cli.Call) error {
			out, err := redeem(ctx, call.Words[0], assistant)
			if err != nil {
				return err
			}
			if !call.Quiet {
				fmt.Fprintf(call.Stderr, "a token of %s/%s (%s) for %s, to send as Authorization: Bearer TOKEN:\n", out.Person,
					out.Assistant, out.Right, render.Visible(out.URL))
			}
			return call.Print(out, render.Visible(out.Token)+"\n")
		},
	}
}

// redeemTime is how long a server has to answer. It delays failed logins.
const redeemTime = 20 * time.Second

func redeem(ctx context.Context, address, assistant string) (*serve.Redeemed, error) {
	at, invitation, _ := strings.Cut(address, "#token=")
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || invitation == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errs.New(errs.InvalidParams, "%q is no invitation; arbor admin people add prints one on the server, as "+
			"https://plans.example/#token=arbor_…", address)
	}
	ip := net.ParseIP(u.Hostname())
	if here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback(); u.Scheme == "http" && !here {
		return nil, errs.New(errs.InvalidParams, "%s: anybody on the way could read the token; use https://", at)
	}
	body, err := json.Marshal(map[string]string{"invitation": invitation, "assistant": assistant})
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, redeemTime)
	defer cancel()
	to := u.Scheme + "://" + u.Host + "/people/redeem"
	req, err := http.NewRequestWithContext(limited, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if bad := new(tls.CertificateVerificationError); errors.As(err, &bad) {
		return nil, errs.New(errs.NotAllowed, "this system does not trust the certificate of %s: %v; add the certificate "+
			"of its authority to those that this system trusts, or on Linux name its file: SSL_CERT_FILE=FILE", u.Host, bad.Err)
	}
	if err != nil {
		return nil, errs.New(errs.EnvironmentMissing, "the server is not there: %v", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err != nil {
		return nil, err
	}
	out := &serve.Redeemed{}
	if res.StatusCode == http.StatusOK && json.Unmarshal(data, out) == nil && out.Token != "" {
		return out, nil
	}
	var no struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(data, &no) != nil || no.Error.Message == "" {
		no.Error.Message = "it answers " + res.Status + "; is arbor serve there, for several people?"
	}
	return nil, errs.New(errs.NotAllowed, "the server refused the invitation: %s", render.Visible(no.Error.Message))
}
