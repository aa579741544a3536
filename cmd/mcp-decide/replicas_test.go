package main

import (
	cryptorand "crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// replicaYAML is a desk for many clients. Its writes leave a line each in the file effects.
const replicaYAML = `server: {name: replicas}
methods:
  look: {summary: Look., effect: read, rate: unlimited, params: {what: {type: string, description: What.}}, run: {argv: [printf, "seen %s", "{what}"]}}
  note: {summary: Note., effect: write, rate: unlimited, params: {what: {type: string, description: What.}}, run: {argv: [tee, -a, effects], stdin: "{what}\n"}}
  wipe: {summary: Wipe., effect: destructive, rate: unlimited, params: {what: {type: string, description: What.}}, run: {argv: [tee, -a, effects], stdin: "{what}\n"}}
decisions:
  settle:
    summary: Settle it.
    prompt: Settle it.
    max_retries: 1
    options:
      peek: {method: look, description: Look first., then: again}
      look: look
      note: note
      wipe: wipe
      close: {description: Nothing., value: {status: closed}}
    on_failure: close
  strict: {summary: Settle it., prompt: Settle it., max_retries: 1, options: {look: look, close: {description: Nothing., value: {status: closed}}}}
access:
`

const replicaClients = 16

// replicas are several servers over one store.
type replicas struct {
	t       *testing.T
	servers []*running
	effects string
}

func newReplicas(t *testing.T, n int, store string) *replicas {
	t.Helper()
	dir := t.TempDir()
	yaml, env := replicaYAML, []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "MCP_DECIDE_CONFIG=", "MCP_DECIDE_STORE=" + store}
	for c := range replicaClients {
		yaml += fmt.Sprintf("  client%d: {token: env:TOKEN_%d}\n", c, c)
		env = append(env, fmt.Sprintf("TOKEN_%d=%s", c, replicaToken(c)))
	}
	r := &replicas{t: t, effects: filepath.Join(dir, "effects")}
	path := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(yaml, "[tee, -a, effects]", "[tee, -a, "+r.effects+"]")), 0o600); err != nil {
		t.Fatal(err)
	}
	for range n {
		cmd := exec.Command("mcp-decide", "serve", "--http", "127.0.0.1:0", "--log-format", "json", "--config", path)
		cmd.Env = append(cmd.Environ(), env...)
		r.servers = append(r.servers, started(t, cmd))
	}
	return r
}

func replicaToken(client int) string {
	return fmt.Sprintf("token-of-client-%02d-%s", client, strings.Repeat("x", 30))
}

// toolResult is the result of a tool.
type toolResult struct {
	Content []struct{ Text string } `json:"content"`
	IsError bool                    `json:"isError"`
	Meta    map[string]any          `json:"_meta"`
}

func (a toolResult) text() string {
	var all []string
	for _, c := range a.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// visitor is one client, who asks whichever server comes.
type visitor struct {
	*replicas
	n    int
	ids  int
	rand *rand.Rand
	http *http.Client
}

// call calls a tool at some server.
func (c *visitor) call(tool string, args map[string]any, key string) (toolResult, error) {
	c.ids++
	params := map[string]any{"name": tool, "arguments": args}
	a := message(c.ids, "tools/call", params)
	if key != "" {
		params["_meta"].(map[string]any)["mcp-decide/key"] = key
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.ids, "method": "tools/call", "params": params})
		if err != nil {
			return toolResult{}, err
		}
		a.body = string(body)
	}
	a.token = replicaToken(c.n)
	r := c.servers[c.rand.IntN(len(c.servers))]
	res, err := c.http.Do(r.request(c.t, a))
	if err != nil {
		return toolResult{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return toolResult{}, err
	}
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		text = text[strings.LastIndex(text, "data: ")+len("data: "):]
	}
	var answer struct {
		ID     int
		Result *toolResult
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || res.StatusCode != http.StatusOK || answer.Result == nil || answer.ID != c.ids {
		return toolResult{}, fmt.Errorf("%s: status %d: %s", tool, res.StatusCode, text)
	}
	return *answer.Result, nil
}

var replicaHandle = regexp.MustCompile(`turn ([0-9a-z]{26}-\d+)`)

// A turn of a client: the answers in order, and what the last one comes to.
var replicaTurns = []struct {
	name    string
	open    string
	answers []map[string]any // %W in a text is the word of this turn
	tool    string           // of the last answer
	state   string
	wrote   bool
}{
	{"read", "settle", []map[string]any{{"call": "look", "args": map[string]any{"what": "%W"}}}, "pick_read", "done", false},
	{"value", "settle", []map[string]any{{"call": "close"}}, "pick_read", "done", false},
	{"write", "settle", []map[string]any{{"call": "note", "args": map[string]any{"what": "%W"}}}, "pick_write", "done", true},
	{"destructive", "settle", []map[string]any{{"call": "wipe", "args": map[string]any{"what": "%W"}}}, "pick_destructive", "done", true},
	{"look, then write", "settle", []map[string]any{{"call": "peek", "args": map[string]any{"what": "%W"}}, {"call": "note", "args": map[string]any{"what": "%W"}}}, "pick_write", "done", true},
	{"refused, then write", "settle", []map[string]any{{"text": "I don't know."}, {"text": `{"call": "note", "args": {"what": "%W"}}`}}, "pick_write", "done", true},
	{"on_failure", "settle", []map[string]any{{"text": "No."}, {"text": "No!"}}, "pick_read", "done", false},
	{"exhausted", "strict", []map[string]any{{"text": "No."}, {"text": "No!"}}, "pick_read", "exhausted", false},
}

// turn plays one turn: each answer goes to whichever server, and at times twice at once.
func (c *visitor) turn(number int) error {
	kind := replicaTurns[c.rand.IntN(len(replicaTurns))]
	word := fmt.Sprintf("c%d-t%d", c.n, number)
	opened, err := c.call(kind.open, map[string]any{}, "")
	if err != nil || opened.IsError {
		return fmt.Errorf("%s: opening: %s, %w", kind.name, opened.text(), err)
	}
	next := opened
	var args map[string]any
	for i, answer := range kind.answers {
		m := replicaHandle.FindAllStringSubmatch(fmt.Sprint("turn ", next.Meta["mcp-decide/turn"]), -1)
		if len(m) != 1 {
			return fmt.Errorf("%s: no turn in %v", kind.name, next.Meta)
		}
		args = filled(answer, word)
		args["turn"] = m[0][1]
		send := c.call
		if kind.wrote && i == len(kind.answers)-1 && c.rand.IntN(3) == 0 {
			send = c.twice
		}
		if next, err = send(kind.tool, args, ""); err != nil {
			return fmt.Errorf("%s, answer %d: %w", kind.name, i, err)
		}
		if refused := answer["text"] != nil && !strings.HasPrefix(fmt.Sprint(answer["text"]), "{"); next.IsError && !refused {
			return fmt.Errorf("%s, answer %d: %s", kind.name, i, next.text())
		}
	}
	if next.Meta["mcp-decide/state"] != kind.state || next.Meta["mcp-decide/recorded"] != nil {
		return fmt.Errorf("%s: it came to %v: %s", kind.name, next.Meta, next.text())
	}
	again, err := c.call(kind.tool, args, "")
	if err != nil || again.Meta["mcp-decide/state"] != kind.state || kind.state == "done" && again.Meta["mcp-decide/recorded"] != true || kind.wrote && !strings.Contains(again.text(), word) {
		return fmt.Errorf("%s: sent again: %v, %s, %w", kind.name, again.Meta, again.text(), err)
	}
	return c.strangers(kind.name, kind.tool, args, word)
}

// twice sends the same answer to two servers at once: one of them runs it, and the other one tells what that came to.
func (c *visitor) twice(tool string, args map[string]any, key string) (toolResult, error) {
	type result struct {
		toolResult
		err error
	}
	other := *c
	other.ids, other.rand = c.ids+1, rand.New(rand.NewPCG(c.rand.Uint64(), 1))
	c.ids += 2
	second := make(chan result, 1)
	go func() {
		r, err := other.call(tool, args, key)
		second <- result{r, err}
	}()
	first, err := c.call(tool, args, key)
	also := <-second
	if err != nil || also.err != nil || (first.Meta["mcp-decide/recorded"] == nil) == (also.Meta["mcp-decide/recorded"] == nil) {
		return first, fmt.Errorf("sent twice at once: %v: %s, and %v: %s; %w", first.Meta, first.text(), also.Meta, also.text(), errors.Join(err, also.err))
	}
	if first.Meta["mcp-decide/recorded"] != nil {
		return also.toolResult, nil
	}
	return first, nil
}

// strangers looks at the turn as another client.
func (c *visitor) strangers(kind, tool string, args map[string]any, word string) error {
	other := *c
	other.n = (c.n + 1) % replicaClients
	seen, err := other.call(tool, args, "")
	c.ids = other.ids
	if err != nil || !strings.HasPrefix(seen.text(), "There is no such turn here.") || strings.Contains(seen.text(), word) || seen.Meta["mcp-decide/error"] != "no_turn" || seen.Meta["mcp-decide/state"] != nil {
		return fmt.Errorf("%s: another client is told %v: %s, %w", kind, seen.Meta, seen.text(), err)
	}
	return nil
}

// keyed makes a native call twice, at whichever servers, under one key.
func (c *visitor) keyed(number int) error {
	word := fmt.Sprintf("c%d-k%d", c.n, number)
	first, err := c.call("note", map[string]any{"what": word}, word)
	if err != nil || first.IsError {
		return fmt.Errorf("keyed: %s, %w", first.text(), err)
	}
	second, err := c.call("note", map[string]any{"what": word}, word)
	if err != nil || second.IsError || second.text() != first.text() {
		return fmt.Errorf("keyed: %q, then %q, %w", first.text(), second.text(), err)
	}
	return nil
}

func filled(answer map[string]any, word string) map[string]any {
	raw, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	var args map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(raw), "%W", word)), &args); err != nil {
		panic(err)
	}
	return args
}

// TestReplicas lets 16 clients play turns against several servers over one store: each turn is answered exactly once, no error reaches
// a client but those that it provokes, and nobody sees what is another's.
func TestReplicas(t *testing.T) {
	t.Parallel()
	turns := 400
	if n := os.Getenv("MCP_DECIDE_REPLICAS"); n != "" {
		if _, err := fmt.Sscan(n, &turns); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range sharedStores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReplicas(t, tc.servers, tc.store(t))
			var all sync.WaitGroup
			for n := range replicaClients {
				all.Go(func() {
					c := &visitor{replicas: r, n: n, rand: rand.New(rand.NewPCG(uint64(n), 1)), http: &http.Client{}}
					defer c.http.CloseIdleConnections()
					for i := range turns / replicaClients {
						act := c.turn
						if i%5 == 4 {
							act = c.keyed
						}
						if err := act(i); err != nil {
							t.Errorf("client %d, turn %d: %v", n, i, err)
							return
						}
					}
				})
			}
			all.Wait()
			r.onceEach(t)
			for _, s := range r.servers {
				for line := range strings.Lines(s.said.String()) {
					if !strings.Contains(line, `"msg":"configuration"`) && (strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"level":"WARN"`)) {
						t.Errorf("a server says %s", line)
					}
				}
			}
		})
	}
}

// onceEach looks at the effects: there is none twice.
func (r *replicas) onceEach(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(r.effects)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(data))
	slices.Sort(lines)
	if once := slices.Compact(slices.Clone(lines)); len(once) != len(lines) || len(once) < replicaClients {
		t.Errorf("%d effects, %d different ones", len(lines), len(once))
	}
}

// sharedStore is a store for several servers.
type sharedStore struct {
	servers int
	store   func(t *testing.T) string
}

func sharedStores(t testing.TB) map[string]sharedStore {
	all := map[string]sharedStore{
		"four on one SQLite file": {4, func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "store.db") }},
	}
	if os.Getenv(testPostgres) == "" {
		t.Log("not tested with PostgreSQL, since " + testPostgres + " holds no URL of a server; .ci/postgres COMMAND starts one for a command")
		return all
	}
	all["two on one PostgreSQL"] = sharedStore{2, freshPostgres}
	return all
}

// testPostgres names the variable that holds the URL of a PostgreSQL server for tests.
const testPostgres = "MCP_DECIDE_TEST_POSTGRES"

// freshPostgres is the URL of a schema that is removed after the test.
func freshPostgres(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(os.Getenv(testPostgres))
	if err != nil {
		t.Fatalf("%s can't be read", testPostgres)
	}
	schema := "test_" + strings.ToLower(cryptorand.Text()[:16])
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	t.Cleanup(func() {
		db, err := sql.Open("pgx", u.String())
		if err != nil {
			t.Error(err)
			return
		}
		defer db.Close()
		if _, err := db.Exec(`DROP SCHEMA IF EXISTS "` + schema + `" CASCADE`); err != nil {
			t.Error(err)
		}
	})
	return u.String()
}
