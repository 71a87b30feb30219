package app

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"runtime"
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

// serving notes the address of the page until the returned function is called. Without a folder for the note, only this
// process can invite browsers.
func (c *clients) serving(base string) (end func()) {
	_ = c.update(context.Background(), func(b *trust.Book) error { b.Serve(base); return nil })
	return func() {
		_ = c.update(context.Background(), func(b *trust.Book) error { b.Leave(base); return nil })
	}
}

// answers reports whether something listens at an address.
func answers(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	conn, err := (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// answerTime is how long a running server has to answer.
const answerTime = 3 * time.Second

// listenAt listens. If the address is taken, err says what would work.
func listenAt(listen string) (net.Listener, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, errs.New(errs.InvalidParams, "--listen %s: %v; port 0 takes any that is free", listen, err)
	}
	return l, nil
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
