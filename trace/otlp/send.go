package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

const (
	maxTries   = 5
	maxWait    = 30 * time.Second // between two requests, whatever the collector asks for
	maxAnswer  = 64 << 10         // bytes that are read of an answer
	quietAfter = time.Minute      // failures are logged once in it
)

func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 2, 2
	return &http.Client{
		Transport: t,
		// A redirect would take the headers, with what is secret in them, to somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send sends records in one request, again while the collector is only busy. What it does not take is dropped.
func (e *Exporter) send(records []trace.Record) {
	if len(records) == 0 {
		return
	}
	body, err := Encode(e.about, records)
	if err != nil {
		e.lost(len(records), err)
		return
	}
	for try := 1; ; try++ {
		rejected, err := e.post(body)
		if err == nil {
			rejected = min(rejected, len(records)) // it counts spans
			e.sent.Add(int64(len(records) - rejected))
			if rejected > 0 {
				e.lost(rejected, errors.New("the collector took only a part"))
			}
			return
		}
		var busy *busyError
		if try == maxTries || !errors.As(err, &busy) || !e.pause(e.waitFor(try, busy.after)) {
			e.lost(len(records), err)
			return
		}
	}
}

// lost counts what was dropped. The log hears of it once a minute, without address and headers: both may hold secrets.
func (e *Exporter) lost(records int, err error) {
	e.dropped.Add(int64(records))
	if now := time.Now(); now.Sub(e.complained) >= quietAfter {
		e.complained = now
		e.o.Log.Warn("spans could not be exported, and are dropped", "records", records, "host", hostOf(e.settings.URL), "err", err)
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// busyError says that the same request may do later.
type busyError struct {
	why   error
	after time.Duration // the collector asks to wait so long; 0 = it does not say
}

func (e *busyError) Error() string { return e.why.Error() }

// post makes one request. It says how many spans the collector did not take.
func (e *Exporter) post(body []byte) (rejected int, err error) {
	ctx, done := context.WithTimeout(e.ctx, e.o.Timeout)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.settings.URL, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("the address of the collector can't be used")
	}
	for name, values := range e.settings.Headers {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", strings.TrimSuffix("mcp-decide/"+e.o.Version, "/"))
	res, err := e.client.Do(req)
	if err != nil {
		return 0, &busyError{why: withoutURL(err)}
	}
	defer res.Body.Close()
	answer, readErr := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return 0, &busyError{fmt.Errorf("the collector answers %d", res.StatusCode), retryAfter(res.Header.Get("Retry-After"), time.Now())}
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return 0, fmt.Errorf("the collector answers %d", res.StatusCode)
	}
	if readErr != nil {
		return 0, nil // it has taken them
	}
	return rejectedIn(answer), nil
}

// withoutURL is the error of a request without the address, which may hold a secret.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// rejectedIn reads how many spans a collector did not take. The number is a text in this protocol; some write it as one.
func rejectedIn(answer []byte) int {
	var said struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &said) != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.Trim(string(said.PartialSuccess.RejectedSpans), `"`))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// retryAfter reads the header of that name: seconds, or a moment.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if moment, err := http.ParseTime(value); err == nil {
		return max(moment.Sub(now), 0)
	}
	return 0
}

// waitFor is how long to wait after a try: as long as the collector asks, within bounds, else longer each time, and not as long as everybody else.
func (e *Exporter) waitFor(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, maxWait)
	}
	wait := min(e.o.Backoff, maxWait)
	for range try - 1 {
		wait = min(2*wait, maxWait)
	}
	return wait/2 + rand.N(wait/2+1)
}

// pause waits; false when the exporter has to end meanwhile.
func (e *Exporter) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.ctx.Done():
		return false
	}
}
