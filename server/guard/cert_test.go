package guard

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certPair is a certificate for localhost that nobody else knows.
type certPair struct {
	cert, key string // files
	roots     *x509.CertPool
}

func makeCert(t *testing.T) certPair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Unix(0, 0),
		NotAfter:     time.Unix(1<<33, 0),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pair := certPair{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()}
	for name, block := range map[string]*pem.Block{pair.cert: {Type: "CERTIFICATE", Bytes: cert}, pair.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	pair.roots.AddCert(parsed)
	return pair
}

// client trusts the certificate, speaks proto, and dials l if there is one.
func (p certPair) client(l *pipes, proto string) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: p.roots}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(proto == "HTTP/1.1")
	transport.Protocols.SetHTTP2(proto == "HTTP/2.0")
	if l != nil {
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			l.conns <- theirs
			return ours, nil
		}
	}
	return &http.Client{Transport: transport}
}
