package app

import "testing"

// A server for several people has a name that leads to it, or the address at which it listens.
func TestAServerForSeveralPeopleHasAName(t *testing.T) {
	for _, tt := range []struct {
		listen string
		hosts  []string
		want   string // "" for a refusal
	}{
		{"0.0.0.0:7433", nil, ""},
		{"[::]:7433", nil, ""},
		{"plans:7433", nil, ""},
		{"0.0.0.0:7433", []string{"plans.example"}, "https://plans.example:7433"},
		{"0.0.0.0:443", []string{"plans.example"}, "https://plans.example"},
		{"192.0.2.7:7433", nil, "https://192.0.2.7:7433"},
		{"[2001:db8::1]:7433", nil, "https://[2001:db8::1]:7433"},
	} {
		s := &httpServer{hosts: tt.hosts}
		s.listen = tt.listen
		err := s.named()
		if tt.want == "" && err == nil || tt.want != "" && (err != nil || s.public("https://"+tt.listen) != tt.want) {
			t.Errorf("--listen %s %q: %v, %q; want %q", tt.listen, tt.hosts, err, s.hosts, tt.want)
		}
	}
}
