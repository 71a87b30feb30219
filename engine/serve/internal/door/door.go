// Package door lets the persons of a vault in: over MCP by the tokens of their assistants, and on the page by those of
// their browsers. It reads the list of persons with every request, so that a changed right holds at once.
package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"arbor/engine"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/serve/internal/httpguard"
)

// A Door is that of one vault.
type Door struct {
	engine *engine.Engine
	url    string // of /mcp, as clients call it
	limits httpguard.Limits
	look   time.Duration // between two looks whether the token of a request that goes on is still valid

	mu    sync.Mutex
	noted map[string]time.Time // by the id of a token: when its use was last noted
}

// maxBody is the largest body of a request, in bytes.
const maxBody = 4 << 20

// New returns the door of the vault of an engine. Failed logins are logged to log. From then on the engine reads no
// documents whose names begin with a dot.
func New(e *engine.Engine, log *slog.Logger) *Door {
	e.HideDots()
	return &Door{engine: e, limits: httpguard.Limits{Log: log}, look: 2 * time.Second,
		noted: map[string]time.Time{}}
}

// Serve sets the address of /mcp, for those who redeem an invitation. It is called before the first request.
func (d *Door) Serve(url string) { d.url = url }

// BehindProxy says that a proxy on this machine passes requests on. Failed logins then count for the address that the
// proxy names in X-Forwarded-For. It is called before the first request.
func (d *Door) BehindProxy() { d.limits.Proxied = true }

// MCP passes the requests of assistants with a token to next, with the caller in their context. opt.Token does not
// count.
func (d *Door) MCP(next http.Handler, opt httpguard.Options) http.Handler {
	opt.Accept = d.accept
	return httpguard.Handler(next, opt)
}

func (d *Door) accept(r *http.Request, token string) (*http.Request, *httpguard.Refusal) {
	who, err := d.find(r.Context(), token)
	switch {
	case err != nil:
		return r, refusal(err)
	case who == nil || who.Assistant == "":
		return r, d.failed(r, "TOKEN_WRONG", "the token is that of no assistant here; it may be revoked or expired. "+
			"arbor admin people redeem ADDRESS gets one for an invitation")
	}
	if no := d.take(r, who); no != nil {
		return r, no
	}
	r = r.WithContext(d.While(people.With(r.Context(), who), token))
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	return r, nil
}

// find returns the caller of a token; nil if the token is unknown.
func (d *Door) find(ctx context.Context, token string) (*people.Who, error) {
	b, err := d.engine.People(ctx)
	if err != nil {
		return nil, err
	}
	who := b.Of(d.engine.Now(), token)
	if who != nil {
		d.used(ctx, who.Token)
	}
	if who != nil && who.Assistant == "" && who.Right >= people.Decide {
		if s, err := act.StoreOf(d.engine); err == nil {
			if book, err := s.Read(); err == nil {
				who.Programs = slices.Contains(book.Deciders, who.ID)
			}
		}
	}
	return who, nil
}

// used notes that a token is in use: seldom, as the note is a change of the vault's list. A note that cannot be made at
// once is left out.
func (d *Door) used(ctx context.Context, token string) {
	now := d.engine.Now()
	d.mu.Lock()
	due := now.Sub(d.noted[token]) >= people.UseEvery
	if due {
		d.noted[token] = now
	}
	d.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = d.engine.EditPeople(ctx, func(b *people.Book) error {
		if !b.Use(now, token) {
			return errNoted
		}
		return nil
	})
}

var errNoted = errors.New("another server has noted it")

// take takes a request out of the allowance of its token.
func (d *Door) take(r *http.Request, who *people.Who) *httpguard.Refusal {
	if wait := d.limits.Take(who.Token, r); wait > 0 {
		return &httpguard.Refusal{Status: http.StatusTooManyRequests, Code: "TOO_MANY_REQUESTS", Wait: wait,
			Message: fmt.Sprintf("%s sends more than a token may; go on in %s", who, max(wait, time.Second).Round(time.Second))}
	}
	return nil
}

// failed counts and delays a failed login.
func (d *Door) failed(r *http.Request, code, message string) *httpguard.Refusal {
	if d.limits.Failed(r.Context(), r) {
		return &httpguard.Refusal{Status: http.StatusTooManyRequests, Code: "TOO_MANY_REQUESTS", Wait: time.Second,
			Message: "too many logins fail at once; try again later"}
	}
	return &httpguard.Refusal{Status: http.StatusUnauthorized, Code: code, Message: message}
}

func refusal(err error) *httpguard.Refusal {
	e := errs.As(err)
	return &httpguard.Refusal{Status: http.StatusUnprocessableEntity, Code: string(e.Code), Message: e.Error()}
}

// While returns a context that ends soon after a token has been revoked.
func (d *Door) While(ctx context.Context, token string) context.Context {
	ctx, end := context.WithCancel(ctx)
	go func() {
		defer end()
		for tick := time.NewTicker(d.look); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			if who, err := d.find(ctx, token); err == nil && who == nil {
				tick.Stop()
				return
			}
		}
	}()
	return ctx
}

// Who returns the person whose browser has a token, for the page, or why there is none.
func (d *Door) Who(r *http.Request, token string) (*people.Who, *httpguard.Refusal) {
	who, err := d.find(r.Context(), token)
	switch {
	case err != nil:
		return nil, refusal(err)
	case who == nil || who.Assistant != "":
		return nil, &httpguard.Refusal{Status: http.StatusUnauthorized, Code: "NOT_LOGGED_IN",
			Message: "this browser is not logged in, or its token is revoked or expired; ask for an invitation"}
	}
	return who, d.take(r, who)
}

// Enter logs a browser in: by an invitation, which it uses up, or by the token that it got for one. It returns the
// token. Failed logins are delayed.
func (d *Door) Enter(r *http.Request, secret string) (token string, no *httpguard.Refusal) {
	if who, err := d.find(r.Context(), secret); err == nil && who != nil && who.Assistant == "" {
		return secret, d.take(r, who)
	}
	token, _, no = d.redeem(r, secret, "")
	return token, no
}

// redeem uses an invitation up, and returns a new token: of an assistant, or for "" of a browser.
func (d *Door) redeem(r *http.Request, secret, assistant string) (
	token string, who *people.Who, no *httpguard.Refusal) {
	known := false
	edit := func(b *people.Book) (err error) {
		if token, who, known, err = b.Redeem(d.engine.Now(), secret, assistant); err == nil && !known {
			err = errNotInvited
		}
		return err
	}
	err := errNotInvited
	if b, read := d.engine.People(r.Context()); read != nil {
		err = read
	} else if b.Invited(d.engine.Now(), secret) { // a guess does not take the lock of the vault
		err = d.engine.EditPeople(r.Context(), edit)
	}
	switch {
	case errors.Is(err, errNotInvited):
		return "", nil, d.failed(r, "TOKEN_WRONG", "that invitation was used before, is older than an hour, or is of "+
			"another server; arbor admin people add NAME makes a new one there")
	case err != nil:
		return "", nil, refusal(err)
	}
	return token, who, nil
}

var errNotInvited = errors.New("there is no such invitation")

// A Redeemed is the answer to an invitation that an assistant's set-up redeems.
type Redeemed struct {
	Person    string       `json:"person"`
	Assistant string       `json:"assistant"`
	Right     people.Right `json:"right"`
	Token     string       `json:"token"`
	URL       string       `json:"url"` // of /mcp
}

// Redeem answers a program that has an invitation and wants a token for an assistant: {"invitation", "assistant"}.
func (d *Door) Redeem(w http.ResponseWriter, r *http.Request) {
	var in struct{ Invitation, Assistant string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(&in); err != nil || in.Assistant == "" {
		(&httpguard.Refusal{Status: http.StatusBadRequest, Code: "INVALID_PARAMS",
			Message: "an invitation and the name of an assistant are expected"}).Write(w, r)
		return
	}
	token, who, no := d.redeem(r, in.Invitation, in.Assistant)
	if no != nil {
		no.Write(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	out := Redeemed{who.Person, who.Assistant, who.Right, token, d.url}
	_ = json.NewEncoder(w).Encode(out) // who is gone misses nothing
}
