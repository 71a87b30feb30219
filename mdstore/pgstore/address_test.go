package pgstore_test

import (
	"strings"
	"testing"

	"arbor/mdstore/pgstore"
)

func TestAddress(t *testing.T) {
	for _, v := range []string{"PGHOST", "PGSSLMODE", "PGUSER", "PGSERVICE"} {
		t.Setenv(v, "")
	}
	for _, tt := range []struct{ address, shown, tls, err string }{
		{"postgres://ann@db.example/plans", "postgres://ann@db.example:5432/plans?vault=main", "verified", ""},
		{"postgresql://ann@db.example:99/plans?vault=x", "postgres://ann@db.example:99/plans?vault=x", "verified", ""},
		{"postgres://ann@a.example,b.example/plans", "postgres://ann@a.example:5432,b.example:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@db.example/plans?sslmode=require", "postgres://ann@db.example:5432/plans?vault=main", "encrypted", ""},
		{"postgres://ann@db.example/plans?sslmode=disable", "postgres://ann@db.example:5432/plans?vault=main", "off", ""},
		{"postgres://ann@10.0.0.1/plans", "postgres://ann@10.0.0.1:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@127.0.0.1/plans?sslmode=disable", "postgres://ann@127.0.0.1:5432/plans?vault=main", "off", ""},
		{"postgres://ann@/plans?host=/run/pg&schema=s", "postgres://ann@/plans?host=/run/pg&schema=s&vault=main", "off", ""},
		{"postgres://ann@/plans?host=/run/pg&port=6543", "postgres://ann@/plans?host=/run/pg&port=6543&vault=main", "off", ""},
		{"postgres://ann@/plans?host=/run/a:1", "postgres://ann@/plans?host=/run/a:1&vault=main", "off", ""},
		{"postgres://ann@db.example/plans?sslmode=", "postgres://ann@db.example:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@/plans?host=db.example", "postgres://ann@db.example:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@127.0.0.1,db.example/plans", "postgres://ann@127.0.0.1:5432,db.example:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@127.0.0.1/plans?host=db.example", "postgres://ann@db.example:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@localhost.evil.example/plans", "postgres://ann@localhost.evil.example:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@LOCALHOST/plans", "postgres://ann@LOCALHOST:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@0.0.0.0/plans", "postgres://ann@0.0.0.0:5432/plans?vault=main", "verified", ""},
		{"postgres://ann@[::1]/plans?sslmode=disable", "postgres://ann@[::1]:5432/plans?vault=main", "off", ""},
		{"postgres://ann@db.example/plans?vault=Main", "", "", "a name is"},
		{"postgres://ann@db.example/plans?vault=main%20", "", "", "a name is"},
		{"postgres://ann@db.example/plans?vault=ma%C3%AFn", "", "", "a name is"},
		{"postgres://ann@db.example/plans?vault=main%0A", "", "", "a name is"},
		{"postgres://ann@db.example/plans?vault=$1", "", "", "a name is"},
		{"postgres://ann@db.example/plans?schema=SCHEMA", "", "", "a name is"},
		{"postgres://ann@db.example/plans?sslpassword=hunter2", "", "", "~/.pgpass"},
		{"postgres://ann:@db.example/plans", "", "", "~/.pgpass"},
		{"postgres://ann:hunter2@db.example/plans", "", "", "~/.pgpass"},
		{"postgres://ann@db.example/plans?password=hunter2", "", "", "~/.pgpass"},
		{"postgres://ann@db.example/plans?vault=a%2Fb", "", "", "a name is"},
		{"postgres://ann@db.example/plans?vault=", "", "", "a name is"},
		{`postgres://ann@db.example/plans?schema=a";DROP`, "", "", "no address"},
		{"postgres://ann@db.example/plans?schema=a%22%3BDROP", "", "", "a name is"},
		{"postgres://ann@db.example:x/plans", "", "", "no address"},
		{"postgres://ann@db.example/plans?sslmode=maybe", "", "", "sslmode"},
	} {
		a, err := pgstore.ParseAddress(tt.address)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("ParseAddress(%q): error %v, want one with %q and without the password", tt.address, err, tt.err)
			}
		case err != nil:
			t.Errorf("ParseAddress(%q): %v", tt.address, err)
		case a.String() != tt.shown || a.SSLMode() != tt.tls:
			t.Errorf("ParseAddress(%q)\n got %q, TLS %s\nwant %q, TLS %s", tt.address, a, a.SSLMode(), tt.shown, tt.tls)
		}
	}
}

// Two servers whose sockets lie in one folder are two: what is trusted at one is not trusted at the other.
func TestServersOfOneFolder(t *testing.T) {
	t.Setenv("PGPORT", "")
	of := map[string]string{}
	for _, q := range []string{"", "&port=5433", "&port=5434", "&vault=x", "&schema=x"} {
		a, err := pgstore.ParseAddress("postgres://ann@/plans?host=/run/pg" + q)
		if err != nil {
			t.Fatal(err)
		}
		if other, is := of[a.Identity()]; is {
			t.Errorf("the identity of %q is that of %q", q, other)
		}
		of[a.Identity()] = q
		again, err := pgstore.ParseAddress(a.String())
		if err != nil || again.Identity() != a.Identity() {
			t.Errorf("%s, which messages show, is another server: %v", a, err)
		}
	}
}
