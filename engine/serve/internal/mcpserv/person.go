package mcpserv

import (
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// headerWho carries the caller of a request from the endpoint to the tools, because the SDK gives them headers and no
// context of the request. The endpoint takes away what a client sends under this name.
const headerWho = "Arbor-Who"

// identify puts the caller whom a guard let in into the headers of a request.
func identify(r *http.Request) {
	r.Header.Del(headerWho)
	if who := people.From(r.Context()); who != nil {
		data, _ := json.Marshal(who) // it has texts and numbers only
		r.Header.Set(headerWho, string(data))
	}
}

// whoOf returns the caller of a request with a token of their own, nil for others.
func whoOf(header http.Header) *people.Who {
	text := header.Get(headerWho)
	if text == "" {
		return nil
	}
	who := &people.Who{}
	if json.Unmarshal([]byte(text), who) != nil {
		return &people.Who{} // who has no right
	}
	return who
}

// as makes env that of a caller with a token.
func as(env *ops.Env, who *people.Who) {
	if env.Who = who; who == nil {
		return
	}
	env.Operator, env.Caller = mdstore.OperatorAI, ops.ByAssistant
	if !who.May(people.Work) {
		env.May = ops.MayLook
	}
}

// to returns the offer for a caller: without the tools that they have no right to.
func (f offer) to(who *people.Who) offer {
	if f.who = who; !who.May(people.Work) {
		reads := *f.Options
		reads.ReadOnly, f.Options = true, &reads
	}
	return f
}

// owner returns the id of the token of a request, to which a session over HTTP belongs; "" if it has none.
func owner(extra *mcp.RequestExtra) string {
	if who := whoOf(headers(extra)); who != nil {
		return who.Token
	}
	return ""
}
