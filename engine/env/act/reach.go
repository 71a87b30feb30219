package act

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"

	"arbor/engine/env"
	"arbor/engine/env/command"
	"arbor/engine/env/jail"
	"arbor/mdstore"
)

// reach returns the Spec for the program of a tool: what its definition grants, without access to files that protect a
// person. Its HOME is a folder for the environment in the person's own state, so that caches survive.
func (a *Call) reach(argv []string) command.Spec {
	h, t := a.h, a.Tool
	vault := h.Store.Vault()
	sum := sha256.Sum256([]byte(vault + "\x00" + a.Place.ID + "\x00" + a.Root.Path()))
	hidden := Hiding(h.Engine, h.Home)
	if real, err := jail.Resolve(hidden.But); err == nil {
		hidden.But = real
	}
	s := command.Spec{
		Dir: a.Root.Path(), Argv: argv, Env: t.Env, Timeout: t.Timeout, Network: t.Network,
		Unconfined: command.Confinement() == "",
		Home:       filepath.Join(h.Engine.StateDir(), "programs", hex.EncodeToString(sum[:8])),
		Protected: command.Protected{
			Names:   []string{".git", path.Dir(env.ToolsFile), "arbor.toml", mdstore.DefaultVault},
			Folders: []string{vault}, Hidden: hidden.Folders, Local: hidden.Name, But: hidden.But,
			Mark: "lock", // the lock file marks a vault of any name
		},
	}
	for _, p := range t.Read {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(h.Home, filepath.FromSlash(rest))
		}
		s.Read = append(s.Read, p)
	}
	return s
}

// confinedText describes, for approval, how the program of a definition is confined, and what is not confined.
func confinedText(how string, network bool) (lines [][2]string) {
	switch {
	case how == "":
		return [][2]string{{"unconfined", "nothing on this system keeps it in its folder: it can do all that you can"}}
	case network && how == command.Landlock:
		lines = [][2]string{{"network", "it may connect to anything, also to sockets of this machine's programs"}}
	case network:
		lines = [][2]string{{"network", "it may connect to anything, but for sockets below /run and /tmp"}}
	}
	what := "it writes in its folder only, and connects to itself only"
	if network {
		what = "it writes in its folder only"
	}
	if how == command.Landlock {
		what = strings.Replace(what, "connects to itself only", "makes no socket", 1) + "; where .git, .monad, arbor.toml or a vault lies, it makes no new file"
	}
	return append(lines, [2]string{"confined by", how + ": " + what})
}

// TellMade notes in the session's log which files with protected names were made while a program ran, and returns a
// text about them for the reply; "" for none.
func (a *Call) TellMade(ctx context.Context, made []string) string {
	if made == nil {
		return ""
	}
	var shown []string
	for _, p := range made {
		shown = append(shown, oneLine(p))
	}
	text := a.Tool.Name + " in " + a.Place.ID + ": made or replaced while it ran: " + strings.Join(shown, ", ")
	a.logged(ctx, text, "")
	return text + ". Look at them before git or an editor uses them"
}
