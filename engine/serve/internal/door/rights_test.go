package door

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arbor/engine/internal/people"
	"arbor/engine/ops"
)

var posted = regexp.MustCompile(`HandleFunc\("POST (/[a-z]+)`)

var nodeID = regexp.MustCompile(`"(node-[a-z0-9-]+)"`)

// posts has the answer that a reader gets from each POST of the page. The list is complete: it is compared with the
// routes.
var posts = map[string]struct{ body, said string }{
	"/login":   {`{"token": "arbor_GUESS"}`, "TOKEN_WRONG"},
	"/do":      {`{}`, ""}, // see TestEachOperationIsForItsRight
	"/tick":    {`{"nodeId": "NODE", "field": "note", "line": 0, "done": true}`, "NOT_ALLOWED"},
	"/entry":   {`{"slot": "decisions", "entryId": "x", "text": "evil"}`, "NOT_ALLOWED"},
	"/outline": {`{"text": "- evil"}`, "NOT_ALLOWED"},
	"/seen":    {`{}`, "{}"},                                           // a cookie of the reader
	"/preview": {`{"text": "*x*"}`, "html"},                            // only a reply
	"/join":    {`{"base": "", "ours": "x", "theirs": "y"}`, `"both"`}, // only a reply
}

// A reader changes nothing by any POST of the page.
func TestAReaderChangesNothingByAnyRoute(t *testing.T) {
	src, err := os.ReadFile("../web/web.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range posted.FindAllStringSubmatch(string(src), -1) {
		if found++; posts[m[1]].body == "" {
			t.Errorf("POST %s is not in the list", m[1])
		}
	}
	if found != len(posts) {
		t.Errorf("%d routes, and %d in the list", found, len(posts))
	}
	w := newWorld(t)
	w.do("node_update", `{"nodeId": "Task", "note": "- [ ] a box"}`)
	w.do("memory_save", `{"slot": "decisions", "text": "a decision"}`)
	before := w.log()
	id := nodeID.FindStringSubmatch(before)[1]
	b := w.browser(w.invite("bob", "read"))
	for path, p := range posts {
		if path == "/do" {
			continue
		}
		if r := b.post(path, strings.ReplaceAll(p.body, "NODE", id)); !strings.Contains(r.text, p.said) {
			t.Errorf("POST %s: %d %s, want %s", path, r.code, r.text, p.said)
		}
	}
	if after := w.log(); after != before {
		t.Errorf("the node changed:\n%s\n%s", before, after)
	}
}

// given returns a value for each parameter that an operation needs.
func given(o ops.Operation) string {
	args := map[string]any{}
	for _, p := range o.Params() {
		switch kind := p.Type.Kind(); {
		case !p.Required && p.Unless == "":
		case p.Enum != nil:
			args[p.Name] = p.Enum[0]
		case kind == reflect.Slice:
			args[p.Name] = []string{"x"}
		case kind == reflect.Bool:
			args[p.Name] = true
		case kind == reflect.Int:
			args[p.Name] = 1
		default:
			args[p.Name] = "x"
		}
	}
	data, _ := json.Marshal(args)
	return string(data)
}

// Each operation of the catalogue, on the page with each right, and each tool over MCP with a reader's assistant, is
// refused exactly where the one table of rights says so.
func TestEachOperationIsForItsRight(t *testing.T) {
	w := newWorld(t)
	for _, right := range []people.Right{people.Read, people.Work, people.Decide} {
		b := w.browser(w.invite("p-"+right.String(), right.String()))
		for _, o := range slices.Concat(ops.All(), ops.Commands()) {
			if o.Right() == people.Work && right >= people.Work {
				continue // it is let through, and would change the plan of this test
			}
			r := b.post("/do/"+o.Name, given(o))
			may := (&people.Who{Right: right}).May(o.Right())
			if refused := strings.Contains(r.text, "NOT_ALLOWED"); refused == may || r.code == http.StatusTooManyRequests {
				t.Errorf("%s with the right %s: %d %.200s", o.Name, right, r.code, r.text)
			}
		}
	}
	before := w.log()
	token := w.assistant(w.invite("bob", "read"))
	for _, o := range ops.All() {
		if o.Set == "" || o.Right() <= people.Read {
			continue
		}
		r := w.tool(token, o.Name, given(o))
		if !strings.Contains(r.text, "needs work") && !strings.Contains(r.text, "NOT_ALLOWED") {
			t.Errorf("%s by a reader's assistant: %d %.200s", o.Name, r.code, r.text)
		}
	}
	if after := w.log(); after != before {
		t.Errorf("the node changed:\n%s\n%s", before, after)
	}
}

// A token keeps only so many requests open, and streams of others go on; its cookies are bounded, too.
func TestATokenKeepsOnlySoManyRequestsOpen(t *testing.T) {
	w := newWorld(t)
	b := w.browser(w.invite("ann", ""))
	end := make(chan struct{})
	opened := make(chan int, 300)
	for range 250 {
		go func() {
			req, _ := http.NewRequestWithContext(w.Context(), "GET", w.server.URL+"/events", nil)
			res, err := b.client.Do(req)
			if err != nil {
				opened <- 0
				return
			}
			opened <- res.StatusCode
			<-end
			res.Body.Close()
		}()
	}
	codes := map[int]int{}
	for range 250 {
		codes[<-opened]++
	}
	if codes[200] != 200 || codes[http.StatusTooManyRequests] != 50 {
		t.Errorf("of 250 streams: %v", codes)
	}
	close(end)
	other := w.browser(w.invite("bob", ""))
	if r := other.send(other.client, "GET", "/plan", ""); r.code != 200 {
		t.Errorf("another person: %d %s", r.code, r.text)
	}
}

// Of those who send an invitation at the same moment one gets a token.
func TestAnInvitationIsTakenOnceAtTheSameMoment(t *testing.T) {
	w := newWorld(t)
	secret := w.invite("ann", "")
	all := make(chan reply, 20)
	for n := range 20 {
		go func() {
			all <- w.send(http.DefaultClient, "POST", "/people/redeem",
				fmt.Sprintf(`{"invitation": "%s", "assistant": "a%d"}`, secret, n))
		}()
	}
	won := 0
	for range 20 {
		if r := <-all; r.code == http.StatusOK {
			won++
		}
	}
	b, err := w.engine.People(w.Context())
	if err != nil || won != 1 || len(b.Find("ann").Tokens) != 1 {
		t.Errorf("%d redeem it, %v", won, err)
	}
}
