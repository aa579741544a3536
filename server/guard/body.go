package guard

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// What a body may take where nothing else is said.
const (
	defaultMaxBody     = 4 << 20 // bytes
	defaultBodyTimeout = 30 * time.Second
	defaultMaxHeld     = 64 << 20 // bytes of all bodies in flight
)

// maxStart is how much memory a declared length gets before anything has come, in bytes.
const maxStart = 64 << 10

// ReadBody reads the whole body of a request within the guard's limits, or 4 MiB and 30 s where no guard stands
// before. When it returns an error, status is what to answer: 413 too large, 415 compressed, 408 too slow, 503 too much of
// others is in flight, 400 shorter than it says or broken. The error's text is safe for a stranger. Without an error status is 0.
func ReadBody(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error) {
	if coded(r) {
		return nil, http.StatusUnsupportedMediaType, errors.New("the body has a content encoding; send it as it is, without Content-Encoding")
	}
	most := passedOf(r.Context()).maxBody
	guarded := most != 0
	if !guarded {
		most = defaultMaxBody
	}
	if r.ContentLength > most {
		return nil, http.StatusRequestEntityTooLarge, errTooLarge
	}
	from := r.Body
	if !guarded {
		from = limitBody(w, from, most, defaultBodyTimeout)
	}
	buf := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), maxStart)+bytes.MinRead))
	if _, err := buf.ReadFrom(from); err != nil {
		status, err := bodyFault(err)
		return nil, status, err
	}
	return buf.Bytes(), 0, nil
}

var (
	errTooLarge = errors.New("the body is larger than this server takes")
	errTooSlow  = errors.New("the body took too long to arrive")
	errNoRoom   = errors.New("too much of other requests is in flight; send it again in a second")
	errBroken   = errors.New("the body ends before it should, or is not framed as HTTP says")
)

// bodyFault says what an error of reading a body means.
func bodyFault(err error) (status int, safe error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, errTooSlow
	case errors.Is(err, errNoRoom):
		return http.StatusServiceUnavailable, errNoRoom
	}
	return http.StatusBadRequest, errBroken
}

// coded reports whether the body is compressed or otherwise changed. What is unpacked has no length that anybody
// declared, so it is not unpacked.
func coded(r *http.Request) bool {
	for _, v := range r.Header["Content-Encoding"] {
		if v != "" && !strings.EqualFold(v, "identity") {
			return true
		}
	}
	return false
}

// unreadTime is how long the rest of a body is waited for that nobody reads, so that the connection can end in order.
const unreadTime = 2 * time.Second

// limitBody returns b so that it ends with an error beyond most bytes, and after the timeout, counted from now.
func limitBody(w http.ResponseWriter, b io.ReadCloser, most int64, timeout time.Duration) *body {
	limited := &body{ReadCloser: b, control: http.NewResponseController(w)}
	if b == nil || b == http.NoBody {
		limited.ReadCloser, limited.ended = http.NoBody, true
		return limited
	}
	limited.ReadCloser = http.MaxBytesReader(w, b, most)
	limited.end(time.Now().Add(timeout))
	return limited
}

// body takes the deadline back when all of it has come: it is that of the connection, on which other
// requests may follow.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	until   time.Time // the deadline
	ended   bool      // all of it has come
	blind   bool      // no deadline can be set
	room    *room     // nil = any
	held    int64     // bytes of it, in the room
}

// room is how many bytes of bodies there may be at a time, as they have come: what is only announced costs nothing, and who
// announces nothing is counted too. Half of it is one caller's at most.
type room struct {
	most int64
	all  *atomic.Int64
	own  *counts // of the caller; nil = no share is kept
}

func (r *room) take(n int64) bool {
	if r.own != nil && r.own.bytes.Add(n) > r.most/2 {
		r.own.bytes.Add(-n)
		return false
	}
	if r.all.Add(n) > r.most {
		r.all.Add(-n)
		if r.own != nil {
			r.own.bytes.Add(-n)
		}
		return false
	}
	return true
}

func (r *room) leave(n int64) {
	r.all.Add(-n)
	if r.own != nil {
		r.own.bytes.Add(-n)
	}
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.room != nil && n > 0 {
		if !b.room.take(int64(n)) {
			return 0, errNoRoom
		}
		b.held += int64(n)
	}
	if errors.Is(err, io.EOF) && !b.ended {
		b.ended = true
		b.end(time.Time{})
	}
	return n, err
}

// end sets the deadline.
func (b *body) end(at time.Time) {
	b.until = at
	b.blind = errors.Is(b.control.SetReadDeadline(at), errors.ErrUnsupported)
}

// giveUp is for when the handler has returned. net/http reads the rest of a body then, and keeps nothing of it.
func (b *body) giveUp() {
	if b.room != nil {
		b.room.leave(b.held)
		b.room = nil
	}
	if soon := time.Now().Add(unreadTime); !b.ended && soon.Before(b.until) {
		b.end(soon)
	}
}
