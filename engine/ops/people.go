package ops

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/internal/people"
)

// aboutPeople are the operations that say who may use the vault through arbor serve.
var aboutPeople = []Operation{peopleList, peopleTokens, peopleAdd, peopleGrant, peopleRevoke, peopleRm}

type PeopleListIn struct{}

// A ListedPerson is a person who may use the vault through arbor serve.
type ListedPerson struct {
	Name     string       `json:"name"`
	Right    people.Right `json:"right"`
	Programs bool         `json:"programs,omitempty"` // decides what programs of environments may do
	Tokens   int          `json:"tokens,omitempty"`
	Used     int64        `json:"used,omitempty"`         // when one of the tokens was last used: see ListedToken
	Invited  int64        `json:"invitedUntil,omitempty"` // when the last open invitation expires, Unix milliseconds
}

type PeopleListOut struct {
	People []ListedPerson `json:"people"`
	Out
}

var peopleList = op("people_list", reads|repeats, PeopleList, Help{
	Summary: "list the people who may use this vault through arbor serve",
	Use:     "admin people list",
	Text: `Each line has a name, the rights, the number of tokens and when one of them was
last used. Whoever runs the server decides everything, with or without a line
here.`,
	Example: "arbor admin people",
})

// PeopleList lists persons in the order in which they were added.
func PeopleList(ctx context.Context, env *Env, _ PeopleListIn) (*PeopleListOut, error) {
	b, err := env.Engine.People(ctx)
	if err != nil {
		return nil, fail(err)
	}
	out := &PeopleListOut{People: []ListedPerson{}}
	deciders := env.deciders()
	for _, p := range b.Persons {
		l := ListedPerson{Name: p.Name, Right: p.Right, Programs: slices.Contains(deciders, p.ID), Tokens: len(p.Tokens)}
		for _, t := range p.Tokens {
			l.Used = max(l.Used, t.Used)
		}
		for _, v := range p.Invitations {
			if v.Until > env.Engine.Now().UnixMilli() {
				l.Invited = max(l.Invited, v.Until)
			}
		}
		out.People = append(out.People, l)
	}
	return out, nil
}

// deciders returns the ids of the persons who may decide what programs may do; none if this machine notes none.
func (env *Env) deciders() []string {
	b, err := env.book()
	if err != nil {
		return nil
	}
	return b.Deciders
}

type PeopleTokensIn struct {
	Name string `json:"name,omitempty" arg:"NAME" flag:"-" help:"only those of this person; default: all"`
}

// A ListedToken is a token of a person or of an assistant of theirs, without its secret.
type ListedToken struct {
	ID        string `json:"id"`
	Person    string `json:"person"`
	Assistant string `json:"assistant,omitempty"` // "" for a browser of the person
	Made      int64  `json:"made"`                // Unix milliseconds
	Used      int64  `json:"used,omitempty"`      // Unix milliseconds, less than an hour before the last use; 0: never
	Ends      int64  `json:"ends,omitempty"`      // when it stops working: Unix milliseconds; 0: when it is revoked
}

type PeopleTokensOut struct {
	Tokens []ListedToken `json:"tokens"`
	Out
}

var peopleTokens = op("people_tokens", reads|repeats, PeopleTokens, Help{
	Summary: "list the tokens of people and their assistants",
	Use:     "admin people tokens [NAME]",
	Text: `A token belongs to a browser of a person, or to one of their assistants. Only its
digest is kept. Its use is noted at most once an hour.`,
	Example: "arbor admin people tokens\narbor admin people tokens ann",
})

// PeopleTokens lists tokens by person, the oldest first.
func PeopleTokens(ctx context.Context, env *Env, in PeopleTokensIn) (*PeopleTokensOut, error) {
	b, err := env.Engine.People(ctx)
	if err == nil && in.Name != "" {
		_, err = b.Known(in.Name)
	}
	if err != nil {
		return nil, fail(err)
	}
	out := &PeopleTokensOut{Tokens: []ListedToken{}}
	for _, p := range b.Persons {
		for _, t := range p.Tokens {
			if in.Name == "" || in.Name == p.Name {
				out.Tokens = append(out.Tokens, ListedToken{ID: t.ID, Person: p.Name, Assistant: t.Assistant, Made: t.Made,
					Used: t.Used, Ends: t.Ends})
			}
		}
	}
	return out, nil
}

type PeopleAddIn struct {
	Name    string `json:"name" req:"true" arg:"NAME"`
	Rights  string `json:"rights,omitempty" enum:"read,work,decide" help:"what they may do; default: decide for a new person"`
	Expires string `json:"expires,omitempty" help:"the token that the invitation gives works for so long, as 30d or 12h; default: until it is revoked"`
	DryRun  bool   `json:"dryRun,omitempty" help:"check the name and the rights; invite nobody"`
}

func (in PeopleAddIn) planned() bool { return in.DryRun }

type PeopleAddOut struct {
	Name       string       `json:"name"`
	Right      people.Right `json:"right"`
	Invitation string       `json:"invitation,omitempty"`   // the address that works once, with its secret
	Until      int64        `json:"invitedUntil,omitempty"` // Unix milliseconds
	Ends       int64        `json:"ends,omitempty"`         // of the token that it gives
	Out
}

var peopleAdd = op("people_add", writes, PeopleAdd, Help{
	Summary: "invite a person to use this vault through arbor serve",
	Use:     "admin people add NAME",
	Text: `It prints an address that works once, for one hour. In a browser it opens the
page as that person. With arbor admin people redeem it gives a token to one of
their assistants. For a person who is there already it makes a further
invitation, for another browser or assistant.

The rights are read (see the plan), work (change it) and decide (also answer
questions, and complete by force). An assistant never decides. Only a person at
a terminal of the server invites.`,
	Example: "arbor admin people add ann\narbor admin people add bob --rights read --expires 30d",
})

// PeopleAdd invites a person.
func PeopleAdd(ctx context.Context, env *Env, in PeopleAddIn) (*PeopleAddOut, error) {
	r, err := people.ParseRight(in.Rights)
	if err != nil {
		return nil, badParam("rights", "%v", err)
	}
	lasts, err := tokenLasts(in.Expires)
	if err != nil {
		return nil, err
	}
	if !decides(env) && !in.DryRun {
		return nil, errs.New(errs.NotAllowed, "only a person at a terminal of the server invites people: arbor admin people "+
			"add %s", in.Name)
	}
	out := &PeopleAddOut{Name: in.Name}
	now := env.Engine.Now()
	secret := ""
	add := func(b *people.Book) (err error) {
		if secret, err = b.Invite(now, in.Name, r, lasts); err == nil {
			p := b.Find(in.Name)
			last := p.Invitations[len(p.Invitations)-1]
			out.Right, out.Until, out.Ends = p.Right, last.Until, last.Ends
		}
		return err
	}
	if err := env.editPeople(ctx, in.DryRun, add); err != nil || in.DryRun {
		return out, fail(err)
	}
	address := env.serving()
	if address == "" {
		address = "https://SERVER"
		out.Hint = "put the address of your server in place of SERVER; arbor serve is not running here"
	}
	out.Invitation = address + "/#token=" + secret
	return out, nil
}

// maxLasts is the longest life of a token that has an end.
const maxLasts = 3650 * 24 * time.Hour

// tokenLasts reads how long a token lasts: "30d", "12h"; "" is 0.
func tokenLasts(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	lasts, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		lasts = time.Duration(min(max(n, 0), 10_000)) * 24 * time.Hour
	}
	if err != nil || lasts < time.Minute || lasts > maxLasts {
		return 0, badParam("expires", "expires %q: a time from 1m to 3650d is expected, as 30d or 12h", text)
	}
	return lasts, nil
}

// serving returns the address of the running server of the vault, "" for none.
func (env *Env) serving() string {
	if b, err := env.book(); err == nil && b.Page != nil {
		return strings.TrimSuffix(b.Page.Address, "/")
	}
	return ""
}

type PeopleGrantIn struct {
	Name       string `json:"name" req:"true" arg:"NAME"`
	Rights     string `json:"rights,omitempty" enum:"read,work,decide" help:"what the person may do from now on"`
	Programs   bool   `json:"programs,omitempty" help:"the person decides what programs of environments on this server may do"`
	NoPrograms bool   `json:"noPrograms,omitempty" flag:"no-programs" help:"the person no longer does"`
	DryRun     bool   `json:"dryRun,omitempty" help:"show what the person would have; change nothing"`
}

func (in PeopleGrantIn) planned() bool { return in.DryRun }

type PersonOut struct {
	ListedPerson
	Out
}

var peopleGrant = op("people_grant", writes|repeats, PeopleGrant, Help{
	Summary: "change what a person may do",
	Use:     "admin people grant NAME",
	Text: `It holds from the next request on. With --programs the person also decides, on
the page, what tools of this server's environments may do: programs that run on
the server, as its user. Only a person at a terminal of the server grants.`,
	Example: "arbor admin people grant bob --rights work\narbor admin people grant ann --programs",
})

// PeopleGrant changes the rights of a person.
func PeopleGrant(ctx context.Context, env *Env, in PeopleGrantIn) (*PersonOut, error) {
	r, err := people.ParseRight(in.Rights)
	switch {
	case err != nil:
		return nil, badParam("rights", "%v", err)
	case in.Programs && in.NoPrograms:
		return nil, badParam("noPrograms", "--programs and --no-programs exclude each other")
	case r == people.None && !in.Programs && !in.NoPrograms:
		return nil, badParam("rights", "nothing is granted; give --rights read, work or decide, --programs, or --no-programs")
	case !decides(env) && !in.DryRun:
		return nil, errs.New(errs.NotAllowed, "only a person at a terminal of the server grants rights: arbor admin people "+
			"grant %s", in.Name)
	}
	var p *people.Person
	edit := func(b *people.Book) (err error) {
		if p, err = b.Known(in.Name); err != nil {
			return err
		}
		if r != people.None {
			p.Right = r
		}
		if in.Programs && p.Right < people.Decide {
			return badParam("programs", "%s has the right %s; whoever decides about programs has decide: "+
				"--rights decide --programs", p.Name, p.Right)
		}
		return nil
	}
	if err := env.editPeople(ctx, in.DryRun, edit); err != nil {
		return nil, fail(err)
	}
	if (in.Programs || in.NoPrograms) && !in.DryRun {
		if err := env.nameDecider(ctx, p.ID, in.Programs); err != nil {
			return nil, err
		}
	}
	programs := in.Programs || !in.NoPrograms && slices.Contains(env.deciders(), p.ID)
	is := ListedPerson{Name: p.Name, Right: p.Right, Programs: programs, Tokens: len(p.Tokens)}
	return &PersonOut{ListedPerson: is}, nil
}

// nameDecider notes whether a person decides what programs may do. It is noted with what this machine's user decides,
// outside of the vault.
func (env *Env) nameDecider(ctx context.Context, id string, named bool) error {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return err
	}
	return fail(s.Update(ctx, func(b *trust.Book) error {
		b.Deciders = slices.DeleteFunc(b.Deciders, func(o string) bool { return o == id })
		if named {
			b.Deciders = append(b.Deciders, id)
		}
		return nil
	}))
}

type PeopleRevokeIn struct {
	ID     string `json:"id" req:"true" arg:"ID"`
	DryRun bool   `json:"dryRun,omitempty" help:"say whose token it is; revoke nothing"`
}

func (in PeopleRevokeIn) planned() bool { return in.DryRun }

type PeopleRevokeOut struct {
	Token ListedToken `json:"token"`
	Out
}

var peopleRevoke = op("people_revoke", writes, PeopleRevoke, Help{
	Summary: "revoke a token of a person or assistant",
	Use:     "admin people revoke ID",
	Text:    "The token stops working with the next request; what it has open ends within\nseconds.",
	Example: "arbor admin people revoke k3f9q2mx",
})

// PeopleRevoke takes a token back.
func PeopleRevoke(ctx context.Context, env *Env, in PeopleRevokeIn) (*PeopleRevokeOut, error) {
	out := &PeopleRevokeOut{}
	edit := func(b *people.Book) error {
		who, err := b.Revoke(in.ID)
		if err == nil {
			out.Token = ListedToken{ID: in.ID, Person: who.Person, Assistant: who.Assistant}
		}
		return err
	}
	return out, fail(env.editPeople(ctx, in.DryRun, edit))
}

type PeopleRmIn struct {
	Name   string `json:"name" req:"true" arg:"NAME"`
	DryRun bool   `json:"dryRun,omitempty" help:"check the name; remove nobody"`
}

func (in PeopleRmIn) planned() bool { return in.DryRun }

var peopleRm = op("people_rm", writes, PeopleRm, Help{
	Summary: "remove a person, with all of their tokens",
	Use:     "admin people rm NAME",
	Text:    "What the person wrote stays, with their name in the record.",
	Example: "arbor admin people rm bob",
})

// PeopleRm removes a person.
func PeopleRm(ctx context.Context, env *Env, in PeopleRmIn) (*PersonOut, error) {
	out, id := &PersonOut{}, ""
	edit := func(b *people.Book) error {
		p, err := b.Known(in.Name)
		if err != nil {
			return err
		}
		id, out.ListedPerson = p.ID, ListedPerson{Name: p.Name, Right: p.Right, Tokens: len(p.Tokens)}
		return b.Remove(in.Name)
	}
	if err := env.editPeople(ctx, in.DryRun, edit); err != nil {
		return nil, fail(err)
	}
	if slices.Contains(env.deciders(), id) && !in.DryRun {
		return out, env.nameDecider(ctx, id, false)
	}
	return out, nil
}

// editPeople changes the list of persons; a dry run changes a copy.
func (env *Env) editPeople(ctx context.Context, dry bool, edit func(*people.Book) error) error {
	if !dry {
		return env.Engine.EditPeople(ctx, edit)
	}
	b, err := env.Engine.People(ctx)
	if err != nil {
		return err
	}
	return edit(b)
}
