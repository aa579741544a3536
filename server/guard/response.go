package guard

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// response puts the headers of the guard on whatever a handler answers, notes the status, and gives each write
// a deadline of its own. A stream may last; a reader that never reads may not.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // of one write
	lasting bool          // deadlines reach beyond the write, as in HTTP/2

	cross  string // the allowed origin whose page may read the answer, "" = none
	varies bool   // there are such origins
	close  bool   // the connection ends with this answer
	status int    // 0 = nothing has been written

	hijacked bool
}

// settle sets the headers that every answer has. Only what says how the page itself may be used is left to the handler.
func (w *response) settle() {
	h := w.Header()
	h["X-Content-Type-Options"] = noSniff[:1:1]
	setDefault(h, "Cache-Control", noStore)
	setDefault(h, "Referrer-Policy", noReferrer)
	setDefault(h, "Content-Security-Policy", noContent)

	h.Del("Access-Control-Allow-Credentials")
	h.Del("Access-Control-Allow-Origin")
	if w.varies {
		h.Add("Vary", "Origin")
	}
	if w.cross != "" {
		h.Set("Access-Control-Allow-Origin", w.cross)
		h.Set("Access-Control-Expose-Headers", corsExposed)
	}
	if w.close {
		h.Set("Connection", "close")
	}
}

// The values of headers that most answers have. They are shared by all of them, and cut to their length, so that adding to one makes a list of its own.
var (
	noSniff    = []string{"nosniff"}
	noStore    = []string{"no-store"}
	noReferrer = []string{"no-referrer"}
	noContent  = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// setDefault leaves a header alone that is there, also when it is there to be left out. The key is in its canonical form.
func setDefault(h http.Header, key string, values []string) {
	if _, set := h[key]; !set {
		h[key] = values[:1:1]
	}
}

func (w *response) WriteHeader(status int) {
	interim := status >= 100 && status < 200 && status != http.StatusSwitchingProtocols
	if w.status == 0 && !interim {
		w.status = status
		w.settle()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	w.begin()
	w.grant()
	n, err := w.ResponseWriter.Write(p)
	w.withdraw()
	return n, err
}

// begin answers 200 if no status has been written.
func (w *response) begin() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

// grant gives what is written next its time. Writers without deadlines are those of tests.
func (w *response) grant() { _ = w.control.SetWriteDeadline(time.Now().Add(w.timeout)) }

// withdraw takes the deadline back where it would end a stream that is only silent.
func (w *response) withdraw() {
	if w.lasting {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}

// finish is for what net/http writes when the handler has returned.
func (w *response) finish() {
	if w.hijacked {
		return
	}
	w.begin()
	w.grant()
}

// Flush and FlushError send what has been written.
func (w *response) Flush() { _ = w.FlushError() }

func (w *response) FlushError() error {
	w.begin()
	w.grant()
	err := w.control.Flush()
	w.withdraw()
	return err
}

// Hijack hands the connection over. What is written to it is out of the guard's sight.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.control.Hijack()
	if err == nil {
		w.status, w.hijacked = http.StatusSwitchingProtocols, true
	}
	return conn, rw, err
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answer writes a short plain text, in the place of all that the handler had meant to say.
func (w *response) answer(status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // whoever has gone needs no answer
}
