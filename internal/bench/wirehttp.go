package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// endpoint is the wire of HTTP: each lane has a connection of its own, which is kept.
type endpoint struct {
	era   era
	addr  string
	token string // "" = none is sent
}

func (e *endpoint) lane() (lane, error) {
	conn, err := net.Dial("tcp", e.addr)
	if err != nil {
		return nil, err
	}
	return &httpLane{e: e, conn: conn, in: bufio.NewReaderSize(conn, 1<<16), heads: map[string]string{}}, nil
}

// httpLane writes requests and reads answers without a pool or a redirect: what a client costs is taken from the same
// cores as the server.
type httpLane struct {
	e     *endpoint
	conn  net.Conn
	in    *bufio.Reader
	id    int64
	heads map[string]string // by method and name: the request up to its length
	body  []byte
	out   []byte
	raw   bytes.Buffer
}

func (l *httpLane) close() { l.conn.Close() }

func (l *httpLane) round(r request) (*answer, error) {
	l.id++
	l.body = l.e.era.write(l.body[:0], l.id, r)
	status, text, err := l.post(l.head(r), l.body)
	if err != nil {
		return nil, err
	}
	a := new(answer)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("status %d, and its body can't be read: %w: %.200s", status, err, text)
	}
	if string(a.ID) != strconv.FormatInt(l.id, 10) {
		return nil, fmt.Errorf("status %d, asked with id %d and answered with id %s", status, l.id, a.ID)
	}
	return a, nil
}

// head is all of a request before its length.
func (l *httpLane) head(r request) string {
	key := r.method + " " + r.name
	if h, ok := l.heads[key]; ok {
		return h
	}
	var b strings.Builder
	b.WriteString("POST /mcp HTTP/1.1\r\nHost: " + l.e.addr + "\r\n")
	if l.e.token != "" {
		b.WriteString("Authorization: Bearer " + l.e.token + "\r\n")
	}
	_ = l.e.era.headers(r).Write(&b) // a Builder takes everything
	b.WriteString("Content-Length: ")
	l.heads[key] = b.String()
	return b.String()
}

// post sends one request and returns the message of its response, whichever way it is packed.
func (l *httpLane) post(head string, body []byte) (status int, text []byte, err error) {
	l.out = append(l.out[:0], head...)
	l.out = strconv.AppendInt(l.out, int64(len(body)), 10)
	l.out = append(l.out, "\r\n\r\n"...)
	l.out = append(l.out, body...)
	if _, err := l.conn.Write(l.out); err != nil {
		return 0, nil, err
	}
	resp, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	l.raw.Reset()
	if _, err := l.raw.ReadFrom(resp.Body); err != nil {
		return resp.StatusCode, nil, err
	}
	if resp.Close {
		return resp.StatusCode, nil, fmt.Errorf("status %d, and the server ends the connection: %.200s", resp.StatusCode, l.raw.Bytes())
	}
	text = l.raw.Bytes()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text, err = lastEvent(text)
	}
	return resp.StatusCode, text, err
}

// lastEvent is the data of the last event of a stream; the answer is the last.
func lastEvent(stream []byte) ([]byte, error) {
	var data []byte
	for line := range bytes.Lines(stream) {
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = bytes.TrimSpace(d)
		}
	}
	if data == nil {
		return nil, errors.New("a stream without events")
	}
	return data, nil
}

func (e *endpoint) notify(message string) error {
	l, err := e.lane()
	if err != nil {
		return err
	}
	defer l.close()
	status, text, err := l.(*httpLane).post(l.(*httpLane).head(request{method: "notifications/initialized"}), []byte(message))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if status != http.StatusAccepted && status != http.StatusOK {
		return fmt.Errorf("status %d for a notification: %.200s", status, text)
	}
	return nil
}
