package guard

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/registry"
)

func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		tokens []Token
		want   string
	}{
		{"none", nil, "nobody could get in"},
		{"short", []Token{{Name: "desk", Secret: "short-canary-15"}}, `token "desk": its secret has 15 characters, at least 16 are needed`},
		{"empty", []Token{{Name: "desk"}}, "at least 16"},
		{"long", []Token{{Name: "desk", Secret: strings.Repeat("canary", 1000)}}, "at most 4096"},
		{"a line end", []Token{{Name: "desk", Secret: "canary-canary-canary\n"}}, "character 21 of its secret can't stand in a header"},
		{"a blank", []Token{{Name: "desk", Secret: "canary canary canary"}}, "character 7"},
		{"a letter that is not ASCII", []Token{{Name: "desk", Secret: "canarycanarycanäry"}}, "character 16"},
		{"no name", []Token{{Secret: deskSecret}}, "its name must have"},
		{"a name with a line end", []Token{{Name: "de\nsk", Secret: deskSecret}}, "its name must have"},
		{"a name with a DEL", []Token{{Name: "desk\x7f", Secret: deskSecret}}, "its name must have"},
		{"a long name", []Token{{Name: strings.Repeat("d", 129), Secret: deskSecret}}, "its name must have"},
		{"one name twice", []Token{{Name: "desk", Secret: deskSecret}, {Name: "desk", Secret: leadSecret}}, `token "desk": the name stands twice`},
		{"one secret twice", []Token{{Name: "desk", Secret: deskSecret}, {Name: "lead", Secret: deskSecret}}, `token "lead": its secret is that of "desk" too`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGuard(t, Options{})
			g.Handle("/x", echoCaller)
			err := g.Replace(tc.tokens)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("Replace: %v; want an error with %q and without the secret", err, tc.want)
			}
			if _, err := New(Options{Tokens: tc.tokens}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("New: %v; want an error with %q", err, tc.want)
			}
			if rec := ask(g, "/x", "Bearer "+deskSecret); rec.Code != http.StatusOK {
				t.Errorf("after tokens that were refused, the one that was there gets %d", rec.Code)
			}
		})
	}
}

// echoCaller answers with who asks.
var echoCaller = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	c, ok := CallerOf(r.Context())
	fmt.Fprintf(w, "%s %v %v", c.ID, c.Roles, ok)
})

func ask(g http.Handler, target string, authorization ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", target, nil)
	r.Host = "localhost:8787"
	r.RemoteAddr = "192.0.2.7:5000"
	if len(authorization) > 0 {
		r.Header["Authorization"] = authorization
	}
	rec := httptest.NewRecorder()
	g.ServeHTTP(rec, r)
	return rec
}

// Rows K3 and CVE 1, 24.
func TestBearer(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{Tokens: []Token{{Name: "desk", Secret: deskSecret, Roles: []string{"agent"}}, {Name: "lead", Secret: leadSecret}}})
	g.Handle("/x", echoCaller)
	const plain, wrong = "Bearer", `Bearer error="invalid_token"`
	refusedBody := ask(g, "/x").Body.String()
	for _, tc := range []struct {
		name, target string
		header       []string
		caller       string // "" = refused, with challenge
		challenge    string
	}{
		{"right", "/x", []string{"Bearer " + deskSecret}, "token:desk [agent] true", ""},
		{"right, another", "/x", []string{"Bearer " + leadSecret}, "token:lead [] true", ""},
		{"the scheme in another case", "/x", []string{"bEARER   " + deskSecret}, "token:desk [agent] true", ""},
		{"CVE 1 missing", "/x", nil, "", plain},
		{"K3 wrong", "/x", []string{"Bearer " + deskSecret + "x"}, "", wrong},
		{"K3 cut", "/x", []string{"Bearer " + deskSecret[:len(deskSecret)-1]}, "", wrong},
		{"K3 in another case", "/x", []string{"Bearer " + strings.ToUpper(deskSecret)}, "", wrong},
		{"K3 empty", "/x", []string{"Bearer "}, "", wrong},
		{"K3 the scheme alone", "/x", []string{"Bearer"}, "", wrong},
		{"K3 two headers", "/x", []string{"Bearer " + deskSecret, "Bearer " + deskSecret}, "", wrong},
		{"K3 two in one header", "/x", []string{"Bearer " + deskSecret + ", Bearer " + leadSecret}, "", wrong},
		{"K3 a blank behind it", "/x", []string{"Bearer " + deskSecret + " "}, "", wrong},
		{"K3 another scheme", "/x", []string{"Basic " + deskSecret}, "", plain},
		{"K3 no scheme", "/x", []string{deskSecret}, "", plain},
		{"K3 in the query", "/x?access_token=" + deskSecret + "&token=" + deskSecret + "&authorization=Bearer%20" + deskSecret, nil, "", plain},
		{"K3 CVE 24 of another instance", "/x", []string{"Bearer other-instance-canary-0003"}, "", wrong},
		{"K3 64 KiB", "/x", []string{"Bearer " + strings.Repeat("x", 64<<10)}, "", wrong},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := ask(g, tc.target, tc.header...)
			if tc.caller != "" {
				if rec.Code != http.StatusOK || rec.Body.String() != tc.caller || rec.Header().Get("WWW-Authenticate") != "" {
					t.Errorf("%d %q with %v, want 200 %q and no challenge", rec.Code, rec.Body, rec.Header(), tc.caller)
				}
				return
			}
			if got := rec.Header().Get("WWW-Authenticate"); rec.Code != http.StatusUnauthorized || got != tc.challenge || rec.Body.String() != refusedBody {
				t.Errorf("%d, WWW-Authenticate %q, %q; want 401, %q and the text that everybody gets", rec.Code, got, rec.Body, tc.challenge)
			}
		})
	}
}

// CVE row 24: a token is good for the instance that knows it, and for no other.
func TestTokenOfOneInstance(t *testing.T) {
	t.Parallel()
	one := newGuard(t, Options{})
	two := newGuard(t, Options{Tokens: []Token{{Name: "desk", Secret: leadSecret}}})
	for _, g := range []*Guard{one, two} {
		g.Handle("/x", echoCaller)
	}
	for _, tc := range []struct {
		g      *Guard
		secret string
		want   int
	}{{one, deskSecret, 200}, {one, leadSecret, 401}, {two, leadSecret, 200}, {two, deskSecret, 401}} {
		if rec := ask(tc.g, "/x", "Bearer "+tc.secret); rec.Code != tc.want {
			t.Errorf("status %d, want %d", rec.Code, tc.want)
		}
	}
}

func TestEverybody(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{Unauthenticated: true})
	g.Handle("/x", echoCaller)
	g.HandleOpen("/open", echoCaller)
	for _, tc := range []struct{ target, header, want string }{
		{"/x", "", "anonymous [] true"},
		{"/x", "Bearer " + deskSecret, "anonymous [] true"},
		{"/open", "", " [] false"},
	} {
		if rec := ask(g, tc.target, tc.header); rec.Body.String() != tc.want {
			t.Errorf("%s with %q: %d %q, want %q", tc.target, tc.header, rec.Code, rec.Body, tc.want)
		}
	}
	if err := g.Replace(deskToken()); err == nil {
		t.Error("tokens were taken where everybody may come in; nobody would ask for them")
	}
	if err := g.Replace(nil); err != nil {
		t.Errorf("no tokens, where none are needed: %v", err)
	}
}

// While tokens are replaced, every request is answered by the old or the new ones, and after it by the new ones only.
func TestReplace(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{})
	g.Handle("/x", echoCaller)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				rec := ask(g, "/x", "Bearer "+deskSecret)
				if ok := rec.Code == 200 && rec.Body.String() == "token:desk [agent] true"; !ok && rec.Code != 401 {
					t.Errorf("%d %q", rec.Code, rec.Body)
				}
			}
		})
	}
	for range 200 {
		for _, tokens := range [][]Token{{{Name: "desk", Secret: leadSecret}}, deskToken()} {
			if err := g.Replace(tokens); err != nil {
				t.Error(err)
			}
		}
	}
	if err := g.Replace([]Token{{Name: "lead", Secret: leadSecret}}); err != nil {
		t.Error(err)
	}
	stop()
	wg.Wait()
	if rec := ask(g, "/x", "Bearer "+deskSecret); rec.Code != 401 {
		t.Errorf("the replaced token gets %d", rec.Code)
	}
	if rec := ask(g, "/x", "Bearer "+leadSecret); rec.Body.String() != "token:lead [] true" {
		t.Errorf("the new token gets %d %q", rec.Code, rec.Body)
	}
}

// A token's roles are the guard's own.
func TestRolesAreCopied(t *testing.T) {
	t.Parallel()
	tokens := deskToken()
	g := newGuard(t, Options{Tokens: tokens})
	g.Handle("/x", echoCaller)
	tokens[0].Roles[0] = "approver"
	if got := ask(g, "/x", "Bearer "+deskSecret).Body.String(); got != "token:desk [agent] true" {
		t.Errorf("got %q", got)
	}
}

func TestCallerOf(t *testing.T) {
	t.Parallel()
	if c, ok := CallerOf(t.Context()); ok || c.ID != "" {
		t.Errorf("without a guard: %v, %v", c, ok)
	}
	want := registry.Caller{ID: "token:desk", Roles: []string{"agent"}}
	got, ok := CallerOf(WithCaller(t.Context(), want))
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(diff)
	}
}

// What strangers do is logged a few times, and no secret ever.
func TestLogOfRefusals(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := newGuard(t, Options{Log: slog.New(slog.NewJSONHandler(&out, nil))})
	g.Handle("/x", echoCaller)
	now := time.Unix(0, 0)
	g.quiet.now = func() time.Time { return now }

	for range 1_000 {
		ask(g, "/x?token="+deskSecret, "Bearer wrong-canary-"+leadSecret)
	}
	if lines := strings.Count(out.String(), "\n"); lines != g.quiet.each {
		t.Errorf("1,000 failures of one address made %d lines, want %d", lines, g.quiet.each)
	}
	for i := range 1_000 {
		r := httptest.NewRequest("GET", "/x", nil)
		r.Host, r.RemoteAddr = "evil.example\x1b[2J\n", fmt.Sprintf("198.51.%d.%d:1", i/250, i%250)
		g.ServeHTTP(httptest.NewRecorder(), r)
	}
	if lines := strings.Count(out.String(), "\n"); lines != g.quiet.total {
		t.Errorf("2,000 failures of many addresses made %d lines, want %d", lines, g.quiet.total)
	}
	now = now.Add(time.Minute)
	out.Reset()
	ask(g, "/x", "Bearer "+deskSecret)
	ask(g, "/nowhere", "Bearer "+deskSecret)
	ask(g, "/x")
	if want := fmt.Sprintf(`"left_out_before":%d`, 2_000-g.quiet.total); !strings.Contains(out.String(), want) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("the first line of the next minute is %q, want it to have %s", out.String(), want)
	}
}

func TestLogNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*http.Request)
		want   []string
	}{
		{"host", func(r *http.Request) { r.Host = "evil.example\x1b]8;;\a" + strings.Repeat("x", 1000) }, []string{"refused a host name", `host=`, `evil.example\x1b]8;;\a`, "allowed_hosts", "from=192.0.2.7"}},
		{"origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, []string{"refused an origin", "https://evil.example", "allowed_origins"}},
		{"site", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, []string{"refused an origin", "site=cross-site"}},
		{"address of another kind", func(r *http.Request) { r.Host, r.RemoteAddr = "evil.example", "@" }, []string{"from=@"}},
		{"token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong-canary-wrong-canary") }, []string{"refused a token", "status=401"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			g := newGuard(t, Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
			r := httptest.NewRequest("GET", "/path-canary?query=canary", nil)
			r.Host, r.RemoteAddr = "localhost", "192.0.2.7:5000"
			r.Header.Set("Cookie", "canary")
			tc.change(r)
			g.ServeHTTP(httptest.NewRecorder(), r)
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in %s", want, out.String())
				}
			}
			if line := out.String(); strings.Contains(line, "canary") || strings.ContainsAny(line, "\x1b\a") || len(line) > 500 {
				t.Errorf("the line is long, holds a control character or something secret: %q", line)
			}
		})
	}
}
