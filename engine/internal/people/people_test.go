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
	secret, err := b.Invite(noon, "ann", None, 0)
	if err != nil {
		t.Fatal(err)
	}
	late := noon.Add(InvitationLasts)
	if _, _, ok, _ := b.Redeem(late, secret, ""); ok {
		t.Error("it works after an hour")
	}
	token, who, ok, err := b.Redeem(late.Add(-time.Millisecond), secret, "claude")
	if !ok || err != nil || who.String() != "ann/claude" || who.Right != Work || b.Of(noon, token) == nil {
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
	if err := json.Unmarshal(data, again); err != nil || again.Of(noon, token) == nil {
		t.Errorf("the list does not read back: %v", err)
	}
}

// A token with an end works until then, and its invitation no longer than it. Afterwards it makes room for others.
func TestATokenExpires(t *testing.T) {
	const month = 30 * 24 * time.Hour
	b := &Book{}
	long, _ := b.Invite(noon, "ann", None, month)
	short, _ := b.Invite(noon, "ann", None, time.Minute)
	token, _, ok, err := b.Redeem(noon.Add(InvitationLasts/2), long, "claude")
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if b.Invited(noon.Add(time.Minute), short) {
		t.Error("an invitation outlasts its token")
	}
	end := noon.Add(month)
	if b.Of(end.Add(-time.Millisecond), token) == nil || b.Of(end, token) != nil {
		t.Error("the token does not end when it should")
	}
	again, _ := b.Invite(end, "ann", None, 0)
	if _, _, ok, _ := b.Redeem(end, again, ""); !ok || len(b.Find("ann").Tokens) != 1 {
		t.Errorf("after another one: %+v", b.Find("ann").Tokens)
	}
}

// The use of a token is noted at most once in UseEvery.
func TestUsesAreSeldomNoted(t *testing.T) {
	b := &Book{}
	secret, _ := b.Invite(noon, "ann", None, 0)
	_, who, _, _ := b.Redeem(noon, secret, "")
	noted := 0
	for at := noon; at.Before(noon.Add(24 * time.Hour)); at = at.Add(time.Minute) {
		if b.Use(at, who.Token) {
			noted++
		}
		if late := at.UnixMilli() - b.Find("ann").Tokens[0].Used; late < 0 || late >= UseEvery.Milliseconds() {
			t.Fatalf("a use at %v is %d ms off", at, late)
		}
	}
	if noted != 24 {
		t.Errorf("%d notes in a day of uses each minute", noted)
	}
	if b.Use(noon.Add(48*time.Hour), "another") {
		t.Error("a token that is not there is noted")
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
