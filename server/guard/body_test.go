package guard

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func chunked(body string, size int) string {
	var b strings.Builder
	b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n\r\n"
}

func gzipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

// Rows K2, S7 and CVE 19, and what is sent to make two readers see two requests, on real connections. The cap is 1,000 bytes.
func TestBodiesOnTheWire(t *testing.T) {
	t.Parallel()
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n", n) }
	x := strings.Repeat("x", 3000)
	zipped := gzipped(x)
	read := func(s string) []string { return []string{"POST /x " + s} }
	const next = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n" // would be a request of its own
	for _, tc := range []struct {
		name  string
		sent  string
		want  []int    // statuses
		reads []string // what the handler read; nil = it was not reached
	}{
		{"no body", post("/x", "\r\n"), []int{200}, read("")},
		{"a body", post("/x", length(3)+"abc"), []int{200}, read("abc")},
		{"chunks", post("/x", chunked("abcdef", 2)), []int{200}, read("abcdef")},
		{"two requests", post("/x", length(3)+"abc") + post("/x", length(3)+"def"), []int{200, 200}, []string{"POST /x abc", "POST /x def"}},
		{"as large as may be", post("/x", length(1000)+x[:1000]), []int{200}, read(x[:20])},
		{"as large as may be, in chunks", post("/x", chunked(x[:1000], 7)), []int{200}, read(x[:20])},
		{"identity", post("/x", "Content-Encoding: identity\r\n"+length(3)+"abc"), []int{200}, read("abc")},
		{"no encoding", post("/x", "Content-Encoding:\r\n"+length(3)+"abc"), []int{200}, read("abc")},
		{"asked before", post("/x", "Expect: 100-continue\r\n"+length(3)+"abc"), []int{100, 200}, read("abc")},

		{"K2 one byte more", post("/x", length(1001)+x[:1001]), []int{413}, nil},
		{"S7 256 MiB, declared", post("/x", length(256<<20)), []int{413}, nil},
		{"S7 K2 256 MiB, asked before", post("/x", "Expect: 100-continue\r\n"+length(256<<20)), []int{413}, nil},
		{"CVE 19 K2 chunks, one byte more", post("/x", chunked(x[:1001], 100)), []int{413}, read("")},
		{"CVE 19 K2 chunks, much more", post("/x", chunked(strings.Repeat("x", 1<<20), 1<<10)), []int{413}, read("")},
		{"CVE 19 a false small length", post("/x", length(5)+x), []int{200, 400}, read("xxxxx")},
		{"CVE 19 a false small length before a request", post("/x", length(3)+"abc"+next), []int{200, 401}, read("abc")},
		{"K2 a false great length", post("/x", length(10)+"abc"), []int{400}, read("")},
		{"K2 a false great length, hiding a request", post("/x", length(500)+next), []int{400}, read("")},
		{"K2 gzip", post("/x", "Content-Encoding: gzip\r\n"+length(len(zipped))+zipped), []int{415}, read("")},
		{"K2 gzip and identity", post("/x", "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n"+length(len(zipped))+zipped), []int{415}, read("")},
		{"K2 gzip as a transfer encoding", post("/x", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), []int{501}, nil},
		{"K2 chunks that end in the middle", post("/x", "Transfer-Encoding: chunked\r\n\r\n5\r\nab"), []int{400}, read("")},
		{"K2 chunks of no size", post("/x", "Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"), []int{400}, read("")},
		{"K2 a chunk larger than numbers go", post("/x", "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nab\r\n0\r\n\r\n"), []int{400}, read("")},
		{"K2 two lengths", post("/x", "Content-Length: 3\r\n"+length(4)+"abcd"), []int{400}, nil},
		{"K2 a negative length", post("/x", length(-1)), []int{400}, nil},
		{"K2 a length with a sign", post("/x", "Content-Length: +3\r\n\r\nabc"), []int{400}, nil},
		{"length and chunks: chunks it is", post("/x", "Content-Length: 4\r\n"+chunked("abcdef", 2)+next), []int{200, 401}, read("abcdef")},
		{"chunks twice", post("/x", "Transfer-Encoding: chunked\r\n"+chunked("abc", 2)), []int{501}, nil},
		{"chunks, written in a way that others overlook", post("/x", "Transfer-Encoding: \x0bchunked\r\n"+length(3)+"abc"), []int{400}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			handler := &bodies{}
			g := newGuard(t, Options{MaxBody: 1000})
			g.Handle("/x", handler)
			g.Handle("/hidden", handler)
			got := converse(t, startTCP(t, g, ServerOptions{}), tc.sent)
			if diff := cmp.Diff(tc.want, got.statuses); diff != "" {
				t.Errorf("statuses (-want +got):\n%s%q", diff, got.bodies)
			}
			if diff := cmp.Diff(tc.reads, handler.all()); diff != "" {
				t.Errorf("the handler read (-want +got):\n%s", diff)
			}
		})
	}
}

// converse sends all of it, says that no more comes, and reads until the server ends the connection.
func converse(t *testing.T, addr, sent string) heard {
	t.Helper()
	c := dial(t, addr)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.WriteString(c, sent) // the server may have answered and gone before all of it is sent
		_ = c.CloseWrite()
	}()
	got := listen(t, c)
	c.Close()
	<-done
	return got
}

// Row S7: nothing is kept for a length that is only declared.
func TestDeclaredLengthCostsNothing(t *testing.T) {
	const n = 4 << 20
	r := httptest.NewRequest("POST", "/", io.LimitReader(neverEnding{}, 1))
	r.ContentLength = n
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, status, err := ReadBody(httptest.NewRecorder(), r)
	runtime.ReadMemStats(&after)
	if kept := after.TotalAlloc - before.TotalAlloc; kept > n/8 {
		t.Errorf("a declared length of %d bytes took %d bytes of memory", n, kept)
	}
	if status != 0 || err != nil {
		t.Errorf("%d, %v", status, err)
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// ReadBody without a guard has the default limits, and says what each error is.
func TestReadBody(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", defaultMaxBody)
	for _, tc := range []struct {
		name   string
		body   io.Reader
		length int64
		status int
		err    string
	}{
		{"K2 4 MiB", strings.NewReader(big), -1, 0, ""},
		{"K2 4 MiB and a byte", strings.NewReader(big + "x"), -1, 413, "larger"},
		{"K2 declared", strings.NewReader(""), defaultMaxBody + 1, 413, "larger"},
		{"cut", iotest.ErrReader(io.ErrUnexpectedEOF), 10, 400, "ends before it should"},
		{"K1 slow", iotest.ErrReader(fmt.Errorf("read: %w", os.ErrDeadlineExceeded)), 10, 408, "too long"},
		{"secret in the error", iotest.ErrReader(errors.New("canary")), 10, 400, "ends before it should"},
		{"nothing", nil, 0, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("POST", "/", tc.body)
			r.ContentLength = tc.length
			if tc.body == nil {
				r.Body = nil
			}
			w := &deadlines{ResponseWriter: httptest.NewRecorder()}
			body, status, err := ReadBody(w, r)
			if status != tc.status || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%d, %v; want %d, %q", status, err, tc.status, tc.err)
			}
			if err == nil && tc.body != nil && (string(body) != big || len(w.read) != 2 || !w.read[1].IsZero()) {
				t.Errorf("%d bytes; deadlines %v, want one and its end", len(body), w.read)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Error("the error tells what only the log may know")
			}
		})
	}
}

// deadlines notes the deadlines that are set.
type deadlines struct {
	http.ResponseWriter
	read []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.read = append(d.read, at)
	return nil
}

// The connection is left without a deadline when all has come, and with a short one when something has not.
func TestDeadlinesThatAreLeft(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"/all": 0, "/some": 1, "/none": 1, "/empty": -1} {
		g := newGuard(t, Options{})
		g.Handle(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := io.CopyN(io.Discard, r.Body, map[string]int64{"/all": 4, "/some": 2}[name])
			if err != nil && !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		}))
		var sent io.Reader
		if name != "/empty" {
			sent = strings.NewReader("abc")
		}
		r := httptest.NewRequest("POST", name, sent)
		r.Host = "localhost"
		r.Header.Set("Authorization", "Bearer "+deskSecret)
		w := &deadlines{ResponseWriter: httptest.NewRecorder()}
		began := time.Now()
		g.ServeHTTP(w, r)
		switch {
		case want < 0 && len(w.read) == 0:
		case want == 0 && len(w.read) == 2 && w.read[1].IsZero():
		case want > 0 && len(w.read) == 2 && w.read[1].Before(w.read[0]) && w.read[1].After(began):
		default:
			t.Errorf("%s: deadlines %v", name, w.read)
		}
	}
}

// A handler that reads the body in its own way, or through another's wrapper, has the guard's cap all the same.
func TestCapHoldsForEveryReader(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{10, 5 << 20} {
		g := newGuard(t, Options{MaxBody: most})
		var n int
		var failed error
		g.Handle("/own", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			n, failed = len(b), err
		}))
		g.Handle("/wrapped", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = io.NopCloser(r.Body)
			b, _, err := ReadBody(w, r)
			n, failed = len(b), err
		}))
		for _, target := range []string{"/own", "/wrapped"} {
			for _, more := range []int64{0, 1, -1} {
				r := httptest.NewRequest("POST", target, io.LimitReader(neverEnding{}, most+more))
				r.Host = "localhost"
				r.Header.Set("Authorization", "Bearer "+deskSecret)
				r.ContentLength = -1 // as of chunks
				if more < 0 {
					r.ContentLength = most + more
				}
				g.ServeHTTP(httptest.NewRecorder(), r)
				if (failed != nil) != (more > 0) || failed == nil && int64(n) != most+min(more, 0) {
					t.Errorf("%s, cap %d, %d more: %d bytes, %v", target, most, more, n, failed)
				}
			}
		}
	}
}

// A middleware that hides deadlines takes the time limits away. That is said, once.
func TestHiddenDeadlinesAreSaid(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := newGuard(t, Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
	g.Handle("/x", &bodies{})
	hides := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	})
	for want, handler := range []http.Handler{g, hides} {
		out.Reset()
		got := converse(t, startTCP(t, handler, ServerOptions{}), strings.Repeat(post("/x", "Content-Length: 3\r\n\r\nabc"), 3))
		if diff := cmp.Diff([]int{200, 200, 200}, got.statuses); diff != "" {
			t.Error(diff)
		}
		if n := strings.Count(out.String(), "slow clients are not ended"); n != want {
			t.Errorf("said %d times, want %d: %s", n, want, out.String())
		}
	}
}

// Files of a form are removed, although net/http does not know of them.
func TestFilesOfFormsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	g := newGuard(t, Options{})
	g.Handle("/form", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
		}
		if files, _ := os.ReadDir(dir); len(files) == 0 {
			t.Error("no file was made; this shows nothing")
		}
	}))
	body := "--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n" + strings.Repeat("x", 11<<10) + strings.Repeat("y", 1<<20) + "\r\n--b--\r\n"
	r := httptest.NewRequest("POST", "/form", strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+deskSecret)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	g.ServeHTTP(httptest.NewRecorder(), r)
	if files, err := os.ReadDir(dir); len(files) != 0 || err != nil {
		t.Errorf("left behind: %v, %v", files, err)
	}
}
