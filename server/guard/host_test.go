package guard

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var hostCases = []struct {
	in         string
	name, port string // both "" = refused
}{
	{"localhost", "localhost", ""},
	{"LocalHost:8787", "localhost", "8787"},
	{"localhost.", "localhost", ""},
	{"localhost.:80", "localhost", "80"},
	{"127.0.0.1.:80", "127.0.0.1", "80"},
	{"[::1]", "[::1]", ""},
	{"[0:0:0:0:0:0:0:1]:8787", "[::1]", "8787"},
	{"[2001:DB8::A]:1", "[2001:db8::a]", "1"},
	{"[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]", ""},
	{"4f5a6b7c8d9e:8787", "4f5a6b7c8d9e", "8787"},
	{"a_b-c.example", "a_b-c.example", ""},
	{"xn--mller-kva.example", "xn--mller-kva.example", ""},
	{strings.Repeat("a", 253), strings.Repeat("a", 253), ""},
	{strings.Repeat("a", 254), "", ""},
	{"", "", ""},
	{".", "", ""},
	{"..", "", ""},
	{"localhost..", "", ""},
	{".localhost", "", ""},
	{"localhost:", "", ""},
	{"localhost:0", "", ""},
	{"localhost:080", "", ""},
	{"localhost:65535", "localhost", "65535"},
	{"localhost:65536", "", ""},
	{"localhost:99999999999999999999", "", ""},
	{"localhost:80:80", "", ""},
	{"localhost:+80", "", ""},
	{"localhost:８０", "", ""},
	{"user@localhost", "", ""},
	{"localhost@evil.example", "", ""},
	{"localhost/", "", ""},
	{"localhost\\evil.example", "", ""},
	{"localhost,evil.example", "", ""},
	{"localhost evil.example", "", ""},
	{" localhost", "", ""},
	{"local%68ost", "", ""},
	{"localhost\x00", "", ""},
	{"localhost\r\n", "", ""},
	{"loc\u212Aalhost", "", ""},
	{"127.1", "", ""},
	{"2130706433", "", ""},
	{"0x7f.0.0.1", "", ""},
	{"0x7f.example", "0x7f.example", ""},
	{"0x7f000001", "", ""},
	{"127.0.0.01", "", ""},
	{"127.0.0.256", "", ""},
	{"127.0.0.0x1", "", ""},
	{"[::1%25lo]", "", ""},
	{"[::1%lo]:80", "", ""},
	{"[::1", "", ""},
	{"[::1]80", "", ""},
	{"[::1]:", "", ""},
	{"[]", "", ""},
	{"[127.0.0.1]", "", ""},
	{"[localhost]", "", ""},
	{"::1", "", ""},
	{"[::1]]", "", ""},
}

func TestParseHost(t *testing.T) {
	t.Parallel()
	for _, tc := range hostCases {
		got, ok := parseHost(tc.in)
		if want := (host{tc.name, tc.port}); got != want || ok != (tc.name != "") {
			t.Errorf("parseHost(%q) = %v, %v; want %v", tc.in, got, ok, want)
		}
	}
}

func TestLoopbackNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"localhost": true, "localhost.:1": true, "127.0.0.1": true, "127.255.1.2": true, "[::1]": true, "[0::1]:5": true,
		"128.0.0.1": false, "127.evil.example": false, "127.0.0.1.evil.example": false, "localhost.example": false, "a.localhost": false,
		"[::]": false, "0.0.0.0": false, "[::ffff:127.0.0.1]": false, "[fe80::1]": false, "0x7f.0.0.1": false,
	} {
		h, _ := parseHost(in)
		if got := h.loopback(); got != want {
			t.Errorf("%s: loopback %v, want %v", in, got, want)
		}
	}
}

// FuzzHost holds parseHost against a slow reading of the same rules, and against the standard library: what it takes,
// net/url takes for the same host.
func FuzzHost(f *testing.F) {
	for _, tc := range hostCases {
		f.Add(tc.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := parseHost(s)
		want, wantOK := slowHost(s)
		if got != want || ok != wantOK {
			t.Fatalf("parseHost(%q) = %v, %v; slowly read it is %v, %v", s, got, ok, want, wantOK)
		}
		if !ok {
			return
		}
		written := got.name
		if got.port != "" {
			written += ":" + got.port
		}
		if again, ok := parseHost(written); again != got || !ok {
			t.Errorf("%q is read as %v, and %q as %v", s, got, written, again)
		}
		u, err := url.Parse("http://" + s + "/")
		if err != nil || u.User != nil || u.Port() != got.port || !strings.EqualFold(strings.TrimSuffix(u.Host, ":"+got.port), strings.TrimSuffix(s, ":"+got.port)) {
			t.Errorf("net/url reads %q as %v, %v", s, u, err)
		}
	})
}

var (
	slowIPv6   = regexp.MustCompile(`^\[([0-9A-Fa-f:.]+)\](?::([1-9][0-9]{0,4}))?$`)
	slowName   = regexp.MustCompile(`^([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\.?(?::([1-9][0-9]{0,4}))?$`)
	slowNumber = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)
)

func slowHost(s string) (host, bool) {
	portOK := func(p string) bool { n, err := strconv.Atoi(p); return p == "" || err == nil && n < 1<<16 }
	if m := slowIPv6.FindStringSubmatch(s); m != nil {
		addr, err := netip.ParseAddr(m[1])
		if err != nil || !addr.Is6() || !portOK(m[2]) {
			return host{}, false
		}
		return host{"[" + addr.String() + "]", m[2]}, true
	}
	m := slowName.FindStringSubmatch(s)
	if m == nil || len(m[1]) > 253 || !portOK(m[2]) {
		return host{}, false
	}
	name := strings.ToLower(m[1])
	if slowNumber.MatchString(name) {
		if addr, err := netip.ParseAddr(name); err != nil || !addr.Is4() {
			return host{}, false
		}
	}
	return host{name, m[2]}, true
}
