package web

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/engine/serve/internal/httpguard"
	"arbor/mdstore"
)

// A doorman lets in the persons of a vault, without delays and allowances.
type doorman struct {
	*engine.Engine
	programs bool // everybody decides about programs
}

func (d *doorman) Enter(r *http.Request, secret string) (token string, no *httpguard.Refusal) {
	if _, no := d.Who(r, secret); no == nil {
		return secret, nil
	}
	err := d.EditPeople(r.Context(), func(b *people.Book) (err error) {
		token, _, _, err = b.Redeem(d.Now(), secret, "")
		return err
	})
	if err != nil || token == "" {
		return "", &httpguard.Refusal{Status: http.StatusUnauthorized, Code: "TOKEN_WRONG", Message: "it was used before"}
	}
	return token, nil
}

func (d *doorman) Who(r *http.Request, token string) (*people.Who, *httpguard.Refusal) {
	b, err := d.People(r.Context())
	if err == nil {
		if who := b.Of(d.Now(), token); who != nil {
			who.Programs = d.programs
			return who, nil
		}
	}
	return nil, &httpguard.Refusal{Status: http.StatusUnauthorized, Code: "NOT_LOGGED_IN", Message: "it was revoked"}
}

func (d *doorman) While(ctx context.Context, _ string) context.Context { return ctx }

// several makes the server one for several people. It returns its doorman, and a function that invites a person.
func (w *world) several() (d *doorman, invite func(name string, r people.Right) (address string)) {
	w.t.Helper()
	d = &doorman{Engine: w.engine}
	w.site.Admit(d)
	return d, func(name string, r people.Right) (address string) {
		w.t.Helper()
		err := w.engine.EditPeople(w.t.Context(), func(b *people.Book) error {
			secret, err := b.Invite(w.engine.Now(), name, r, 0)
			address = w.server.URL + "/#token=" + secret
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
		return address
	}
}

// revoke takes all tokens of a person back.
func (w *world) revoke(name string) {
	w.t.Helper()
	err := w.engine.EditPeople(w.t.Context(), func(b *people.Book) error {
		for _, t := range b.Find(name).Tokens {
			if _, err := b.Revoke(t.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// A person opens the address of an invitation, works under their name, stays logged in when the server is started
// again, and is logged out when their token is revoked. The same address logs in nobody else.
func TestAPersonLogsInByAnInvitation(t *testing.T) {
	w := newWorld(t, nil)
	w.follow()
	_, invite := w.several()
	_, first, _ := w.plan()
	address := invite("ann", people.None)
	b := newBrowser(t)
	p := b.tab(w.server.URL)
	p.goTo(address)
	p.until(`!!document.querySelector("nav")`)
	p.sees("Design")
	if at := p.eval(`location.href + document.cookie`).(string); strings.Contains(at, "arbor_") || strings.Contains(at, "arbor-") {
		t.Errorf("what is seen of the secrets: %s", at)
	}
	p.visit("/node/" + first)
	p.click("[data-action=start]")
	p.until(`document.querySelector("[data-action=complete]")`)
	p.visit("/activity")
	p.sees("ann")

	another := newBrowser(t)
	q := another.tab(w.server.URL)
	q.goTo(address)
	q.sees("used before")
	q.sees("not logged in")

	w.site.mu.Lock()
	clear(w.site.guests) // as when the server is started again
	w.site.mu.Unlock()
	p.visit("/plan")
	p.sees("Shop")

	w.revoke("ann")
	p.goTo(w.server.URL + "/plan")
	p.sees("not logged in")
	if says := p.eval(`document.body.innerText`).(string); strings.Contains(says, "Shop") {
		t.Errorf("who was revoked sees %s", says)
	}
}

// A person who decides and whom the server's user named approves a call of an assistant. A person who is not named is
// told so, and the call is not made.
func TestAPersonWhoDecidesApproves(t *testing.T) {
	w := newWorld(t, nil)
	w.follow()
	door, invite := w.several()
	ws, _, _ := w.plan()
	folder := t.TempDir()
	env := w.do("env_register", map[string]any{"uri": "file://" + filepath.ToSlash(folder), "id": "src", "trust": "restricted"})["id"].(string)
	assistant := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorAI, Session: "s1", Where: ops.Where{Workspace: ws}}
	write := func() error {
		in := ops.FileWriteIn{Path: "made.txt", Content: "written by an assistant\n"}
		in.Environment = env
		_, err := ops.FileWrite(t.Context(), assistant, in)
		return err
	}
	if write() == nil {
		t.Fatal("it was written unasked")
	}
	p := newBrowser(t).tab(w.server.URL)
	p.goTo(invite("ann", people.Decide))
	p.until(`!!document.querySelector("nav")`)
	p.visit("/approvals")
	p.sees("made.txt")
	id := p.eval(`document.querySelector("section[data-id]").dataset.id`).(string)
	said := p.eval(`fetch("/do/approve", { method: "POST", body: JSON.stringify({ id: "` + id + `" }),
		headers: { "Content-Type": "application/json", "Arbor-Tab": localStorage.getItem("person") } }).then((r) => r.text())`).(string)
	if !strings.Contains(said, "--programs") || write() == nil {
		t.Errorf("a person who was not named approves it: %s", said)
	}
	door.programs = true
	p.visit("/approvals")
	p.click("button|Approve once")
	p.sees("No requests")
	if err := write(); err != nil {
		t.Error(err)
	}
}
