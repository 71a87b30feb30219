package trust

import (
	"crypto/rand"
	"crypto/subtle"
	"slices"
	"time"
)

// invitationLasts is how long an unused invitation is valid.
const invitationLasts = 10 * time.Minute

// A Page is the page of the vault that a running server shows. Another process of the person writes invitations for
// browsers here, in this person's own state, where only the person can write. No token of programs is involved, and no
// secret is sent to whatever listens at the address.
type Page struct {
	// the address of the server that was started last, such as http://127.0.0.1:7433
	Address    string    `json:"address"`
	Invitation string    `json:"invitation,omitempty"` // SHA-256, in hexadecimal, of the secret that logs one browser in
	Until      time.Time `json:"until,omitzero"`
}

// Serve notes that a server shows the page at an address. Invitations of earlier servers are void.
func (b *Book) Serve(address string) { b.Page = &Page{Address: address} }

// Leave notes that the server at an address has ended.
func (b *Book) Leave(address string) {
	if b.Page != nil && b.Page.Address == address {
		b.Page = nil
	}
}

// Invite returns the address of the running server, "" for none, and a secret that logs one browser in there, once.
// Only the last invitation is valid.
func (b *Book) Invite(now time.Time) (address, invitation string) {
	if b.Page == nil {
		return "", ""
	}
	invitation = rand.Text()
	b.Page.Invitation, b.Page.Until = hashOf(invitation), now.Add(invitationLasts)
	return b.Page.Address, invitation
}

// Accept reports whether a text is the invitation, which is used up then.
func (b *Book) Accept(now time.Time, text string) bool {
	p := b.Page
	if p == nil || p.Invitation == "" || subtle.ConstantTimeCompare([]byte(hashOf(text)), []byte(p.Invitation)) != 1 {
		return false
	}
	p.Invitation = ""
	return now.Before(p.Until)
}

// A Tab is a browser's tab that may change the vault on the page.
type Tab struct {
	Hash  string    `json:"hash"` // SHA-256, in hexadecimal, of its secret
	Until time.Time `json:"until"`
}

const (
	tabLasts = 7 * 24 * time.Hour
	maxTabs  = 50 // the oldest are forgotten
)

// KeepTab notes a tab's secret for a week from now.
func (b *Book) KeepTab(now time.Time, secret string) {
	hash := hashOf(secret)
	b.Tabs = slices.DeleteFunc(b.Tabs, func(t Tab) bool { return t.Hash == hash || now.After(t.Until) })
	b.Tabs = append(b.Tabs, Tab{hash, now.Add(tabLasts)})
	b.Tabs = b.Tabs[max(0, len(b.Tabs)-maxTabs):]
}

// KnowsTab reports whether a tab's secret was kept and has not expired.
func (b *Book) KnowsTab(now time.Time, secret string) (known bool) {
	hash := []byte(hashOf(secret))
	for _, t := range b.Tabs {
		if subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 && now.Before(t.Until) {
			known = true
		}
	}
	return known
}
