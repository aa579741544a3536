package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// pickClass is one pick tool that some option needs.
type pickClass struct {
	class     registry.Effect
	openWorld bool // some option that it can run talks to systems outside
}

// picksNeeded are the pick tools for the options that are offered, mild to severe.
func picksNeeded(v *decide.View, decisions []*decide.Decision) []pickClass {
	needed, open := map[registry.Effect]bool{}, map[registry.Effect]bool{}
	for _, d := range decisions {
		for _, o := range v.Offered(d) {
			e := effectOf(o.Method)
			needed[e] = true
			open[e] = open[e] || o.Method.OpenWorld
		}
	}
	var picks []pickClass
	openBelow := false
	for _, class := range []registry.Effect{registry.Read, registry.Write, registry.Destructive} {
		openBelow = openBelow || open[class]
		if needed[class] {
			picks = append(picks, pickClass{class, openBelow})
		}
	}
	return picks
}

var pickDescriptions = map[registry.Effect]string{
	registry.Read:        "Takes one option marked [read] of an open turn and returns what came of it. Changes nothing outside the turn.",
	registry.Write:       "Takes one option marked [write] or [read] of an open turn, runs it and returns what came of it. May change things that can be mended.",
	registry.Destructive: "Takes one option of an open turn, whatever its mark, runs it and returns what came of it. May change things that can't be undone.",
}

// pickSchema is written by hand: args is declared as text, since many clients make text of a nested object anyway.
const pickSchema = `{"type":"object","properties":{` +
	`"turn":{"type":"string","description":"The turn as the menu gives it, e.g. k7m2-1."},` +
	`"reason":{"type":"string","description":"Why this option, in a sentence. Kept with the turn."},` +
	`"call":{"type":"string","description":"The option, named as in its Call line."},` +
	`"args":{"type":"string","description":"The option's arguments, a JSON object written as text, e.g. {\"order_id\": \"A-1042\"}. Not needed when the option takes none."},` +
	`"text":{"type":"string","description":"Instead of call and args: a reply in prose that ends in one pick, a JSON object as in the Call lines."}` +
	`},"required":["turn"],"additionalProperties":false}`

func (s *Server) pickTool(p pickClass) sdk.ServerTool {
	h := ofClass(p.class)
	h.openWorld = p.openWorld
	return sdk.ServerTool{
		Tool: mcp.Tool{
			Name:           decide.PickTool(p.class),
			Title:          fmt.Sprintf("Pick a %s option", p.class),
			Description:    pickDescriptions[p.class],
			RawInputSchema: json.RawMessage(pickSchema),
			Annotations:    h.annotation(),
		},
		Handler: s.guarded(s.pick(p.class)),
	}
}

// pick answers a round through the pick tool of a class. The class is the ceiling of whatever runs.
func (s *Server) pick(class registry.Effect) toolFunc {
	return func(ctx context.Context, args json.RawMessage, _ *mcp.Meta) (*mcp.CallToolResult, error) {
		a, err := readPick(args)
		if err != nil {
			return errorResult("Not run: "+err.Error()+".", map[string]any{metaError: "bad_args"}), nil
		}
		a.Caller, a.Channel, a.Ceiling = s.callerOf(ctx), decide.Host, class
		out, err := s.eng.Answer(ctx, s.viewOf(ctx), a)
		if err != nil {
			return s.notRun(ctx, decide.PickTool(class), err)
		}
		return turnResult(out), nil
	}
}

// The parameters of the pick tools. One of an option's own that has such a name is given in args.
var pickParams = []string{"turn", "reason", "call", "args", "text"}

const pickForm = `give turn, and call and args of one Call line: {"turn": "k7m2-1", "call": "…", "args": "{…}"}`

// readPick reads the arguments of a pick tool. The error is for the model; what is wrong with the
// pick itself is left to the engine, which counts it.
func readPick(raw json.RawMessage) (decide.Answer, error) {
	fields, err := readObject(raw)
	if err != nil {
		return decide.Answer{}, err
	}
	var a decide.Answer
	for _, p := range []struct {
		name string
		into *string
	}{{"turn", &a.Handle}, {"call", &a.Call}, {"text", &a.Text}} {
		v := fields.get(p.name)
		if v != nil && json.Unmarshal(v, p.into) != nil {
			return decide.Answer{}, fmt.Errorf("%s must be a text, got %s; %s", p.name, shortened(v), pickForm)
		}
	}
	if a.Handle = strings.TrimSpace(a.Handle); a.Handle == "" {
		return decide.Answer{}, errors.New("turn is missing; " + pickForm)
	}
	if v := fields.get("reason"); v != nil && json.Unmarshal(v, &a.Reason) != nil {
		a.Reason = string(v)
	}
	a.Args = unwrapped(fields.get("args"))
	if a.Call != "" || a.Text != "" { // beside a text they are a mistake that the engine has to see
		a.Args, err = withFlattened(a.Args, fields)
	}
	return a, err
}

// unwrapped are args as an object, whichever way they came: as one, or as text that holds one. Anything else stays
// as it is, and does not fit any option.
func unwrapped(args json.RawMessage) json.RawMessage {
	var text string
	if args == nil || json.Unmarshal(args, &text) != nil {
		return args
	}
	switch text = strings.TrimSpace(text); {
	case text == "", text == "null":
		return nil
	case text[0] == '{':
		return json.RawMessage(text)
	}
	return args
}

// withFlattened adds the arguments that stand beside call or text instead of in args.
func withFlattened(args json.RawMessage, fields object) (json.RawMessage, error) {
	var beside object
	for _, f := range fields {
		if !slices.Contains(pickParams, f.name) {
			beside = append(beside, f)
		}
	}
	if len(beside) == 0 {
		return args, nil
	}
	inside, err := readObject(args)
	if err != nil {
		return args, nil // the engine says what is wrong with it
	}
	for _, f := range beside {
		switch at := slices.IndexFunc(inside, func(g field) bool { return g.name == f.name }); {
		case at < 0:
			inside = append(inside, f)
		case !bytes.Equal(inside[at].value, f.value):
			return nil, fmt.Errorf("%q stands in args and beside them, with two values; give it once, in args", f.name)
		}
	}
	return inside.json(), nil
}

// object is a JSON object as it was written: its fields in order, their values byte for byte.
type object []field

type field struct {
	name  string
	value json.RawMessage
}

// get is the value of a field; nil when it is absent or null.
func (o object) get(name string) json.RawMessage {
	for _, f := range o {
		if f.name == name && !bytes.Equal(f.value, []byte("null")) {
			return f.value
		}
	}
	return nil
}

func (o object) json() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(f.name) // a string always encodes
		b.Write(name)
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// readObject reads an object; absent and null are the empty one.
func readObject(raw json.RawMessage) (object, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	d := strictly(raw)
	if d.PeekKind() != '{' {
		return nil, fmt.Errorf("the arguments must be one JSON object, got %s; %s", shortened(raw), pickForm)
	}
	var o object
	err := eachKey(d, nil, func(key string) error {
		v, err := d.ReadValue()
		o = append(o, field{key, bytes.Clone(v)})
		return err
	})
	if err == nil {
		err = onlyEnd(d)
	}
	if err != nil {
		return nil, fmt.Errorf("the arguments can't be read; %s", pickForm)
	}
	return o, nil
}

func onlyEnd(d *jsontext.Decoder) error {
	if len(bytes.TrimSpace(d.UnreadBuffer())) > 0 {
		return errors.New("text after the end")
	}
	return nil
}

// shortened quotes a value in an error, cut.
func shortened(raw json.RawMessage) string {
	text := plain(strings.Join(strings.Fields(string(raw)), " "), 60)
	return strings.ReplaceAll(text, "`", "'")
}
