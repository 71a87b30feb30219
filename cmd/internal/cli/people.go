package cli

import (
	"strconv"

	"arbor/context/render"
	"arbor/engine/ops"
)

func showPeople(sh *shell, out *ops.PeopleListOut) error {
	var rows [][]cell
	for _, p := range out.People {
		programs, used, invited := "", "", ""
		if p.Programs {
			programs = "decides about programs"
		}
		if p.Invited > 0 {
			invited = "invited until " + timeOf(p.Invited)
		}
		if p.Used > 0 {
			used = "used " + timeOf(p.Used)
		}
		rows = append(rows, []cell{{text: p.Name}, {text: p.Right.String()}, {text: strconv.Itoa(p.Tokens)},
			{text: used, sgr: "2"}, {text: programs}, {text: invited, sgr: "2"}})
	}
	if len(rows) == 0 {
		sh.say("nobody else may use this vault; arbor admin people add NAME invites a person")
		return nil
	}
	return sh.bounded(sh.table([]string{"PERSON", "RIGHT", "TOKENS", "", "", ""}, rows), "lines")
}

func showTokens(sh *shell, out *ops.PeopleTokensOut) error {
	var rows [][]cell
	for _, t := range out.Tokens {
		used, ends := "never used", ""
		if t.Used > 0 {
			used = "used " + timeOf(t.Used)
		}
		if t.Ends > 0 {
			ends = "until " + timeOf(t.Ends)
		}
		rows = append(rows, []cell{{text: t.ID}, {text: holder(t)}, {text: "since " + timeOf(t.Made), sgr: "2"},
			{text: used, sgr: "2"}, {text: ends, sgr: "2"}})
	}
	if len(rows) == 0 {
		sh.say("there are no tokens; arbor admin people add NAME invites a person, who gets one")
		return nil
	}
	return sh.bounded(sh.table([]string{"TOKEN", "OF", "", "", ""}, rows), "lines")
}

// holder says whose a token is.
func holder(t ops.ListedToken) string {
	if t.Assistant == "" {
		return t.Person + ", a browser"
	}
	return t.Person + "/" + t.Assistant
}

func showInvited(sh *shell, out *ops.PeopleAddOut) error {
	switch {
	case sh.flags.json:
		return sh.json(out)
	case out.Invitation == "":
		sh.say("%s would be invited, with the right %s", out.Name, out.Right)
		sh.sayDry()
		return nil
	}
	sh.say("%s has the right %s; this address works once, until %s:", out.Name, out.Right, timeOf(out.Until))
	sh.onScreen(render.Visible(out.Invitation))
	if out.Ends > 0 {
		sh.say("the token that it gives works until %s", timeOf(out.Ends))
	}
	sh.say("in a browser it opens the page; arbor admin people redeem ADDRESS gives a token to an assistant")
	sh.hint(out.Hint)
	return nil
}

func showGranted(sh *shell, out *ops.PersonOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	programs := ""
	if out.Programs {
		programs = ", and decides about programs"
	}
	sh.onScreen(out.Name + "  " + out.Right.String() + programs)
	sh.sayDry()
	return nil
}

func showRevoked(sh *shell, out *ops.PeopleRevokeOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	sh.onScreen("revoked " + out.Token.ID + " of " + holder(out.Token))
	sh.sayDry()
	return nil
}

func showRemoved(sh *shell, out *ops.PersonOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	sh.onScreen("removed " + out.Name + ", with " + counted(out.Tokens, "token"))
	sh.sayDry()
	return nil
}
