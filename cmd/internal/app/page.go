package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/web"
	"arbor/engine/errs"
)

// pageOf returns the address of the page at the listening address, with an invitation.
func pageOf(site *web.Site, base string) string { return base + "/#token=" + site.Invite() }

// invites answers who has the token of the vault with an address that logs one browser in.
func invites(site *web.Site, base string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"page": pageOf(site, base)}) // who is gone misses nothing
	}
}

// running returns the address of the page of a server of this vault that listens there already; "" where there is none.
func running(ctx context.Context, listen, secret string) string {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+listen+"/invite", http.NoBody)
	if err != nil {
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var out struct{ Page string }
	if res.StatusCode != http.StatusOK || json.NewDecoder(res.Body).Decode(&out) != nil {
		return ""
	}
	return out.Page
}

// answerTime is how long a running server has to answer.
const answerTime = 3 * time.Second

// listenAt listens. Where the address is taken, err says what would work.
func listenAt(listen string) (net.Listener, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, errs.New(errs.InvalidParams, "--listen %s: %v; port 0 takes any that is free", listen, err)
	}
	return l, nil
}

// show opens an address in the browser, and says it where that does not work.
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
	go func() { _ = cmd.Wait() }() // a browser may stay for hours, and its end says nothing
	fmt.Fprintf(call.Stderr, "the page opens in your browser; if it does not, this address works once:\n%s\n", address)
}

// page tells the pages what changes, until ctx ends.
func (o *offer) page(ctx context.Context, call cli.Call) {
	if err := o.site.Run(ctx); err != nil && ctx.Err() == nil {
		o.log(call.Stderr).Warn("open pages are not told of changes", "why", err)
	}
}
