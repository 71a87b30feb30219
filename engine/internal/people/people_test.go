package people

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// An invitation works once, for an hour, and secrets are in no part of the list.
func TestAnInvitationWorksOnce(t *testing.T) {
	b := &Book{}
	secret, err := b.Invite(noon, "ann", None)
	if err != nil {
		t.Fatal(err)
	}
	late := noon.Add(InvitationLasts)
	if _, _, ok, _ := b.Redeem(late, secret, ""); ok {
		t.Error("it works after an hour")
	}
	token, who, ok, err := b.Redeem(late.Add(-time.Millisecond), secret, "claude")
	if !ok || err != nil || who.String() != "ann/claude" || who.Right != Work || b.Of(token) == nil {
		t.Fatalf("redeemed: %v %v %v", who, ok, err)
	}
	if _, _, ok, _ := b.Redeem(noon, secret, ""); ok {
		t.Error("it works twice")
	}
	data, _ := json.Marshal(b)
	if strings.Contains(string(data), secret) || strings.Contains(string(data), token) || strings.Contains(string(data), tokenMark) {
		t.Errorf("a secret is kept: %s", data)
	}
	again := &Book{}
	if err := json.Unmarshal(data, again); err != nil || again.Of(token) == nil {
		t.Errorf("the list does not read back: %v", err)
	}
}

// A list cannot give a right that persons do not have.
func TestAListGivesNoRightOfTheServer(t *testing.T) {
	for _, r := range []string{"own", "programs", "none", "all", "-1"} {
		if json.Unmarshal([]byte(`{"persons": [{"name": "eve", "right": "`+r+`"}]}`), &Book{}) == nil {
			t.Errorf("%s is taken", r)
		}
	}
}

// The package compares no digest or secret by the operators of Go, which stop at the first difference: each comparison
// of one is a ConstantTimeCompare of digests, in loops that do not end early.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	src, err := os.ReadFile("people.go")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, line := range strings.Split(string(src), "\n") {
		if strings.Contains(line, ".Hash") && !strings.Contains(line, "subtle.ConstantTimeCompare(sum, []byte(") {
			t.Errorf("people.go:%d: %s", i+1, strings.TrimSpace(line))
		}
		if strings.Contains(line, "ConstantTimeCompare") {
			compared++
		}
	}
	for _, f := range []string{"func (b *Book) invited(", "func (b *Book) Of("} {
		_, body, ok := strings.Cut(string(src), f)
		body, _, _ = strings.Cut(body, "\n}\n")
		_, loop, _ := strings.Cut(body, "for ")
		if loop, _, _ = strings.Cut(loop, "\n\t}\n"); !ok || strings.Contains(loop, "return") || strings.Contains(loop, "break") {
			t.Errorf("%s ends early", f)
		}
	}
	if compared != 2 {
		t.Errorf("%d comparisons", compared)
	}
}

func TestNamesOfPersons(t *testing.T) {
	for name, ok := range map[string]bool{"ann": true, "claude-code": true, "a.b_c9": true, "": false, "Ann": false, "-a": false,
		".": false, "a b": false, "ann/claude": false, "@ann": false, "änn": false, strings.Repeat("a", 41): false, "a\n": false} {
		if got := CheckName(name) == nil; got != ok {
			t.Errorf("%q: %v", name, got)
		}
	}
}
