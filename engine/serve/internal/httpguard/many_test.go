package httpguard

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// farPipe is one end of a connection in memory from an address.
type farPipe struct {
	net.Conn
	from string
}

func (c farPipe) RemoteAddr() net.Addr {
	ip, _ := netip.ParseAddrPort(c.from)
	return net.TCPAddrFromAddrPort(ip)
}

func (p *pipes) dialFrom(address string) net.Conn {
	client, server := net.Pipe()
	p.conns <- farPipe{server, address}
	return client
}

// Clients that send their headers byte by byte get no more connections than there may be, and lose them after the time
// for a header. Then others are answered.
func TestManySlowClients(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.handler = func(rw http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(rw, "hello") }
		for range maxConns {
			c := w.dial()
			go io.Copy(io.Discard, c) // a pipe keeps nothing for a client that does not read
			go func() {
				for _, b := range []byte("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") {
					if _, err := c.Write([]byte{b}); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			}()
		}
		synctest.Wait()
		if took := endOf(t, w.dial()); took != 0 {
			t.Errorf("one connection too many was closed after %v, want at once", took)
		}
		time.Sleep(headerTime + time.Second)
		c := w.dial()
		send(t, c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if res, _ := answer(t, c); res.StatusCode != http.StatusOK {
			t.Errorf("status %d", res.StatusCode)
		}
	})
}

// One address beyond this machine cannot take all connections; a proxy on this machine can.
func TestManyClientsOfOneAddress(t *testing.T) {
	for from, most := range map[string]int{"192.0.2.7:1": maxConnsFrom, "[2001:db8::7]:1": maxConnsFrom, "127.0.0.1:1": maxConns} {
		t.Run(from, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.handler = func(http.ResponseWriter, *http.Request) {}
				var open []net.Conn
				for range most {
					open = append(open, w.dialFrom(from))
				}
				if took := endOf(t, w.dialFrom(from)); took != 0 {
					t.Errorf("one connection too many was closed after %v, want at once", took)
				}
				open[0].Close()
				synctest.Wait()
				c := w.dialFrom(from)
				send(t, c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
				answer(t, c)
				for _, c := range open {
					c.Close()
				}
			})
		})
	}
}
