package web

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/engine/serve/internal/door"
	"arbor/mdstore"
)

// several makes the server one for several people, and returns a function that invites a person.
func (w *world) several() (invite func(name string, r people.Right) (address string)) {
	w.t.Helper()
	w.site.Admit(door.New(w.engine, slog.New(slog.DiscardHandler)))
	return func(name string, r people.Right) (address string) {
		w.t.Helper()
		err := w.engine.EditPeople(w.t.Context(), func(b *people.Book) error {
			secret, err := b.Invite(w.engine.Now(), name, r)
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
// again, and is out once their token is revoked. The address logs nobody else in.
func TestAPersonLogsInByAnInvitation(t *testing.T) {
	w := newWorld(t, nil)
	w.follow()
	invite := w.several()
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
	invite := w.several()
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
	w.do("people_grant", map[string]any{"name": "ann", "programs": true})
	p.visit("/approvals")
	p.click("button|Approve once")
	p.sees("No requests")
	if err := write(); err != nil {
		t.Error(err)
	}
}
