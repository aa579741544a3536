package server

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// tallied is a desk whose answers are counted from noon on.
func tallied(t *testing.T) *Server {
	t.Helper()
	methods := registry.New()
	for _, m := range newDesk().methods() {
		if err := methods.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	counts := trace.NewCounts(nil, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	eng := decide.New(methods, decide.Options{Recorder: counts, Config: "test"})
	quiet := ticket()
	quiet.Name = "quiet"
	for _, d := range []decide.Decision{ticket(), quiet} {
		if err := eng.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	return serverOf(t, eng, Options{Counts: counts})
}

const (
	readStats       = `{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"decide://stats"%s}}`
	ofTheNewerEra   = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	statsOfTwoTurns = `{
  "since": "2026-11-30T12:00:00Z",
  "turns_opened": 2,
  "answers": {
    "bad_args": 1,
    "no_action": 1,
    "taken": 2
  },
  "strategies": {
    "none": {
      "no_action": 1
    },
    "prose": {
      "taken": 1
    },
    "repaired": {
      "bad_args": 1,
      "taken": 1
    }
  },
  "first_replies": {
    "answered": 2,
    "taken": 0,
    "success": 0
  },
  "repaired": 1,
  "retries": 2,
  "safe_defaults": 0,
  "exhausted": 0,
  "decisions": {
    "handle_ticket": {
      "turns_opened": 2,
      "answers": {
        "bad_args": 1,
        "no_action": 1,
        "taken": 2
      },
      "strategies": {
        "none": {
          "no_action": 1
        },
        "prose": {
          "taken": 1
        },
        "repaired": {
          "bad_args": 1,
          "taken": 1
        }
      },
      "first_replies": {
        "answered": 2,
        "taken": 0,
        "success": 0
      },
      "repaired": 1,
      "retries": 2,
      "safe_defaults": 0,
      "exhausted": 0
    },
    "quiet": {
      "turns_opened": 0,
      "answers": {},
      "strategies": {},
      "first_replies": {
        "answered": 0,
        "taken": 0,
        "success": null
      },
      "repaired": 0,
      "retries": 0,
      "safe_defaults": 0,
      "exhausted": 0
    }
  }
}
`
)

// The resource is listed and tells what has happened, to clients of both eras; a client keeps it for no time. What the answers themselves
// said stands nowhere in it.
func TestStats(t *testing.T) {
	t.Parallel()
	p := connect(t, tallied(t))
	id := 0
	next := func() int { id++; return id }
	for _, replies := range [][]string{
		{"The canary sings.", "So:\n" + `{"call": "close"}`},
		{`{'call': 'note', 'args': {'order_id': 'A-1', 'text': 'canary'}}`, `{'call': 'close'}`},
	} {
		opened := p.ask(next(), "handle_ticket", `{"ticket":"x"}`)
		turn := regexp.MustCompile(`turn ([0-9a-z]+)-1`).FindStringSubmatch(opened.text(0))
		if turn == nil {
			t.Fatalf("no turn: %s", opened.line)
		}
		for round, reply := range replies {
			text, _ := json.Marshal(reply)
			p.ask(next(), "pick_write", fmt.Sprintf(`{"turn":"%s-%d","text":%s}`, turn[1], round+1, text))
		}
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/list"}`, next()))
	if listed := p.next(); strings.Count(string(listed.line), `"uri":"decide://stats"`) != 1 {
		t.Errorf("listed: %s", listed.line)
	}
	for _, era := range []string{"", ofTheNewerEra} {
		p.send(fmt.Sprintf(readStats, next(), era))
		got := p.next()
		var read struct {
			Result struct {
				Contents []struct{ URI, MIMEType, Text string }
				TTL      *int `json:"ttlMs"`
			}
		}
		if err := json.Unmarshal(got.line, &read); err != nil || len(read.Result.Contents) != 1 {
			t.Fatalf("%v: %s", err, got.line)
		}
		c := read.Result.Contents[0]
		if diff := cmp.Diff(statsOfTwoTurns, c.Text); diff != "" || c.URI != statsURI || c.MIMEType != "application/json" {
			t.Errorf("%s, %s (-want +got):\n%s", c.URI, c.MIMEType, diff)
		}
		if ttl := read.Result.TTL; (era != "") != (ttl != nil) || ttl != nil && *ttl != 0 {
			t.Errorf("a client may keep it: %.300s", got.line)
		}
	}
	p.end()
}

// Without counts there is no such resource.
func TestNoStats(t *testing.T) {
	t.Parallel()
	p := connect(t, newDesk().server(t, Options{}))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	if got := p.next(); strings.Contains(string(got.line), statsURI) {
		t.Errorf("listed: %s", got.line)
	}
	p.send(fmt.Sprintf(readStats, 2, ""))
	if got := p.next(); got.Error == nil || got.Error.Code != codeResourceNotFound {
		t.Errorf("read: %s", got.line)
	}
	p.end()
}
