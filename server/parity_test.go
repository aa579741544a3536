package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// openTurn opens a turn and returns its handle.
func (p *pipe) openTurn() string {
	p.t.Helper()
	a := p.ask(0, "handle_ticket", `{"ticket":"My vase is broken."}`)
	turn, _ := a.Result.Meta[metaTurn].(string)
	if turn == "" || a.Result.IsError || a.Result.StructuredContent != nil || len(a.Result.Content) != 1 {
		p.t.Fatalf("opening a turn: %s", a.line)
	}
	return turn
}

// ways are the ways in which a pick tool takes a pick.
var ways = map[string]func(turn, option, args string) string{
	"args as an object": func(turn, option, args string) string {
		return fmt.Sprintf(`{"turn":%q,"call":%q,"args":%s}`, turn, option, args)
	},
	"args as text": func(turn, option, args string) string {
		quoted, _ := json.Marshal(args)
		return fmt.Sprintf(`{"turn":%q,"call":%q,"args":%s}`, turn, option, quoted)
	},
	"a reply in prose": func(turn, option, args string) string {
		reply, _ := json.Marshal(fmt.Sprintf("I looked at it.\n{\"call\": %q, \"args\": %s}", option, args))
		return fmt.Sprintf(`{"turn":%q,"text":%s}`, turn, reply)
	},
	"flattened": func(turn, option, args string) string {
		inner := strings.TrimSuffix(strings.TrimPrefix(args, "{"), "}")
		if inner == "" {
			return fmt.Sprintf(`{"turn":%q,"call":%q}`, turn, option)
		}
		return fmt.Sprintf(`{"turn":%q,"call":%q,%s}`, turn, option, inner)
	},
}

// TestAPickHasTheContentOfTheCall compares the bytes of both ways, for every kind of content block, for failures and for panics.
func TestAPickHasTheContentOfTheCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, option, pick, args string
		flat                       bool // a way that flattens reaches the same arguments
	}{
		{"lookup_order", "look", "pick_read", `{"order_id":"A-1042"}`, true},
		{"media", "media", "pick_read", `{"n":9007199254740993}`, true},
		{"media", "media", "pick_destructive", `{}`, true},
		{"nothing", "nothing", "pick_read", `{}`, true},
		{"boom", "boom", "pick_read", `{}`, true},
		{"add_note", "note", "pick_write", `{"order_id":"A-1","text":"Called <b>&"}`, false},
		{"add_note", "note", "pick_destructive", `{"order_id":"A-1","text":""}`, false},
	} {
		for name, way := range ways {
			if name == "flattened" && !c.flat {
				continue
			}
			t.Run(c.option+" "+c.pick+" "+name, func(t *testing.T) {
				t.Parallel()
				p := connect(t, newDesk().server(t, Options{}))
				native := p.ask(1, c.method, c.args)
				picked := p.ask(2, c.pick, way(p.openTurn(), c.option, c.args))
				comparePaths(t, native, picked)
				p.end()
			})
		}
	}
}

func comparePaths(t interface {
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, native, picked answer) {
	if native.Error != nil || picked.Error != nil || len(picked.Result.Content) == 0 {
		t.Fatalf("native %s\npicked %s", native.line, picked.line)
	}
	if diff := cmp.Diff(texts(native.Result.Content), texts(picked.Result.Content[1:])); diff != "" {
		t.Errorf("native and picked content differ:\n%s", diff)
	}
	if native.Result.IsError != picked.Result.IsError {
		t.Errorf("isError: native %v, picked %v", native.Result.IsError, picked.Result.IsError)
	}
	if picked.Result.StructuredContent != nil {
		t.Errorf("a pick has structured content: %s", picked.line)
	}
	if bytes.Contains(picked.line, []byte("hunter2")) || bytes.Contains(native.line, []byte("hunter2")) {
		t.Errorf("the text of a panic got out")
	}
}

// reference is what a failure is called in the log; each run has its own.
var reference = regexp.MustCompile(`ref [0-9A-Z]+`)

func texts(blocks []json.RawMessage) []string {
	list := make([]string, len(blocks))
	for i, b := range blocks {
		list[i] = reference.ReplaceAllString(string(b), "ref X")
	}
	return list
}

// TestEveryPickEqualsItsCall tries arguments at random, most of them wrong. A call that is not run natively must not be run by
// a pick either, and the problems must be the same.
func TestEveryPickEqualsItsCall(t *testing.T) {
	p := connect(t, newDesk().server(t, Options{}))
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{`"A-1"`, `"x"`, `""`, `1`, `1.0`, `1e2`, `-0`, `9007199254740993`, `null`, `true`, `[]`, `{}`, `"ä\u2028"`})
		fields := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"order_id", "text", "n", "extra", "Order_ID", "txt"}), 0, 4, rapid.ID[string]).Draw(t, "fields")
		var members []string
		for _, f := range fields {
			members = append(members, fmt.Sprintf("%q:%s", f, value.Draw(t, f)))
		}
		args := "{" + strings.Join(members, ",") + "}"
		pair := rapid.SampledFrom([][2]string{{"lookup_order", "look"}, {"media", "media"}, {"nothing", "nothing"}, {"add_note", "note"}}).Draw(t, "method")

		native := p.ask(1, pair[0], args)
		turn := p.openTurn()
		picked := p.ask(2, "pick_destructive", ways["args as text"](turn, pair[1], args))
		if kind := native.Result.Meta[metaError]; kind != nil {
			if picked.Result.Meta[metaError] != kind || !picked.Result.IsError {
				t.Fatalf("args %s\nnative %s\npicked %s", args, native.line, picked.line)
			}
			return
		}
		comparePaths(t, native, picked)
	})
	p.end()
}

func TestThePickToolIsACeiling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		option, args, tool, names string // names = the right tool, "" when this one is right
	}{
		{"look", `{"order_id":"A-1"}`, "pick_read", ""},
		{"look", `{"order_id":"A-1"}`, "pick_write", ""},
		{"note", `{"order_id":"A-1","text":"x"}`, "pick_read", "pick_write"},
		{"note", `{"order_id":"A-1","text":"x"}`, "pick_write", ""},
		{"refund", `{"order_id":"A-1","amount":5}`, "pick_read", "pick_destructive"},
		{"refund", `{"order_id":"A-1","amount":5}`, "pick_write", "pick_destructive"},
		{"refund", `{"order_id":"A-1","amount":5}`, "pick_destructive", ""},
		{"close", `{}`, "pick_destructive", ""},
	} {
		for name, way := range ways {
			if name == "flattened" && c.option == "note" {
				continue
			}
			t.Run(c.option+" "+c.tool+" "+name, func(t *testing.T) {
				t.Parallel()
				p := connect(t, newDesk().server(t, Options{}))
				turn := p.openTurn()
				a := p.ask(2, c.tool, way(turn, c.option, c.args))
				if a.Result.IsError != (c.names != "") || !strings.Contains(a.text(0), c.names) {
					t.Fatalf("got %s", a.line)
				}
				if c.names == "" {
					p.end()
					return
				}
				again, _ := a.Result.Meta[metaTurn].(string) // the refusal left the turn open
				if a := p.ask(3, c.names, way(again, c.option, c.args)); a.Result.IsError {
					t.Errorf("the right tool: %s", a.line)
				}
				p.end()
			})
		}
	}
}
