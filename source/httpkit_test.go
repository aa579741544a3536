package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// rawServer answers requests and keeps each as the bytes that came.
type rawServer struct {
	net.Listener
	answer func(c net.Conn, request string, number int) (keep bool)

	mu       sync.Mutex
	requests []string
	open     map[net.Conn]bool
	conns    int
	all      sync.WaitGroup
}

// serve starts a server that ends with the test.
func serve(t testing.TB, address string, answer func(c net.Conn, request string, number int) (keep bool)) *rawServer {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("no listener on %s: %v", address, err)
	}
	s := &rawServer{Listener: l, answer: answer, open: map[net.Conn]bool{}}
	s.all.Go(s.accept)
	t.Cleanup(s.stop)
	return s
}

// says is an answer that is always the same.
func says(answer string) func(net.Conn, string, int) bool {
	return func(c net.Conn, _ string, _ int) bool {
		_, err := io.WriteString(c, answer)
		return err == nil
	}
}

const fine = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nfine"

func (s *rawServer) accept() {
	for {
		c, err := s.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.open[c] = true
		s.conns++
		s.mu.Unlock()
		s.all.Go(func() { s.talk(c) })
	}
}

func (s *rawServer) talk(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		request, ok := readRaw(r)
		if !ok {
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, request)
		number := len(s.requests)
		s.mu.Unlock()
		if !s.answer(c, request, number) {
			return
		}
	}
}

// readRaw reads one request as it comes, with a body of the length that it declares.
func readRaw(r *bufio.Reader) (request string, ok bool) {
	var raw bytes.Buffer
	for !bytes.HasSuffix(raw.Bytes(), []byte("\r\n\r\n")) {
		c, err := r.ReadByte()
		if err != nil {
			return "", false
		}
		raw.WriteByte(c)
	}
	parsed, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw.Bytes())))
	if err != nil {
		return raw.String(), true
	}
	if _, err := io.CopyN(&raw, r, max(0, parsed.ContentLength)); err != nil {
		return raw.String(), false
	}
	return raw.String(), true
}

func (s *rawServer) stop() {
	s.Close()
	s.mu.Lock()
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// seen are the requests that came, and the number of connections.
func (s *rawServer) seen() ([]string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...), s.conns
}

// online is a machine with connections of its own, as strict as the real ones.
func online(t testing.TB, env map[string]string) host {
	t.Helper()
	h := machine(t, env)
	h.web = newWeb(nil, nil, guardOf(false), guardOf(true))
	t.Cleanup(h.web.close)
	return h
}

// prepared reads the one method m of a file and makes it ready. HOST stands for an address.
func prepared(t testing.TB, h host, at, file string) *registry.Method {
	t.Helper()
	f, err := config.Parse("c.yaml", h.dir, []byte("methods:\n  m:\n    summary: Call it.\n"+indented(strings.ReplaceAll(file, "HOST", at))))
	if err != nil {
		t.Fatal(err)
	}
	methods, warnings, err := build(f, h)
	if err != nil {
		t.Fatal(err)
	}
	worded(t, warnings)
	m, err := registry.Prepare(methods[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}

// call goes through the door.
func call(t testing.TB, ctx context.Context, m *registry.Method, args string) (registry.Result, error) {
	t.Helper()
	return registry.Call(ctx, registry.Request{Method: m, Args: json.RawMessage(args), Caller: registry.Caller{ID: "os:7"},
		Intent: func(context.Context, registry.Bound) error { return nil }})
}

// called is how a call ended: its state and the text that a client gets.
func called(t testing.TB, m *registry.Method, args string) (registry.State, string) {
	t.Helper()
	r, err := call(t, t.Context(), m, args)
	if err != nil {
		return "refused", err.Error()
	}
	if len(r.Content) != 1 {
		t.Fatalf("%d blocks", len(r.Content))
	}
	return r.State, r.Content[0].Text
}

func itoa(n int) string { return strconv.Itoa(n) }

var silent = log.New(io.Discard, "", 0)
