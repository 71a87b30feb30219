package trust_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/engine/env/trust"
)

// A request that is too large to be read again is not noted, and what was decided before stays readable.
func TestABookStaysReadable(t *testing.T) {
	dir := t.TempDir()
	s, err := trust.At(filepath.Join(dir, "state", "trust"), dir)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(size int) error {
		return s.Update(t.Context(), func(b *trust.Book) error {
			b.Ask(time.Now(), trust.Request{Kind: trust.KindCall, Call: trust.Call{Tool: fmt.Sprint(size)}, Diff: strings.Repeat("x", size)}, trust.NewID())
			return nil
		})
	}
	if err := ask(10); err != nil {
		t.Fatal(err)
	}
	if err := ask(17 << 20); err == nil || !strings.Contains(err.Error(), "arbor env approve") {
		t.Errorf("17 MiB are noted: %v", err)
	}
	if b, err := s.Read(); err != nil || len(b.Requests) != 1 {
		t.Errorf("the book cannot be read: %v", err)
	}
}

// An invitation works once, in its time, for the server that runs; the last one holds.
func TestAnInvitationIsOfTheRunningServer(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	b := &trust.Book{}
	if address, _ := b.Invite(now); address != "" || b.Accept(now, "") {
		t.Error("somebody is invited where no server runs")
	}
	b.Serve("http://127.0.0.1:1")
	_, old := b.Invite(now)
	address, text := b.Invite(now)
	if address != "http://127.0.0.1:1" || b.Accept(now, old) || !b.Accept(now, text) || b.Accept(now, text) {
		t.Error("an invitation does not work once, or not the last one holds")
	}
	_, text = b.Invite(now)
	if b.Accept(now.Add(time.Hour), text) {
		t.Error("an old invitation is accepted")
	}
	_, text = b.Invite(now)
	b.Serve("http://127.0.0.1:2")
	b.Leave("http://127.0.0.1:1")
	if b.Page == nil || b.Accept(now, text) {
		t.Error("an invitation of an earlier server is accepted, or its end ends the next one")
	}
}
