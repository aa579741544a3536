package guard

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"
)

// refusal is why a request reaches no handler. Its text is constant, so it tells a stranger nothing.
type refusal struct {
	status int
	text   string
	log    string // constant; "" = nothing is logged
	hint   string // for the log
	retry  bool   // later it may go
	close  bool   // the connection ends too
}

var (
	wrongHost = refusal{status: http.StatusForbidden, close: true,
		text: "This server does not answer under that host name. Whoever runs it can add the name to allowed_hosts.",
		log:  "refused a host name", hint: "if it is one of yours, add it to allowed_hosts"}
	wrongOrigin = refusal{status: http.StatusForbidden, close: true,
		text: "This server does not answer pages of that origin. Whoever runs it can add the origin to allowed_origins.",
		log:  "refused an origin", hint: "if it is one of yours, add it to allowed_origins"}
	noToken = refusal{status: http.StatusUnauthorized, close: true,
		text: "A token is needed, in the header Authorization: Bearer TOKEN.",
		log:  "refused a token, or the lack of one"}
	unknownPath = refusal{status: http.StatusNotFound, text: "There is nothing under that path."}
	tooLarge    = refusal{status: http.StatusRequestEntityTooLarge, close: true, text: "The body is larger than this server takes."}
	tooBusy     = refusal{status: http.StatusServiceUnavailable, retry: true,
		text: "Too many requests are in flight. Try again in a second.", log: "refused a request: too many are in flight"}
	tooMany = refusal{status: http.StatusTooManyRequests, retry: true,
		text: "This caller has too many requests in flight. Try again when some are done.", log: "refused a request: its caller has too many in flight"}
)

// refuse answers, and logs that unless much has been logged already. A stranger's connection ends with it: nobody without
// a token holds one for longer than a request takes.
func (g *Guard) refuse(w *response, r *http.Request, why *refusal) {
	w.close = why.close
	if r.ContentLength != 0 {
		_ = w.control.SetReadDeadline(time.Now().Add(unreadTime))
	}
	if why.retry {
		w.Header().Set("Retry-After", "1")
	}
	w.answer(why.status, why.text)
	g.logRefusal(r, why)
}

// logRefusal writes no path, query or header but the two that are at fault: the others may hold secrets.
func (g *Guard) logRefusal(r *http.Request, why *refusal) {
	if why.log == "" {
		return
	}
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		from = r.RemoteAddr
	}
	ok, left := g.quiet.may(from)
	if !ok {
		return
	}
	facts := []any{slog.String("from", from), slog.Int("status", why.status)}
	switch why {
	case &wrongHost:
		facts = append(facts, slog.String("host", shown(r.Host)))
	case &wrongOrigin:
		facts = append(facts, slog.String("origin", shown(r.Header.Get("Origin"))), slog.String("site", shown(r.Header.Get("Sec-Fetch-Site"))))
	}
	if why.hint != "" {
		facts = append(facts, slog.String("hint", why.hint))
	}
	if left > 0 {
		facts = append(facts, slog.Int("left_out_before", left))
	}
	g.log.Warn(why.log, facts...)
}

// shown is foreign text for the log: short, and without what a terminal would obey.
func shown(s string) string {
	const most = 100
	if len(s) > most {
		s = s[:most] + "…"
	}
	quoted := strconv.QuoteToASCII(s)
	return quoted[1 : len(quoted)-1]
}
