package env

import (
	"net/url"
	"path"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore/pattern"
)

// An Address is the parsed URI of an environment.
type Address struct {
	Host Host
	// of a Server: the folder, absolute, or relative to the project if Local; of a Client: its name for the folder
	Path   string
	Client string // the id of the client
	ID     string // the id of the session
	Local  bool   // the path is relative to the project
}

// ParseURI reads file:///path, file:PATH (relative to the project), client://CLIENT/NAME, vault://session/ID, and the
// older monad://session/ID and CLIENT:NAME. ParseURI decodes percent-encoding, once. Paths given to tools have none.
func ParseURI(uri string) (a Address, err error) {
	wrong := func(why string) error {
		return errs.New(errs.InvalidParams, "%q: %s; an environment is file:///FOLDER, file:FOLDER in the project, client://CLIENT/NAME or "+
			"vault://session/ID", uri, why).With(errs.Details{Param: "uri"})
	}
	if strings.ContainsFunc(uri, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return a, wrong("a URI has no control characters")
	}
	scheme, rest, ok := strings.Cut(uri, ":")
	switch {
	case !ok:
		return a, wrong("it has no scheme")
	case scheme == "file" && !strings.HasPrefix(rest, "//"):
		p, err := url.PathUnescape(rest)
		if err != nil || strings.Contains(p, "\x00") {
			return a, wrong("its percent-encoding cannot be read")
		}
		a = Address{Host: Server, Path: path.Clean(p), Local: !path.IsAbs(p)}
		if a.Local && (a.Path == ".." || strings.HasPrefix(a.Path, "../")) {
			return a, wrong("it leads out of the project; give the whole path")
		}
		return a, nil
	case scheme == "file" || scheme == "client" || scheme == "vault" || scheme == "monad":
		u, err := url.Parse(uri)
		if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Path, "\x00") {
			return a, wrong("it has parts that no environment has, or cannot be read")
		}
		name := strings.TrimPrefix(u.Path, "/")
		switch {
		case scheme == "file" && (u.Host == "" || u.Host == "localhost"):
			return Address{Host: Server, Path: path.Clean("/" + name)}, nil
		case scheme == "client" && idForm().MatchString(u.Host) && clientName(name):
			return Address{Host: Client, Client: u.Host, Path: name}, nil
		case u.Host == "session" && (scheme == "vault" || scheme == "monad") && idForm().MatchString(name):
			return Address{Host: Session, ID: name}, nil
		}
		return a, wrong("it names no folder, client or session")
	case idForm().MatchString(scheme) && len(scheme) > 1 && clientName(strings.TrimPrefix(rest, "/")):
		return Address{Host: Client, Client: scheme, Path: strings.TrimPrefix(rest, "/")}, nil
	}
	return a, wrong("its scheme is none that is known")
}

// idForm matches the ids of environments, clients and sessions.
var idForm = pattern.Of(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// ValidID reports whether an environment can have this id.
func ValidID(id string) bool { return idForm().MatchString(id) && !strings.Contains(id, "..") }

// clientName reports whether a client's folder can have this name.
func clientName(name string) bool {
	return name != "" && !strings.HasPrefix(name, "/") && !strings.Contains(name, "\x00") && path.Clean(name) == name && name != ".." &&
		!strings.HasPrefix(name, "../")
}

// String returns the canonical URI: addresses of the same place have the same URI, if the links in their paths were
// followed before.
func (a Address) String() string {
	switch {
	case a.Host == Session:
		return "vault://session/" + a.ID
	case a.Host == Client:
		return (&url.URL{Scheme: "client", Host: a.Client, Path: "/" + a.Path}).String()
	case a.Local:
		return "file:" + (&url.URL{Path: a.Path}).EscapedPath()
	}
	return (&url.URL{Scheme: "file", Path: a.Path}).String()
}
