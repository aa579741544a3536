package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
)

func TestReadPick(t *testing.T) {
	t.Parallel()
	pick := func(args string) decide.Answer {
		return decide.Answer{Handle: "k7m2-1", Call: "refund", Args: json.RawMessage(args)}
	}
	for _, c := range []struct {
		name, args string
		want       decide.Answer
		problem    string // a part of it
	}{
		{name: "args as an object", args: `{"turn":"k7m2-1","call":"refund","args":{"amount": 1.50}}`, want: pick(`{"amount": 1.50}`)},
		{name: "args as text", args: `{"turn":"k7m2-1","call":"refund","args":" {\"amount\": 1.50} "}`, want: pick(`{"amount": 1.50}`)},
		{name: "args absent", args: `{"turn":"k7m2-1","call":"refund"}`, want: pick("")},
		{name: "args null", args: `{"turn":"k7m2-1","call":"refund","args":null}`, want: pick("")},
		{name: "args empty text", args: `{"turn":"k7m2-1","call":"refund","args":"  "}`, want: pick("")},
		{name: "args the text null", args: `{"turn":"k7m2-1","call":"refund","args":"null"}`, want: pick("")},
		{name: "args a list goes to the engine", args: `{"turn":"k7m2-1","call":"refund","args":[1]}`, want: pick(`[1]`)},
		{name: "args other text goes to the engine", args: `{"turn":"k7m2-1","call":"refund","args":"A-1042"}`, want: pick(`"A-1042"`)},
		{name: "args broken text goes to the engine", args: `{"turn":"k7m2-1","call":"refund","args":"{\"amount\": 1"}`, want: pick(`{"amount": 1`)},
		{name: "flattened", args: `{"turn":"k7m2-1","call":"refund","order_id":"A-1","amount":9007199254740993}`, want: pick(`{"order_id":"A-1","amount":9007199254740993}`)},
		{name: "flattened and args", args: `{"turn":"k7m2-1","call":"refund","args":"{\"order_id\":\"A-1\"}","amount":2}`, want: pick(`{"order_id":"A-1","amount":2}`)},
		{name: "flattened twice alike", args: `{"turn":"k7m2-1","call":"refund","args":{"amount":2},"amount":2}`, want: pick(`{"amount":2}`)},
		{name: "flattened twice otherwise", args: `{"turn":"k7m2-1","call":"refund","args":{"amount":2},"amount":3}`, problem: `"amount" stands in args and beside them`},
		{name: "flattened beside args that are none", args: `{"turn":"k7m2-1","call":"refund","args":"x","amount":3}`, want: pick(`"x"`)},
		{name: "a parameter named turn is taken from args", args: `{"turn":"k7m2-1","call":"refund","args":{"turn":"left","reason":7,"args":[1]}}`, want: pick(`{"turn":"left","reason":7,"args":[1]}`)},
		{name: "empty text is no text", args: `{"turn":" k7m2-1 ","call":"refund","text":"","reason":null}`, want: pick("")},
		{
			name: "call and text both go to the engine", args: `{"turn":"k7m2-1","call":"refund","text":"x","args":{"text":"y"}}`,
			want: decide.Answer{Handle: "k7m2-1", Call: "refund", Text: "x", Args: json.RawMessage(`{"text":"y"}`)},
		},
		{name: "text", args: `{"turn":"k7m2-1","text":"I take {\"call\": \"refund\"}"}`, want: decide.Answer{Handle: "k7m2-1", Text: `I take {"call": "refund"}`}},
		{name: "text of a cut reply", args: `{"turn":"k7m2-1","text":"\ud83d"}`, want: decide.Answer{Handle: "k7m2-1", Text: "\ufffd"}},
		{name: "neither goes to the engine", args: `{"turn":"k7m2-1"}`, want: decide.Answer{Handle: "k7m2-1"}},
		{
			name: "what stands beside text is not lost", args: `{"turn":"k7m2-1","text":"x","amount":3}`,
			want: decide.Answer{Handle: "k7m2-1", Text: "x", Args: json.RawMessage(`{"amount":3}`)},
		},
		{name: "reason", args: `{"turn":"k7m2-1","text":"x","reason":"late"}`, want: decide.Answer{Handle: "k7m2-1", Text: "x", Reason: "late"}},
		{name: "reason that is no text", args: `{"turn":"k7m2-1","text":"x","reason":["a"]}`, want: decide.Answer{Handle: "k7m2-1", Text: "x", Reason: `["a"]`}},

		{name: "nothing", args: ``, problem: "turn is missing"},
		{name: "null", args: `null`, problem: "turn is missing"},
		{name: "no turn", args: `{"call":"refund"}`, problem: "turn is missing"},
		{name: "empty turn", args: `{"turn":"","call":"refund"}`, problem: "turn is missing"},
		{name: "turn a number", args: `{"turn":7,"call":"refund"}`, problem: "turn must be a text, got 7"},
		{name: "call an object", args: `{"turn":"k7m2-1","call":{"name":"refund"}}`, problem: `call must be a text, got {"name":"refund"}`},
		{name: "a list", args: `["k7m2-1"]`, problem: `must be one JSON object, got ["k7m2-1"]`},
		{name: "a text", args: `"{\"turn\":1}"`, problem: "must be one JSON object"},
		{name: "a key twice", args: `{"turn":"a","turn":"b"}`, problem: "can't be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := readPick(json.RawMessage(c.args))
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("got %v, want a problem with %q", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got.Args, c.want.Args = json.RawMessage(string(got.Args)), json.RawMessage(string(c.want.Args))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
