package source

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// CVE 23 and X5: addresses to which a name may not lead, with what they are; the last ones are open to methods that allow private
// addresses, and the public ones to all.
func TestAddresses(t *testing.T) {
	t.Parallel()
	strict, private := guardOf(false), guardOf(true)
	for _, c := range []struct {
		ip              string
		strict, private bool // let through
	}{
		{"0.0.0.0", false, false},                              // this host
		{"0.1.2.3", false, false},                              // this network
		{"169.254.169.254", false, false},                      // metadata of most clouds
		{"169.254.170.2", false, false},                        // of containers
		{"169.254.1.1", false, false},                          // link-local
		{"100.100.100.200", false, false},                      // metadata, in a shared network
		{"192.0.0.192", false, false},                          // metadata
		{"168.63.129.16", false, false},                        // a cloud's own services, behind a public address
		{"fd00:ec2::254", false, false},                        // metadata
		{"192.0.0.8", false, false},                            // protocol assignments
		{"192.0.2.1", false, false},                            // documentation
		{"192.88.99.1", false, false},                          // 6to4 relay
		{"198.18.0.1", false, false},                           // benchmarks
		{"198.51.100.1", false, false},                         // documentation
		{"203.0.113.1", false, false},                          // documentation
		{"224.0.0.1", false, false},                            // multicast
		{"240.0.0.1", false, false},                            // reserved
		{"255.255.255.255", false, false},                      // broadcast
		{"::", false, false},                                   // this host
		{"::ffff:169.254.169.254", false, false},               // mapped
		{"::ffff:127.0.0.1", false, false},                     // mapped
		{"::127.0.0.1", false, false},                          // compatible
		{"64:ff9b::7f00:1", false, false},                      // NAT64
		{"64:ff9b:1::a00:1", false, false},                     // NAT64 of a network of its own
		{"2002:7f00:1::", false, false},                        // 6to4
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", false, false}, // Teredo
		{"2001:db8::1", false, false},                          // documentation
		{"3fff::1", false, false},                              // documentation
		{"fec0::1", false, false},                              // site-local
		{"fe80::1", false, false},                              // link-local
		{"fe80::1%eth0", false, false},
		{"fd00:ec2::254%eth0", false, false},
		{"ff02::1", false, false}, // multicast
		{"100::1", false, false},  // discard
		{"5f00::1", false, false}, // segment routing
		{"127.0.0.1", false, true},
		{"127.8.9.10", false, true},
		{"10.0.0.1", false, true},
		{"172.16.0.1", false, true},
		{"172.31.255.255", false, true},
		{"192.168.1.1", false, true},
		{"100.64.0.1", false, true},
		{"::1", false, true},
		{"fd12:3456::1", false, true},
		{"fc00::1", false, true},
		{"8.8.8.8", true, true},
		{"172.32.0.1", true, true},
		{"192.169.0.1", true, true},
		{"2606:4700::1111", true, true},
		{"2a00:1450:4001::1", true, true},
	} {
		ip := netip.MustParseAddr(c.ip)
		if got := strict(ip) == nil; got != c.strict {
			t.Errorf("%s: let through: %v", c.ip, got)
		}
		if got := private(ip) == nil; got != c.private {
			t.Errorf("%s with allow_private: let through: %v", c.ip, got)
		}
	}
}

// nameServer is a resolver that answers each question about a name with the next of its addresses.
type nameServer struct {
	net.PacketConn
	mu        sync.Mutex
	addresses map[string][]string // by name
	asked     int
}

func namesOf(t *testing.T, addresses map[string][]string) (*nameServer, *net.Resolver) {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{PacketConn: c, addresses: addresses}
	var done sync.WaitGroup
	done.Go(s.serve)
	t.Cleanup(func() { c.Close(); done.Wait() })
	return s, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

func (s *nameServer) serve() {
	question := make([]byte, 512)
	for {
		n, from, err := s.ReadFrom(question)
		if err != nil {
			return
		}
		if answer := s.answer(question[:n]); answer != nil {
			_, _ = s.WriteTo(answer, from)
		}
	}
}

// answer writes one address for a question of type A, and none for others.
func (s *nameServer) answer(q []byte) []byte {
	var labels []string
	at := 12
	for at < len(q) && q[at] != 0 {
		labels = append(labels, string(q[at+1:at+1+int(q[at])]))
		at += 1 + int(q[at])
	}
	end := at + 5
	a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.addresses[strings.Join(labels, ".")]
	switch {
	case left == nil:
		a[3] = 0x83 // no such name
	case binary.BigEndian.Uint16(q[at+1:]) == 1 && len(left) > 0:
		a[7] = 1
		ip := netip.MustParseAddr(left[0]).As4()
		a = append(append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), ip[:]...)
		if s.asked++; len(left) > 1 {
			s.addresses[strings.Join(labels, ".")] = left[1:]
		}
	}
	return a
}

// named is a machine that knows names of its own. Addresses of 127.0.0.0/8 but one count as public.
func named(t *testing.T, addresses map[string][]string) (host, *nameServer) {
	t.Helper()
	s, resolver := namesOf(t, addresses)
	h := machine(t, nil)
	but := func(g guard) guard {
		return func(ip netip.Addr) error {
			if ip.IsLoopback() && ip != netip.MustParseAddr("127.0.0.1") {
				return nil
			}
			return g(ip)
		}
	}
	h.web = newWeb(resolver, nil, but(guardOf(false)), but(guardOf(true)))
	t.Cleanup(h.web.close)
	return h, s
}

// X5, CVE 22: a name leads where it may, whatever it meant before: the address that the connection is made to is the one that is
// looked at.
func TestNamesThatChange(t *testing.T) {
	t.Parallel()
	private := serve(t, "127.0.0.1:0", says(fine))
	_, port, err := net.SplitHostPort(private.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	public := serve(t, "127.0.0.2:"+port, says("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\npublic"))
	h, names := named(t, map[string][]string{
		"rebind.test": {"127.0.0.2", "127.0.0.1", "127.0.0.2", "169.254.169.254", "127.0.0.1"},
		"inside.test": {"127.0.0.1"}, "cloud.test": {"169.254.169.254"}, "localhost.evil.test": {"127.0.0.1"},
	})
	const refused = "the name leads to a private or special address, and this method may not go there"
	for _, effect := range []string{"read", "write"} {
		names.mu.Lock()
		names.addresses["rebind.test"] = []string{"127.0.0.2", "127.0.0.1", "127.0.0.2", "169.254.169.254", "127.0.0.1"}
		names.mu.Unlock()
		m := prepared(t, h, "rebind.test:"+port, "effect: "+effect+"\nhttp: {url: \"http://HOST/\"}")
		for i, want := range []string{"done: public", refused, "done: public", refused, refused} {
			state, text := called(t, m, `{}`)
			if got := string(state) + ": " + text; got != want && (state != registry.NotRun || !strings.HasSuffix(got, want)) {
				t.Errorf("%s, call %d: %s, want %s", effect, i+1, got, want)
			}
		}
	}
	for name, want := range map[string]string{"inside.test": refused, "cloud.test": refused, "localhost.evil.test": refused, "none.test": "the name can't be resolved"} {
		m := prepared(t, h, name+":"+port, "effect: write\nhttp: {url: \"http://HOST/\"}")
		if state, text := called(t, m, `{}`); state != registry.NotRun || !strings.HasSuffix(text, name+":"+port+": "+want) {
			t.Errorf("%s: %s: %s", name, state, text)
		}
	}
	if _, conns := private.seen(); conns > 0 {
		t.Errorf("%d connections to the private address", conns)
	}
	if requests, _ := public.seen(); len(requests) != 4 {
		t.Errorf("%d requests to the public address, want 4", len(requests))
	}
	// allow_private opens the one, and keeps the clouds' own addresses closed. What it connected is not used by others.
	open := prepared(t, h, "inside.test:"+port, "effect: read\nhttp: {url: \"http://HOST/\", allow_private: true}")
	if state, text := called(t, open, `{}`); state != registry.Done || text != "fine" {
		t.Errorf("%s: %s", state, text)
	}
	closed := prepared(t, h, "inside.test:"+port, "effect: read\nhttp: {url: \"http://HOST/\"}")
	if state, text := called(t, closed, `{}`); state != registry.NotRun {
		t.Errorf("a connection of another method was used: %s: %s", state, text)
	}
	cloud := prepared(t, h, "cloud.test:"+port, "effect: read\nhttp: {url: \"http://HOST/\", allow_private: true}")
	if state, text := called(t, cloud, `{}`); state != registry.NotRun || !strings.HasSuffix(text, refused) {
		t.Errorf("%s: %s", state, text)
	}
}

// An address that the file writes is meant, and so is localhost; both lead nowhere else.
func TestWrittenAddresses(t *testing.T) {
	t.Parallel()
	d := dialer{guard: guardOf(false)}
	for _, c := range []struct {
		host, actual string
		want         bool
	}{
		{"127.0.0.1", "127.0.0.1", true}, {"127.0.0.1", "127.0.0.2", false}, {"10.1.2.3", "10.1.2.3", true}, {"10.1.2.3", "8.8.8.8", false},
		{"169.254.169.254", "169.254.169.254", true}, {"::1", "::1", true}, {"::1", "127.0.0.1", false}, {"::ffff:10.0.0.1", "10.0.0.1", true},
		{"localhost", "127.0.0.1", true}, {"LOCALHOST", "::1", true}, {"localhost", "10.0.0.1", false}, {"localhost", "8.8.8.8", false},
		{"localhost.example", "127.0.0.1", false}, {"127.0.0.1.example", "127.0.0.1", false}, {"api.example", "8.8.8.8", true},
	} {
		if got := d.allowed(c.host)(netip.MustParseAddr(c.actual)) == nil; got != c.want {
			t.Errorf("%s leads to %s: %v", c.host, c.actual, got)
		}
	}
	s := serve(t, "127.0.0.1:0", says(fine))
	_, port, _ := net.SplitHostPort(s.Addr().String())
	if six, err := net.Listen("tcp", "[::1]:0"); err == nil { // not every machine has it
		six.Close()
		s := serve(t, "[::1]:0", says(fine))
		m := prepared(t, online(t, nil), s.Addr().String(), "effect: read\nhttp: {url: \"http://HOST/\"}")
		if state, text := called(t, m, `{}`); state != registry.Done {
			t.Errorf("%s: %s", state, text)
		}
	}
	m := prepared(t, online(t, nil), "LocalHost:"+port, "effect: read\nhttp: {url: \"http://HOST/\"}")
	if state, text := called(t, m, `{}`); state != registry.Done {
		t.Errorf("%s: %s", state, text)
	}
}

// The environment names a proxy, and nothing goes there.
func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	proxy := serve(t, "127.0.0.1:0", says(fine))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://"+proxy.Addr().String())
	}
	s := serve(t, "127.0.0.2:0", says(fine))
	_, port, _ := net.SplitHostPort(s.Addr().String())
	h, _ := named(t, map[string][]string{"api.test": {"127.0.0.2"}})
	for _, effect := range []string{"read", "write"} {
		m := prepared(t, h, "api.test:"+port, "effect: "+effect+"\nhttp: {url: \"http://HOST/x\"}")
		if state, text := called(t, m, `{}`); state != registry.Done {
			t.Errorf("%s: %s", state, text)
		}
	}
	if _, conns := proxy.seen(); conns > 0 {
		t.Errorf("%d connections to the proxy", conns)
	}
	if requests, _ := s.seen(); len(requests) != 2 || !strings.HasPrefix(requests[0], "GET /x HTTP/1.1\r\n") {
		t.Errorf("got %q", requests)
	}
}

// A server that closes a connection on which it has read a request never sees that request again, unless the method
// reads; then nobody notices.
func TestNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		again      bool
	}{
		{"POST", "effect: write\nhttp: {method: POST, url: \"http://HOST/\", body: {a: 1}}", false},
		{"POST with a key", "effect: write\nhttp: {method: POST, url: \"http://HOST/\", body: {a: 1}, headers: {Idempotency-Key: k}}", false},
		{"POST without a body", "effect: write\nhttp: {method: POST, url: \"http://HOST/\"}", false},
		{"DELETE", "effect: destructive\nhttp: {method: DELETE, url: \"http://HOST/\"}", false},
		{"GET that changes something", "effect: write\nhttp: {url: \"http://HOST/\"}", false},
		{"GET", "effect: read\nhttp: {url: \"http://HOST/\"}", true},
		{"POST that reads", "effect: read\nhttp: {method: POST, url: \"http://HOST/\", body: {a: 1}}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// The first answer invites to keep the connection; the second request on it is read, and the connection closed.
			s := serve(t, "127.0.0.1:0", func(conn net.Conn, _ string, number int) bool {
				return number != 2 && says(fine)(conn, "", 0)
			})
			m := prepared(t, online(t, nil), s.Addr().String(), c.file)
			if state, text := called(t, m, `{}`); state != registry.Done {
				t.Fatalf("%s: %s", state, text)
			}
			state, text := called(t, m, `{}`)
			requests, conns := s.seen()
			if c.again {
				if state != registry.Done || len(requests) != 3 || conns != 2 || strings.Contains(requests[2], "Idempotency-Key") {
					t.Errorf("%s: %s; %d requests on %d connections", state, text, len(requests), conns)
				}
				return
			}
			if state != registry.Unknown || len(requests) != 2 || conns != 2 {
				t.Errorf("%s: %s; %d requests on %d connections", state, text, len(requests), conns)
			}
		})
	}
}

// However many calls there are at once, one host has at most so many connections; the other calls wait.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, effect := range []string{"read", "write"} {
		t.Run(effect, func(t *testing.T) {
			t.Parallel()
			full := make(chan struct{}) // closed when as many requests have come as there may be at once
			s := serve(t, "127.0.0.1:0", func(c net.Conn, _ string, number int) bool {
				if number == maxConnections {
					close(full)
				}
				<-full
				return says(fine)(c, "", 0)
			})
			m := prepared(t, online(t, nil), s.Addr().String(), "effect: "+effect+"\nhttp: {url: \"http://HOST/\"}")
			var calls sync.WaitGroup
			for range 2 * maxConnections {
				calls.Go(func() {
					if state, text := called(t, m, `{}`); state != registry.Done {
						t.Errorf("%s: %s", state, text)
					}
				})
			}
			<-full
			if requests, conns := s.seen(); conns > maxConnections {
				t.Errorf("%d connections at once for %d requests", conns, len(requests))
			}
			calls.Wait()
			if requests, _ := s.seen(); len(requests) != 2*maxConnections {
				t.Errorf("%d requests", len(requests))
			}
		})
	}
}

// Calls that read share connections.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", says(fine))
	h := online(t, nil)
	for i := range 20 {
		m := prepared(t, h, s.Addr().String(), fmt.Sprintf("effect: read\nhttp: {url: \"http://HOST/%d\"}", i))
		if state, text := called(t, m, `{}`); state != registry.Done {
			t.Fatalf("%s: %s", state, text)
		}
	}
	if requests, conns := s.seen(); len(requests) != 20 || conns != 1 {
		t.Errorf("%d requests on %d connections", len(requests), conns)
	}
}

// All methods of a process use the same connections, over all reloads.
func TestSharedWeb(t *testing.T) {
	t.Parallel()
	if first, second := sharedWeb(), sharedWeb(); first != second || first.strict.kept == first.private.kept {
		t.Error("each look makes other connections, or both kinds share them")
	}
}
