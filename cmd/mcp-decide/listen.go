package main

import (
	"context"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/config"
)

// usualAddress is where serve --http is told to listen when somebody asks what to write.
const usualAddress = "127.0.0.1:8787"

// listening is what the command line says about serving over HTTP.
type listening struct {
	text            string       // as given
	addr            *net.TCPAddr // what it comes to
	cert, key       string       // files; "" = no TLS
	unauthenticated bool
}

// listening is nil when serve speaks on standard input and output.
func (a *app) listening(cmd *cobra.Command) (*listening, error) {
	flags := cmd.Flags()
	l := listening{text: httpOption.value(a, ""), cert: tlsCertOption.value(a, ""), key: tlsKeyOption.value(a, ""), unauthenticated: a.unauthenticated}
	if flags.Changed("http") && a.http == "" {
		return nil, usage("--http is empty; name an address, like %s, or leave it out", usualAddress)
	}
	if l.text == "" {
		for _, name := range []string{"tls-cert", "tls-key", "allow-unauthenticated"} {
			if flags.Changed(name) {
				return nil, usage("--%s is for serving over HTTP; add --http %s, or leave it out", name, usualAddress)
			}
		}
		return nil, nil
	}
	switch {
	case l.cert != "" && l.key == "":
		return nil, usage("--tls-cert needs its key: add --tls-key FILE")
	case l.cert == "" && l.key != "":
		return nil, usage("--tls-key needs its certificate: add --tls-cert FILE")
	}
	var err error
	l.addr, err = address(cmd.Context(), l.text)
	return &l, err
}

// address reads host:port. A name is looked up once, here, so that what is checked is what is bound.
func address(ctx context.Context, text string) (*net.TCPAddr, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil || port == "" || strings.Contains(text, "/") {
		return nil, usage("--http is %q; write an address and a port, like %s", text, usualAddress)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, usage("--http is %q: %q is no port; write a number up to 65535, or 0 for any that is free", text, port)
	}
	addr := &net.TCPAddr{Port: int(number)}
	if host == "" {
		return addr, nil
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil || len(ips) == 0 {
		return nil, usage("--http is %q: no address of this machine is called %q; write one, like %s", text, host, usualAddress)
	}
	best := ips[0]
	for _, ip := range ips {
		if ip.IP.To4() != nil {
			best = ip // what localhost stands for with most clients
			break
		}
	}
	addr.IP, addr.Zone = best.IP, best.Zone
	return addr, nil
}

// check refuses what would open the server further than the configuration says.
func (l *listening) check(f *config.File) error {
	reachable := !l.addr.IP.IsLoopback()
	switch {
	case reachable && l.unauthenticated:
		return usage("--allow-unauthenticated lets everybody in, and --http %s can be reached from other machines; listen on %s, or leave the flag out",
			l.text, net.JoinHostPort("127.0.0.1", strconv.Itoa(l.addr.Port)))
	case reachable && len(f.HTTP.AllowedHosts) == 0:
		return usage("--http %s can be reached from other machines, and the configuration does not say under which names; write them into it, like http: {allowed_hosts: [desk.example]}, or listen on %s",
			l.text, net.JoinHostPort("127.0.0.1", strconv.Itoa(l.addr.Port)))
	case l.unauthenticated && f.Access != nil:
		return usage("--allow-unauthenticated lets everybody in, and access: in the configuration says who may; leave out one of them")
	case f.Access != nil && len(f.Access) == 0:
		return usage("access: in the configuration is empty, so nobody could connect; name somebody, like access: {desk: {token: env:DESK_TOKEN}}, or leave the key out for one random token")
	}
	return nil
}

// doubts says what is allowed and probably not meant.
func (l *listening) doubts(ctx context.Context, log *slog.Logger) {
	if !l.addr.IP.IsLoopback() && l.cert == "" {
		log.WarnContext(ctx, "tokens and results travel unencrypted to other machines; give --tls-cert and --tls-key, or let a proxy on this machine do it", "address", l.text)
	}
	if info, err := os.Stat(l.key); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0 {
		log.WarnContext(ctx, "every user of this machine can read the key of the certificate; run chmod 600 on it", "file", l.key)
	}
}

// url is where a client finds the server. Bound to every address, it goes by the first name that it answers to.
func (l *listening) url(at net.Addr, hosts []string) string {
	host := at.String()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() && len(hosts) > 0 {
		if host = hosts[0]; portOf(host) == "" {
			host += ":" + strconv.Itoa(tcp.Port)
		}
	}
	scheme := "http"
	if l.cert != "" {
		scheme = "https"
	}
	return scheme + "://" + host
}

// portOf is the port of name:port.
func portOf(host string) string {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return ""
	}
	return port
}
