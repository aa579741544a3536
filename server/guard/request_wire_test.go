package guard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows K1, K3 and S4 as they come over the wire: requests that two readers could read as for two hosts, or as two
// requests. None of the refused reaches a handler, and what stands behind one is never run with its rights.
func TestRequestsOnTheWire(t *testing.T) {
	t.Parallel()
	auth := "Authorization: Bearer " + deskSecret + "\r\n"
	passed := []string{"GET /x "}
	for _, tc := range []struct {
		name, sent string
		want       []int
		reads      []string
	}{
		{"plain", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},
		{"HTTP/1.0", "GET /x HTTP/1.0\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},
		{"half-close", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},
		{"absolute target, same host", "GET http://localhost/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},

		{"K1 half-close at once", "", nil, nil},
		{"K1 half-close in the header", "GET /x HTTP/1.1\r\nHo", []int{400}, nil},
		{"K1 half-close before the header ends", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth, []int{400}, nil},
		{"K3 no host", "GET /x HTTP/1.1\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 no host in HTTP/1.0", "GET /x HTTP/1.0\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 an empty host", "GET /x HTTP/1.1\r\nHost:\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 S4 another host", "GET /x HTTP/1.1\r\nHost: evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 two hosts", "GET /x HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 one host twice", "GET /x HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 two hosts in one", "GET /x HTTP/1.1\r\nHost: localhost,evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 absolute target, another host", "GET http://evil.example/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 absolute target with a user", "GET http://evil.example@localhost/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 absolute target with a user and a port", "GET http://localhost:80@evil.example/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 a host over two lines", "GET /x HTTP/1.1\r\nHost: localhost\r\n evil.example\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 a host only in the next line", "GET /x HTTP/1.1\r\nHost:\r\n evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 a blank before the colon", "GET /x HTTP/1.1\r\nHost : localhost\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 a header before its name", "GET /x HTTP/1.1\r\n Host: localhost\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 CR in a header", "GET /x HTTP/1.1\r\nHost: localhost\rX: y\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 NUL in a header", "GET /x HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 CR LF in a token ends it", "GET /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\nGET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{401}, nil},
		{"K3 a token over two lines", "GET /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer\r\n " + deskSecret[:8] + "\r\n " + deskSecret[8:] + "\r\n\r\n", []int{401}, nil},
		{"K3 two tokens", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "Authorization: Bearer x\r\n\r\n", []int{401}, nil},
		{"CVE 7 OPTIONS for the whole server", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{401}, nil},
		{"CVE 7 OPTIONS for the whole server, another host", "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"CONNECT", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n" + auth + "\r\n", []int{404}, nil},
		{"CONNECT elsewhere", "CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n" + auth + "\r\n", []int{403}, nil},
		{"HTTP/0.9", "GET /x\r\n\r\n", []int{400}, nil},
		{"HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{403}, nil},
		{"64 KiB of header and more", "GET /x HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", maxHeader+8<<10) + "\r\n\r\n", []int{431}, nil},
		{"no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			handler := &bodies{}
			g := newGuard(t, Options{})
			g.Handle("/x", handler)
			got := converse(t, startTCP(t, g, ServerOptions{}), tc.sent)
			if diff := cmp.Diff(tc.want, got.statuses); diff != "" {
				t.Errorf("statuses (-want +got):\n%s%q", diff, got.bodies)
			}
			if diff := cmp.Diff(tc.reads, handler.all()); diff != "" {
				t.Errorf("the handler read (-want +got):\n%s", diff)
			}
		})
	}
}
