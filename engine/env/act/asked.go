package act

import (
	"fmt"
	"strings"
	"time"

	"arbor/engine/env/trust"
)

// AskedFor describes a request in one line.
func AskedFor(r trust.Request) string {
	what := map[string]string{
		trust.KindCall: "run " + r.Tool + "  in", trust.KindTool: "enable the tool " + r.Tool + "  in",
		trust.KindRegister: "trust the environment", trust.KindAccess: "use the environment",
	}[r.Kind]
	return oneLine(fmt.Sprintf("%s  %s %s", r.ID, what, r.Environment))
}

// Asked shows a request as a person decides about it, on every screen: the terminal's, the page's and a client's. Every
// character is visible, in its order. The middle of long texts is left out, with its size, unless whole is true.
func Asked(r trust.Request, whole bool) string {
	q := &question{whole: whole, all: "arbor env approve " + r.ID}
	q.add("session", r.Session)
	q.add("asked", r.Asked.Time().Local().Format(time.DateTime))
	q.add("because", r.Reason)
	if e := r.Subject; e != nil {
		q.add("folder", r.Root)
		q.add("trust", string(e.Trust))
		q.add("tools", strings.Join(e.Tools, ", "))
	}
	q.add("file", r.Path)
	q.addJSON("arguments", r.Arguments)
	q.addLines(r.Diff)
	return AskedFor(r) + "\n" + q.String()
}

// Granted describes a grant in one line; "" for nil.
func Granted(g *trust.Grant) string {
	if g == nil {
		return ""
	}
	far, what := "from now on, in every session", "files "+g.Glob
	if g.Session != "" {
		far = "for the session " + g.Session
	}
	if g.Glob == "" {
		what = "exactly these arguments"
	}
	return oneLine(fmt.Sprintf("granted %s: %s in %s, %s", far, g.Tool, g.Environment, what)) + "\n"
}

// mostLogged is how many bytes of arguments a line of a log has.
const mostLogged = 600

// InLog returns the part of a log line that describes a request: its file or program and its arguments. If it cuts
// them, it says by how much.
func InLog(r trust.Request) string {
	q := &question{}
	if q.addJSON("", r.Arguments); len(q.texts) == 0 {
		return ""
	}
	text := escapedJSON(q.texts[0].text)
	if len(text) > mostLogged {
		from := whole(text, mostLogged, true)
		text = fmt.Sprintf("%s… (%s more)", text[:from], counted(len(text)-from, "byte"))
	}
	return ": " + text
}
