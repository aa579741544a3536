package source

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Limits of connections. A call's own deadline ends all of them earlier.
const (
	maxConnect     = 10 * time.Second // for the connection, and again for TLS
	maxWait        = 10 * time.Minute // for the first line of an answer: the longest that a call may take
	maxAnswerHead  = 64 << 10         // bytes of an answer's headers
	maxConnections = 64               // to one host at once; a call that finds no place waits
	keptIdle       = 8                // connections that are kept open to one host
	idleFor        = 60 * time.Second
)

// web makes the connections of all methods. Calls that read share connections that are kept open; each other call has
// one of its own, on which nothing can be sent twice.
type web struct {
	strict, private transports
}

type transports struct{ kept, fresh *http.Transport }

// sharedWeb is the one of this process, so that connections outlive a reload of the file. It keeps nothing of a
// request: no cookies, no credentials.
var sharedWeb = sync.OnceValue(func() *web { return newWeb(nil, nil, guardOf(false), guardOf(true)) })

// guard says what is wrong with connecting to an address; nil when nothing is.
type guard func(netip.Addr) error

// newWeb makes connections with the system's resolver and roots unless others are given. A host's name may lead
// where strict lets it, or private for methods that allow private addresses.
func newWeb(resolver *net.Resolver, secure *tls.Config, strict, private guard) *web {
	pair := func(g guard) transports {
		d := dialer{resolver: resolver, guard: g}
		return transports{kept: newTransport(d, secure, true), fresh: newTransport(d, secure, false)}
	}
	return &web{strict: pair(strict), private: pair(private)}
}

func newTransport(d dialer, secure *tls.Config, keep bool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(keep)
	return &http.Transport{
		Proxy:                  nil, // whatever the environment says
		DialContext:            d.dial,
		TLSClientConfig:        secure.Clone(),
		TLSHandshakeTimeout:    maxConnect,
		DisableKeepAlives:      !keep,
		MaxIdleConnsPerHost:    keptIdle,
		MaxConnsPerHost:        maxConnections,
		IdleConnTimeout:        idleFor,
		ResponseHeaderTimeout:  maxWait,
		MaxResponseHeaderBytes: maxAnswerHead,
		Protocols:              protocols,
	}
}

// transport is the one for a method. The two kinds of guard never share a connection.
func (w *web) transport(private, reads bool) http.RoundTripper {
	pair := w.strict
	if private {
		pair = w.private
	}
	if reads {
		return pair.kept
	}
	return pair.fresh
}

// close ends the connections that wait for another request.
func (w *web) close() {
	for _, pair := range []transports{w.strict, w.private} {
		pair.kept.CloseIdleConnections()
		pair.fresh.CloseIdleConnections()
	}
}

// dialer connects to a host and looks at the very address that the connection is about to be made to, so that a
// name which means another address by now gains nothing.
type dialer struct {
	resolver *net.Resolver
	guard    guard
}

func (d dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	allowed := d.allowed(host)
	to := net.Dialer{Timeout: maxConnect, Resolver: d.resolver, Control: func(_, address string, _ syscall.RawConn) error {
		actual, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s", errPrivate, address)
		}
		return allowed(actual.Addr())
	}}
	return to.DialContext(ctx, network, address)
}

// errPrivate is why a connection is not made.
var errPrivate = errors.New("an address of a private or special network")

// allowed is the rule for a host. The file alone names hosts: an address that it writes is meant, and so is localhost;
// a name leads where others say.
func (d dialer) allowed(host string) guard {
	if literal, err := netip.ParseAddr(host); err == nil {
		return func(actual netip.Addr) error {
			if actual.Unmap() != literal.Unmap() {
				return errPrivate
			}
			return nil
		}
	}
	if strings.EqualFold(host, "localhost") {
		return func(actual netip.Addr) error {
			if !actual.Unmap().IsLoopback() {
				return errPrivate
			}
			return nil
		}
	}
	return d.guard
}

// never are addresses to which no name may lead, not even with allow_private: there, clouds hand credentials to
// whoever asks. Some of them are in private networks, and one in a public one.
var never = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("192.0.0.192/32"),
}

// guardOf is the rule for names: no private or special address, or private ones too.
func guardOf(private bool) guard {
	options := []ssrf.Option{ssrf.WithAnyPort()}
	if private {
		options = append(options,
			ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
				netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10")),
			ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("::1/128")))
	}
	rule := ssrf.New(options...)
	return func(ip netip.Addr) error {
		for _, p := range never {
			if p.Contains(ip.Unmap().WithZone("")) {
				return errPrivate
			}
		}
		if rule.SafeAddr(ip) != nil {
			return errPrivate
		}
		return nil
	}
}
