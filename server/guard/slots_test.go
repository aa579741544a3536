package guard

import (
	"net/http"
	"sync"
	"testing"
)

// crowd holds requests in a handler until they are let go.
type crowd struct {
	t      *testing.T
	g      *Guard
	inside chan struct{}
	leave  chan struct{}
	wg     sync.WaitGroup
}

func newCrowd(t *testing.T, o Options) *crowd {
	c := &crowd{t: t, g: newGuard(t, o), inside: make(chan struct{}), leave: make(chan struct{})}
	hold := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		c.inside <- struct{}{}
		<-c.leave
	})
	c.g.Handle("/hold", hold)
	c.g.HandleOpen("/open", hold)
	c.g.Handle("/pass", echoCaller)
	c.g.HandleOpen("/healthz", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	return c
}

// enter starts n requests and returns when all are in the handler.
func (c *crowd) enter(n int, target, secret string) {
	for range n {
		c.wg.Go(func() {
			if rec := ask(c.g, target, "Bearer "+secret); rec.Code != http.StatusOK {
				c.t.Errorf("a request that was held got %d", rec.Code)
			}
		})
		<-c.inside
	}
}

func (c *crowd) goHome() {
	close(c.leave)
	c.wg.Wait()
}

func (c *crowd) want(status int, target, secret string) {
	c.t.Helper()
	rec := ask(c.g, target, "Bearer "+secret)
	retry := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
	if rec.Code != status || (rec.Header().Get("Retry-After") == "1") != retry {
		c.t.Errorf("%s: %d with Retry-After %q, want %d", target, rec.Code, rec.Header().Get("Retry-After"), status)
	}
}

func TestRequestsInFlight(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, Options{MaxRequests: 4, Tokens: []Token{
		{Name: "desk", Secret: deskSecret}, {Name: "lead", Secret: leadSecret}, {Name: "third", Secret: "third-secret-canary-0003"},
	}})
	c.enter(2, "/hold", deskSecret)
	c.want(http.StatusTooManyRequests, "/pass", deskSecret)
	c.want(http.StatusOK, "/pass", leadSecret)

	// The count of a name outlives its token.
	if err := c.g.Replace([]Token{
		{Name: "desk", Secret: "desk-secret-canary-new1"}, {Name: "lead", Secret: leadSecret}, {Name: "third", Secret: "third-secret-canary-0003"},
	}); err != nil {
		t.Fatal(err)
	}
	c.want(http.StatusTooManyRequests, "/pass", "desk-secret-canary-new1")

	c.enter(2, "/hold", leadSecret)
	for range 3 {
		// Who was refused for all others' sake has used up nothing of its own share.
		c.want(http.StatusServiceUnavailable, "/pass", "third-secret-canary-0003")
	}
	c.want(http.StatusUnauthorized, "/pass", "nobody")
	c.want(http.StatusOK, "/healthz", "")

	c.goHome()
	for _, secret := range []string{"desk-secret-canary-new1", leadSecret, "third-secret-canary-0003"} {
		c.want(http.StatusOK, "/pass", secret)
	}
	if held := c.g.held.Load(); held != 0 {
		t.Errorf("%d slots are still held", held)
	}
}

// Open routes have slots of their own, so neither kind can use up the other's.
func TestOpenReserve(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, Options{MaxRequests: 1})
	c.enter(openReserve, "/open", "")
	c.want(http.StatusServiceUnavailable, "/healthz", "")
	c.want(http.StatusOK, "/pass", deskSecret)
	c.goHome()
	c.want(http.StatusOK, "/healthz", "")
}

// Everybody together is not one caller: without tokens there are no shares.
func TestNoShareOfEverybody(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, Options{MaxRequests: 4, Unauthenticated: true})
	c.enter(4, "/hold", "")
	c.want(http.StatusServiceUnavailable, "/pass", "")
	c.goHome()
	c.want(http.StatusOK, "/pass", "")
}

// A slot comes back however its handler ends.
func TestSlotsComeBack(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{MaxRequests: 1})
	for target, with := range map[string]any{"/panic": "canary", "/abort": http.ErrAbortHandler} {
		g.Handle(target, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(with) }))
		for range 3 {
			func() {
				defer func() { _ = recover() }()
				ask(g, target, "Bearer "+deskSecret)
			}()
			if held := g.held.Load(); held != 0 {
				t.Errorf("%s: %d slots are still held", target, held)
			}
		}
	}
}
