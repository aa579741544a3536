package source

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/mcp-decide/mcp-decide/registry"
)

// fault says why there is no answer, in words of our own: what the client of the standard library says may hold the
// address with its values, or a piece of what a stranger sent.
func fault(ctx context.Context, err error, connected bool) error {
	if cause := context.Cause(ctx); cause != nil {
		return why(cause)
	}
	if connected {
		return errors.New(lost(err))
	}
	var certificate *tls.CertificateVerificationError
	var noName *net.DNSError
	var timeout net.Error
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, errPrivate):
		return errors.New("the name leads to a private or special address, and this method may not go there")
	case errors.As(err, &noName) && noName.IsTimeout:
		return &halt{"the name could not be looked up in time", registry.ErrTimeout}
	case errors.As(err, &noName):
		return errors.New("the name can't be resolved")
	case errors.As(err, &certificate):
		return errors.New(untrusted(certificate.Err))
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return errors.New("it does not speak TLS; the address says https")
	case errors.As(err, &alert):
		return errors.New("it refused the TLS connection")
	case errors.As(err, &timeout) && timeout.Timeout():
		return &halt{"no connection in time", registry.ErrTimeout}
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the connection was refused")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return errors.New("it can't be reached from here")
	}
	return errors.New("the connection could not be made")
}

func untrusted(err error) string {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired, or is not valid yet"
	case errors.As(err, &name):
		return "its certificate is for another name"
	case errors.As(err, &authority):
		return "its certificate is signed by nobody who is trusted here"
	}
	return "its certificate is not valid"
}

// lost says what became of a request that may have been sent.
func lost(err error) string {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was lost before an answer came"
	}
	return "the answer can't be read: it is no HTTP, its headers are too large, or the connection was lost"
}
