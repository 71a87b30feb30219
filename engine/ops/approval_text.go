package ops

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/engine/env/trust"
)

// AskedFor says in a line what a request is about.
func AskedFor(r trust.Request) string {
	what := map[string]string{
		trust.KindCall: "run " + r.Tool, trust.KindTool: "enable the tool " + r.Tool,
		trust.KindRegister: "trust the environment", trust.KindAccess: "use the environment",
	}[r.Kind]
	return render.Visible(fmt.Sprintf("%s  %s  in %s", r.ID, what, r.Environment))
}

// Asked shows a request whole. No character of it can move the cursor or turn the direction of writing.
func Asked(r trust.Request) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, render.Visible(value))
		}
	}
	b.WriteString(AskedFor(r) + "\n")
	line("session", r.Session)
	line("asked", r.Asked.Local().Format(time.DateTime))
	line("because", r.Reason)
	if e := r.Subject; e != nil {
		line("folder", r.Root)
		line("trust", string(e.Trust))
		line("tools", strings.Join(e.Tools, ", "))
	}
	line("file", r.Path)
	line("arguments", argumentsShown(r.Arguments))
	if r.Diff != "" {
		for text := range strings.SplitSeq(strings.TrimSuffix(r.Diff, "\n"), "\n") {
			b.WriteString("    " + render.Visible(text) + "\n")
		}
	}
	return b.String()
}

// argumentsShown returns the arguments of a call as a person reads them: whole.
func argumentsShown(raw json.RawMessage) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return string(raw)
	}
	delete(all, "sessionId")
	data, err := json.Marshal(all)
	if err != nil {
		return string(raw)
	}
	return string(data)
}

// Granted says in a line what a person grants besides a call; "" for nothing.
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
	return render.Visible(fmt.Sprintf("granted %s: %s in %s, %s", far, g.Tool, g.Environment, what)) + "\n"
}
