// Package people keeps which persons may use a vault through a server: their rights, invitations and tokens. Of
// secrets it keeps only digests.
package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"arbor/engine/errs"
)

// InvitationLasts is how long an unused invitation is valid, at most.
const InvitationLasts = time.Hour

// UseEvery is how long a further use of a token is not noted.
const UseEvery = time.Hour

const (
	maxName    = 40 // bytes of the name of a person or assistant
	maxPersons = 500
	maxTokens  = 50 // of one person
	maxInvites = 10 // of one person
)

// A Book lists the persons of one vault.
type Book struct {
	Persons []Person `json:"persons"`
}

// A Person may use the vault through a server.
type Person struct {
	ID          string       `json:"id"` // drawn at random: a later person of the same name has another one
	Name        string       `json:"name"`
	Right       Right        `json:"right"`
	Added       int64        `json:"added"` // Unix milliseconds
	Invitations []Invitation `json:"invitations,omitempty"`
	Tokens      []Token      `json:"tokens,omitempty"`
}

// An Invitation gives a token to the first who shows its secret.
type Invitation struct {
	Hash  string `json:"hash"`
	Until int64  `json:"until"`          // Unix milliseconds
	Ends  int64  `json:"ends,omitempty"` // of the token that it gives
}

// A Token is what a browser of a person, or an assistant of theirs, shows with every request.
type Token struct {
	ID        string `json:"id"`
	Hash      string `json:"hash"`
	Assistant string `json:"assistant,omitempty"` // its name; "" for a browser of the person
	Made      int64  `json:"made"`                // Unix milliseconds
	Ends      int64  `json:"ends,omitempty"`      // when it stops working; 0: when it is revoked
	Used      int64  `json:"used,omitempty"`      // when it was last used, or less than UseEvery before; 0: never
}

// A Who is the caller that a token stands for.
type Who struct {
	Person    string `json:"person"`
	Assistant string `json:"assistant,omitempty"` // "" for the person, in a browser
	ID        string `json:"id"`                  // of the person
	Token     string `json:"token"`               // its id
	Right     Right  `json:"right"`               // of an assistant at most Work
	Programs  bool   `json:"programs,omitempty"`  // decides what programs of environments may do
}

// String returns the person's name, and that of the assistant: "ann", "ann/claude".
func (w *Who) String() string {
	switch {
	case w == nil:
		return ""
	case w.Assistant == "":
		return w.Person
	}
	return w.Person + "/" + w.Assistant
}

// May reports whether the caller has a right. The server's own user, a nil Who, has every right.
func (w *Who) May(r Right) bool {
	switch {
	case w == nil:
		return true
	case r == None || r == Own:
		return false
	case r == Programs:
		return w.Right >= Decide && w.Programs
	}
	return w.Right >= r
}

type key struct{}

// With returns a context for the requests of a caller.
func With(ctx context.Context, w *Who) context.Context { return context.WithValue(ctx, key{}, w) }

// From returns the caller of a request, nil for the server's own user.
func From(ctx context.Context) *Who {
	w, _ := ctx.Value(key{}).(*Who)
	return w
}

// Find returns the person of that name, nil for none.
func (b *Book) Find(name string) *Person {
	for i := range b.Persons {
		if b.Persons[i].Name == name {
			return &b.Persons[i]
		}
	}
	return nil
}

// Known is Find with an error that lists the persons.
func (b *Book) Known(name string) (*Person, error) {
	if p := b.Find(name); p != nil {
		return p, nil
	}
	var names []string
	for _, p := range b.Persons {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return nil, errs.New(errs.PersonNotFound, "%s: there is no person of this name; arbor admin people add NAME "+
			"invites one", name)
	}
	return nil, errs.New(errs.PersonNotFound, "%s: there is no person of this name; there are %s", name,
		strings.Join(names, ", "))
}

// Invite makes an invitation for a person, whom it adds if they are new. It returns the secret, which no file has. A
// right of None keeps the one that the person has; a new person then gets Decide. The token that the invitation gives
// works until lasts from now, for 0 until it is revoked.
func (b *Book) Invite(now time.Time, name string, r Right, lasts time.Duration) (secret string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	p := b.Find(name)
	if p == nil {
		if len(b.Persons) >= maxPersons {
			return "", errs.New(errs.InvalidParams, "there are %d persons; remove some before you add one", len(b.Persons))
		}
		b.Persons = append(b.Persons, Person{ID: newID(), Name: name, Right: Decide, Added: now.UnixMilli()})
		p = &b.Persons[len(b.Persons)-1]
	}
	if r != None {
		p.Right = r
	}
	p.tidy(now)
	secret = newSecret()
	v := Invitation{Hash: digest(secret), Until: now.Add(InvitationLasts).UnixMilli()}
	if lasts > 0 {
		v.Ends = now.Add(lasts).UnixMilli()
		v.Until = min(v.Until, v.Ends)
	}
	p.Invitations = append(p.Invitations, v)
	p.Invitations = p.Invitations[max(0, len(p.Invitations)-maxInvites):]
	return secret, nil
}

// tidy drops invitations and tokens that have expired.
func (p *Person) tidy(now time.Time) {
	p.Invitations = slices.DeleteFunc(p.Invitations, func(v Invitation) bool { return now.UnixMilli() >= v.Until })
	p.Tokens = slices.DeleteFunc(p.Tokens, func(t Token) bool { return t.Over(now) })
}

// Over reports whether a token has expired.
func (t Token) Over(now time.Time) bool { return t.Ends > 0 && now.UnixMilli() >= t.Ends }

// Redeem uses up the invitation with that secret, and returns a new token: of the person's assistant with that name, or
// for "" of a browser of the person. ok is false if there is no such invitation.
func (b *Book) Redeem(now time.Time, secret, assistant string) (token string, who *Who, ok bool, err error) {
	if assistant != "" {
		if err := CheckName(assistant); err != nil {
			return "", nil, false, err
		}
	}
	person, index := b.invited(now, secret)
	if person < 0 {
		return "", nil, false, nil
	}
	p := &b.Persons[person]
	ends := p.Invitations[index].Ends
	p.Invitations = slices.Delete(p.Invitations, index, index+1)
	p.tidy(now)
	if len(p.Tokens) >= maxTokens {
		return "", nil, false, errs.New(errs.InvalidParams, "%s has %d tokens; revoke some first "+
			"(arbor admin people revoke ID)", p.Name, len(p.Tokens))
	}
	token = newSecret()
	t := Token{ID: newID(), Hash: digest(token), Assistant: assistant, Made: now.UnixMilli(), Ends: ends}
	p.Tokens = append(p.Tokens, t)
	return token, p.who(t), true, nil
}

// Invited reports whether there is a valid invitation with that secret.
func (b *Book) Invited(now time.Time, secret string) bool {
	person, _ := b.invited(now, secret)
	return person >= 0
}

// invited returns the indexes of the person and of the invitation with that secret, -1 for none. It compares with every
// invitation, so that its time does not tell how near a guess was.
func (b *Book) invited(now time.Time, secret string) (person, index int) {
	sum := []byte(digest(secret))
	person, index = -1, -1
	for i := range b.Persons {
		for j, v := range b.Persons[i].Invitations {
			if subtle.ConstantTimeCompare(sum, []byte(v.Hash)) == 1 && now.UnixMilli() < v.Until {
				person, index = i, j
			}
		}
	}
	return person, index
}

// Of returns the caller that a token stands for, nil for none and for one that has expired. It compares with every
// token, so that its time does not tell how near a guess was.
func (b *Book) Of(now time.Time, token string) (who *Who) {
	sum := []byte(digest(token))
	for i := range b.Persons {
		for _, t := range b.Persons[i].Tokens {
			if subtle.ConstantTimeCompare(sum, []byte(t.Hash)) == 1 && !t.Over(now) {
				who = b.Persons[i].who(t)
			}
		}
	}
	return who
}

func (p *Person) who(t Token) *Who {
	w := &Who{Person: p.Name, Assistant: t.Assistant, ID: p.ID, Token: t.ID, Right: p.Right}
	if t.Assistant != "" {
		w.Right = min(w.Right, Work)
	}
	return w
}

// Use notes that the token with that id is in use, and reports whether there was anything to note.
func (b *Book) Use(now time.Time, id string) bool {
	for i := range b.Persons {
		for j := range b.Persons[i].Tokens {
			if t := &b.Persons[i].Tokens[j]; t.ID == id && now.UnixMilli()-t.Used >= UseEvery.Milliseconds() {
				t.Used = now.UnixMilli()
				return true
			}
		}
	}
	return false
}

// Remove takes a person out, with their invitations and tokens.
func (b *Book) Remove(name string) error {
	if _, err := b.Known(name); err != nil {
		return err
	}
	b.Persons = slices.DeleteFunc(b.Persons, func(p Person) bool { return p.Name == name })
	return nil
}

// Revoke takes a token back, and returns whose it was.
func (b *Book) Revoke(id string) (*Who, error) {
	for i := range b.Persons {
		p := &b.Persons[i]
		for j, t := range p.Tokens {
			if t.ID == id {
				p.Tokens = slices.Delete(p.Tokens, j, j+1)
				return p.who(t), nil
			}
		}
	}
	return nil, errs.New(errs.TokenNotFound, "%s: no token has this id; arbor admin people tokens lists them", id)
}

// CheckName returns an error unless a text can be the name of a person or assistant.
func CheckName(name string) error {
	inner := func(r rune) bool {
		return r != '.' && r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, inner) || inner(rune(name[0])) ||
		strings.IndexByte("._-", name[0]) >= 0 {
		return errs.New(errs.InvalidName, "%q is no name here; use small letters, digits, '.', '_' and '-', at most "+
			"%d, as in ann or claude-code", name, maxName)
	}
	return nil
}

// tokenMark begins every secret, so that people and scanners recognize one that got into a file.
const tokenMark = "arbor_"

func newSecret() string { return tokenMark + rand.Text() + rand.Text() }

func newID() string { return strings.ToLower(rand.Text()[:8]) }

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
