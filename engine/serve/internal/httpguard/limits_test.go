package httpguard

import (
	"net/http"
	"testing"
	"time"
)

// A failed login counts for the address of the client. Behind a proxy it is the one that the proxy adds to
// X-Forwarded-For. The header of anybody else counts for nothing.
func TestWhoseLoginFailed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		proxied bool
		from    string
		header  []string
		want    string
	}{
		{"no proxy", false, "192.0.2.7:4711", nil, "192.0.2.7"},
		{"a client that claims to be another one", false, "192.0.2.7:4711", []string{"203.0.113.9"}, "192.0.2.7"},
		{"a program of this machine that claims it", false, "127.0.0.1:4711", []string{"203.0.113.9"}, "127.0.0.1"},
		{"a proxy", true, "127.0.0.1:4711", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a proxy on IPv6", true, "[::1]:4711", []string{"2001:db8::1"}, "2001:db8::1"},
		{"a client of the proxy that claims to be another one", true, "127.0.0.1:4711", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9"},
		{"the same in two headers", true, "127.0.0.1:4711", []string{"198.51.100.1", "203.0.113.9"}, "203.0.113.9"},
		{"one that goes around the proxy", true, "192.0.2.7:4711", []string{"203.0.113.9"}, "192.0.2.7"},
		{"no address in the header", true, "127.0.0.1:4711", []string{"203.0.113.9, evil\x00"}, "127.0.0.1"},
		{"an empty header", true, "127.0.0.1:4711", []string{""}, "127.0.0.1"},
		{"a proxy that adds nothing", true, "127.0.0.1:4711", nil, "127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			done := make(chan time.Time)
			close(done)
			l := &Limits{Proxied: tt.proxied, After: func(time.Duration) <-chan time.Time { return done }}
			r := &http.Request{RemoteAddr: tt.from, Header: http.Header{}}
			if tt.header != nil {
				r.Header["X-Forwarded-For"] = tt.header
			}
			if l.Failed(t.Context(), r); l.Failures(tt.want) != 1 {
				t.Errorf("it counts for %v, want %s", l.failed, tt.want)
			}
		})
	}
}
