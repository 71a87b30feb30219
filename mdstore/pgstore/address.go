package pgstore

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"arbor/mdstore/pattern"
)

// An Address names a vault on a server.
type Address struct {
	config *pgconn.Config
	shown  string
	schema string
	vault  string
}

// The names that an address has unless its query says otherwise.
const (
	DefaultSchema = "arbor"
	DefaultVault  = "main"
)

// IsAddress reports whether a text that names a vault is an address of a server, not a folder.
func IsAddress(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// plainName matches the names of schemas and vaults.
var plainName = pattern.Of(`^[a-z0-9][a-z0-9_.-]{0,62}$`)

// ParseAddress reads postgres://USER@HOST:PORT/DATABASE?vault=NAME. It connects to nothing. What the address does not
// say, the variables PGHOST, PGUSER, PGSSLMODE and so on say, as for psql. It refuses a password in the address, and
// asks for sslmode=verify-full beyond sockets and loopback unless the address or PGSSLMODE says otherwise.
func ParseAddress(s string) (*Address, error) {
	u, err := url.Parse(s)
	var q url.Values
	if err == nil {
		q, err = url.ParseQuery(u.RawQuery)
	}
	if err != nil {
		return nil, errors.New("this is no address of a server; one looks like postgres://ann@db.example/plans?vault=main")
	}
	if _, has := u.User.Password(); has || q.Has("password") || q.Has("sslpassword") {
		u.User, u.RawQuery = url.User(u.User.Username()), ""
		return nil, fmt.Errorf("%s: a password in an address ends up in lists of processes and in histories; leave it out, "+
			"and put it into ~/.pgpass or PGPASSWORD", u)
	}
	a := &Address{schema: DefaultSchema, vault: DefaultVault}
	for key, to := range map[string]*string{"schema": &a.schema, "vault": &a.vault} {
		if q.Has(key) {
			*to = q.Get(key)
		}
		if !plainName().MatchString(*to) {
			return nil, fmt.Errorf("%s=%q: a name is 1 to 63 of a-z, 0-9, '_', '.' and '-'", key, *to)
		}
		q.Del(key)
	}
	said := q.Get("sslmode") != "" || os.Getenv("PGSSLMODE") != ""
	u.RawQuery = q.Encode()
	if a.config, err = pgconn.ParseConfig(u.String()); err != nil {
		return nil, fmt.Errorf("the address of the server cannot be used: %w", err)
	}
	if !said && slices.ContainsFunc(a.hosts(), remote) {
		q.Set("sslmode", "verify-full")
		u.RawQuery = q.Encode()
		if a.config, err = pgconn.ParseConfig(u.String()); err != nil {
			return nil, fmt.Errorf("the address of the server cannot be used: %w", err)
		}
	}
	if len(a.hosts()) > 1 && a.config.ValidateConnect == nil { // a standby refuses writes
		a.config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	shown := url.URL{Scheme: "postgres", User: url.User(a.config.User), Host: strings.Join(a.hosts(), ","),
		Path: "/" + a.config.Database}
	names := url.Values{"vault": {a.vault}}
	if filepath.IsAbs(a.config.Host) {
		shown.Host = ""
		names.Set("host", a.config.Host)
		if a.config.Port != defaultPort {
			names.Set("port", fmt.Sprint(a.config.Port))
		}
	}
	if a.schema != DefaultSchema {
		names.Set("schema", a.schema)
	}
	shown.RawQuery, _ = url.QueryUnescape(names.Encode())
	a.shown = shown.String()
	a.config.ConnectTimeout = connectTime
	a.config.RuntimeParams["application_name"] = "arbor"
	dial := &net.Dialer{Timeout: connectTime, KeepAlive: keepAlive}
	a.config.DialFunc = dial.DialContext
	return a, nil
}

// String returns the address as messages show it. It has no password.
func (a *Address) String() string { return a.shown }

// Identity returns a text that names the servers, the database, the schema and the vault, and no user.
func (a *Address) Identity() string {
	return strings.Join(append(a.hosts(), a.config.Database, a.schema, a.vault), "\x00")
}

const defaultPort = 5432

// hosts returns the servers, each with its port. A folder of sockets has one for each port.
func (a *Address) hosts() (all []string) {
	add := func(host string, port uint16) {
		at := host
		switch {
		case !filepath.IsAbs(host):
			at = net.JoinHostPort(host, fmt.Sprint(port))
		case port != defaultPort:
			at = filepath.Join(host, fmt.Sprintf(".s.PGSQL.%d", port))
		}
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	add(a.config.Host, a.config.Port)
	for _, f := range a.config.Fallbacks {
		add(f.Host, f.Port)
	}
	return all
}

// remote reports whether a host is another machine, as far as its name tells.
func remote(at string) bool {
	host, _, err := net.SplitHostPort(at)
	if filepath.IsAbs(at) || err != nil || host == "localhost" {
		return false // a socket, or this machine
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}
