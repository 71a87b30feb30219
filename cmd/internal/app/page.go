package app

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/serve"
)

// pageOf returns the address of the page at the listening address, with an invitation.
func pageOf(site *serve.Page, base string) string { return base + "/#token=" + site.Invite() }

// running returns the address of the page of a running server of this vault, with an invitation; "" if none runs. The
// invitation reaches the server through the person's own state: see trust.Page.
func (c *clients) running(ctx context.Context) (page string) {
	b, err := c.read()
	if err != nil || b.Page == nil || !answers(ctx, b.Page.Address) {
		return ""
	}
	err = c.update(ctx, func(b *trust.Book) error {
		if address, invitation := b.Invite(time.Now()); address != "" {
			page = address + "/#token=" + invitation
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return page
}

// accepts reports whether a text is the invitation that another process of this person wrote, and uses it up.
func (c *clients) accepts(text string) (ok bool) {
	err := c.update(context.Background(), func(b *trust.Book) error {
		ok = b.Accept(time.Now(), text)
		return nil
	})
	return ok && err == nil
}

// tabs keeps the secrets of the page's tabs in the person's own state. Without a folder for it, none outlives the
// server.
type tabs struct{ *clients }

func (t tabs) Keep(secret string) {
	_ = t.update(context.Background(), func(b *trust.Book) error { b.KeepTab(time.Now(), secret); return nil })
}

func (t tabs) Knows(secret string) bool {
	b, err := t.read()
	return err == nil && b.KnowsTab(time.Now(), secret)
}

// serving notes the address of the page, until left is called. Without a folder for the note, only this process can
// invite browsers.
func (c *clients) serving(base string) {
	_ = c.update(context.Background(), func(b *trust.Book) error { b.Serve(base); return nil })
}

func (c *clients) left(base string) {
	_ = c.update(context.Background(), func(b *trust.Book) error { b.Leave(base); return nil })
}

// answers reports whether something listens at an address.
func answers(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Host
	if u.Port() == "" && u.Scheme == "https" { // that of a proxy
		host = net.JoinHostPort(u.Hostname(), "443")
	}
	conn, err := (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", host)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// answerTime is how long a running server has to answer.
const answerTime = 3 * time.Second

// listen listens at an address, or for "" at the vault's own port.
func (c *clients) listen(ctx context.Context, address string, others bool) (net.Listener, error) {
	if address == "" {
		return c.listenOwn(ctx)
	}
	if err := local(address); err != nil && !others {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errs.New(errs.InvalidParams, "--listen %s: %v; port 0 takes any that is free", address, err)
	}
	return l, nil
}

// Ports of vaults are from firstPort on, below those that systems give out by themselves.
const firstPort, ports = 20000, 10000

// listenOwn listens at the vault's own port: the one that the person's state has, or else one that the vault's path
// gives, or the next one that is free. The state keeps it, so that a browser's drafts stay with the vault.
func (c *clients) listenOwn(ctx context.Context) (net.Listener, error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.engine.Place()))
	port := int(h.Sum32() % ports)
	b, err := c.read()
	if err == nil && b.Port != 0 {
		port = b.Port - firstPort
	}
	for n := range ports {
		at := firstPort + (port+n)%ports
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(at))
		l, busy := net.Listen("tcp", address)
		if busy == nil {
			_ = c.update(ctx, func(b *trust.Book) error { b.Port = at; return nil }) // or it is looked for again
			return l, nil
		}
		if err == nil && b.Page != nil && strings.HasSuffix(b.Page.Address, "://"+address) && answers(ctx, b.Page.Address) {
			return nil, errs.New(errs.InvalidParams, "a server of this vault runs at %s; arbor serve --open opens its page, "+
				"--listen 127.0.0.1:0 starts another one", b.Page.Address)
		}
	}
	return nil, errs.New(errs.InvalidParams, "no port from %d to %d is free; --listen ADDRESS takes another",
		firstPort, firstPort+ports-1)
}

// show opens an address in the browser. If that fails, it prints the address.
func show(call cli.Call, address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if own := call.Getenv("BROWSER"); own != "" && !strings.ContainsAny(own, ":%") {
		name, args = own, []string{address}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(call.Stderr, "no browser was opened (%v); open this address yourself, it works once:\n%s\n", err, address)
		return
	}
	go func() { _ = cmd.Wait() }() // a browser may run for hours; its result does not matter
	fmt.Fprintf(call.Stderr, "the page opens in your browser; if it does not, this address works once:\n%s\n", address)
}

// page reports changes to open pages until ctx ends.
func (o *offer) page(ctx context.Context, call cli.Call) {
	if err := o.site.Run(ctx); err != nil && ctx.Err() == nil {
		o.log(call.Stderr).Warn("open pages are not told of changes", "why", err)
	}
}
