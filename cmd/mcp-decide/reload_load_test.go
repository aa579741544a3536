package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// long is the time after which nothing comes any more.
const long = time.Minute

// reloadsFor is how long the test below goes on: MCP_DECIDE_RELOAD_FOR, else long enough to see a reload or twenty.
func reloadsFor(t *testing.T) time.Duration {
	text := os.Getenv("MCP_DECIDE_RELOAD_FOR")
	if text == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// versioned is a configuration in which everything names its version. An odd one has a method and an option more.
func versioned(n int) string {
	text := fmt.Sprintf(`
methods:
  one: {summary: Edition %[1]d., effect: read, value: edition %[1]d}
  two: {summary: Edition %[1]d., effect: read, value: {edition: %[1]d}}
`, n)
	if isOdd(n) {
		text += fmt.Sprintf("  odd: {summary: Edition %[1]d., effect: read, value: edition %[1]d}\n", n)
	}
	text += fmt.Sprintf("decisions:\n  pick: {summary: Edition %[1]d., prompt: Edition %[1]d., options: {one: one, two: two, own: {description: Edition %[1]d., value: edition %[1]d}", n)
	if isOdd(n) {
		text += ", odd: odd"
	}
	return text + "}}\n"
}

func isOdd(n int) bool { return n%2 == 1 }

// under is a server under load while its file changes.
type under struct {
	*sandbox
	setup   *setup
	server  *httptest.Server
	changes *reloader
	known   atomic.Int64 // the newest version that surely is in effect
	written atomic.Int64 // the newest that may be
	calls   atomic.Int64
	seen    sync.Map // version: weak pointer to its methods
}

// Ten reloads a second under load: every answer belongs to one version, the one before a reload or the one after it; nothing fails on the
// way, and nothing is left of the versions that were.
//
// Not parallel: it counts the goroutines and the open files of the whole process.
func TestReloadsUnderLoad(t *testing.T) {
	u := &under{sandbox: newSandbox(t)}
	u.put(1)
	u.known.Store(1)
	before := census(t)
	stop := u.begin()
	ctx, end := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for _, act := range []func(){u.throughTheEngine, u.callOne, u.callOdd, u.list, u.pick} {
		for range 2 {
			callers.Go(func() {
				for ctx.Err() == nil && !t.Failed() {
					act()
					u.calls.Add(1)
				}
			})
		}
	}
	n, until := 1, time.Now().Add(reloadsFor(t))
	tick := time.NewTicker(100 * time.Millisecond)
	for n < 6 || time.Now().Before(until) { // some reloads, however slow the machine
		<-tick.C
		n++
		u.put(n)
		u.changes.ask()
		u.await(n)
	}
	tick.Stop()
	end()
	callers.Wait()
	stop()
	t.Logf("%d calls during %d reloads", u.calls.Load(), n-1)
	if u.calls.Load() == 0 {
		t.Error("nothing was called meanwhile")
	}
	u.forgotten(n)
	census(t).settles(t, before)
}

// begin starts the server; what it returns ends it.
func (u *under) begin() (stop func()) {
	u.Helper()
	env := map[string]string{"HOME": u.dir, "XDG_STATE_HOME": u.path("state")}
	a := &app{in: strings.NewReader(""), out: &output{w: io.Discard}, err: io.Discard, env: func(name string) string { return env[name] }, config: u.path("c.yaml")}
	ctx, end := context.WithCancel(context.Background())
	s, srv, changes, err := a.ready(ctx, self(), "")
	u.must(err)
	finish, err := changes.start(ctx, true)
	u.must(err)
	u.setup, u.changes, u.server = s, changes, httptest.NewServer(srv.Handler())
	u.server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 100
	return func() {
		finish()
		u.server.Close()
		srv.Drain(ctx)
		s.close()
		end()
	}
}

// put writes a version of the file, whole at once.
func (u *under) put(n int) {
	u.Helper()
	u.written.Store(int64(n))
	u.write("new.yaml", versioned(n))
	u.rename("new.yaml", "c.yaml")
}

// await waits until a version is in effect.
func (u *under) await(n int) {
	u.Helper()
	for end := time.Now().Add(long); ; time.Sleep(time.Millisecond) {
		if u.inEffect() == n {
			u.known.Store(int64(n))
			return
		}
		if time.Now().After(end) {
			u.Fatalf("version %d does not come into effect", n)
		}
	}
}

func (u *under) inEffect() int {
	v := u.setup.engine.View()
	m, _ := v.Methods.Find("one")
	n := versionIn(m.Summary)
	u.seen.LoadOrStore(n, weak.Make(v.Methods))
	return n
}

// forgotten looks whether the methods of the versions that were are gone from memory.
func (u *under) forgotten(last int) {
	u.Helper()
	left := 0
	for range 100 {
		runtime.GC()
		left = 0
		u.seen.Range(func(n, methods any) bool {
			if methods.(weak.Pointer[registry.Snapshot]).Value() != nil && n != last {
				left++
			}
			return true
		})
		if left <= 1 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	u.Errorf("the methods of %d old versions are still in memory", left)
}

var versionNumber = regexp.MustCompile(`[Ee]dition\W+(\d+)`)

// versionIn is the version that a text names; -1 when it names none, or two.
func versionIn(text string) int {
	found := -1
	for _, m := range versionNumber.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || found >= 0 && n != found {
			return -1
		}
		found = n
	}
	return found
}

// throughTheEngine makes a call in one view: all of it is of one version.
func (u *under) throughTheEngine() {
	v := u.setup.engine.View()
	one, _ := v.Methods.Find("one")
	d, ok := v.Decision("pick")
	if !ok {
		u.Error("the view has no decision")
		return
	}
	r, err := u.setup.engine.Call(context.Background(), v, decide.Call{Method: "one", Caller: self()})
	if err != nil {
		u.Error(err)
		return
	}
	text := one.Summary + d.Prompt + d.Summary + v.Menu(d) + r.Content[0].Text
	n := versionIn(text)
	if _, has := v.Methods.Find("odd"); n < 0 || has != isOdd(n) || strings.Contains(v.Menu(d), "odd") != has {
		u.Errorf("a view of several versions: %q", text)
	}
}

// send makes one request over HTTP and gives the text of what came back.
func (u *under) send(method string, params map[string]any) string {
	a := message(1, method, params)
	req, err := http.NewRequest(a.method, u.server.URL, strings.NewReader(a.body))
	if err != nil {
		u.Error(err)
		return ""
	}
	for name, value := range a.header {
		req.Header.Set(name, value)
	}
	res, err := u.server.Client().Do(req)
	if err != nil {
		u.Error(err)
		return ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK && res.StatusCode != http.StatusBadRequest {
		u.Errorf("%s: %v, status %d: %s", method, err, res.StatusCode, body)
	}
	return string(body)
}

// asOf makes a request, and holds its answer to the versions that can have been in effect meanwhile.
func (u *under) asOf(method string, params map[string]any) (text string, n int) {
	oldest := u.known.Load()
	text = u.send(method, params)
	n = versionIn(text)
	if newest := u.written.Load(); n < 0 || int64(n) < oldest || int64(n) > newest {
		u.Errorf("%s between versions %d and %d: %s", method, oldest, newest, text)
	}
	return text, n
}

func (u *under) callOne() { u.asOf("tools/call", map[string]any{"name": "one"}) }

// callOdd calls what only every other version has; the others say that there is none.
func (u *under) callOdd() {
	oldest := u.known.Load()
	text := u.send("tools/call", map[string]any{"name": "odd"})
	newest := u.written.Load()
	n := versionIn(text)
	switch {
	case n >= 0 && isOdd(n) && oldest <= int64(n) && int64(n) <= newest:
	case strings.Contains(text, "here is no ") && strings.Contains(text, `\"odd\"`) && (oldest != newest || !isOdd(int(oldest))):
	default:
		u.Errorf("between versions %d and %d: %s", oldest, newest, text)
	}
}

func (u *under) list() {
	text, n := u.asOf("tools/list", nil)
	if has := strings.Contains(text, `"odd"`); has != isOdd(n) {
		u.Errorf("the list of version %d: %s", n, text)
	}
}

var handleInText = regexp.MustCompile(`turn ([0-9a-z]+-1)\b`)

// pick opens a turn and answers it, perhaps after a reload: then it is asked again, with what is on offer now, or what was offered still stands.
// No turn is left open: a caller has room for so many.
func (u *under) pick() {
	menu, n := u.asOf("tools/call", map[string]any{"name": "pick"})
	if has := strings.Contains(menu, "odd()"); has != isOdd(n) {
		u.Errorf("the menu of version %d: %s", n, menu)
	}
	handle := handleInText.FindStringSubmatch(menu)
	if handle == nil {
		u.Errorf("no turn was opened: %s", menu)
		return
	}
	oldest := u.known.Load()
	text := u.send("tools/call", map[string]any{"name": "pick_read", "arguments": map[string]any{"turn": handle[1], "call": "own", "args": map[string]any{}}})
	if n := versionIn(text); n < 0 || int64(n) < oldest-1 || int64(n) > u.written.Load() {
		u.Errorf("picked after version %d, until %d: %s", oldest, u.written.Load(), text)
	}
}

// counts are what a process must not have more and more of.
type counts struct{ goroutines, files int }

func census(t *testing.T) counts {
	t.Helper()
	c := counts{goroutines: runtime.NumGoroutine()}
	if runtime.GOOS == "linux" {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		c.files = len(list)
	}
	return c
}

// settles waits until there is no more than before.
func (c counts) settles(t *testing.T, before counts) {
	t.Helper()
	for range 200 {
		if c = census(t); c.goroutines <= before.goroutines && c.files <= before.files {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	var stacks bytes.Buffer
	all := make([]byte, 1<<20)
	stacks.Write(all[:runtime.Stack(all, true)])
	t.Errorf("before %+v, and after it %+v\n%s", before, c, &stacks)
}
