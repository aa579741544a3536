package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/validate"
)

func TestFromFuncRefuses(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `json:"a"`
	}
	named := Method{Name: "m"}
	for _, c := range []struct {
		name string
		m    Method
		fn   any
		want string
	}{
		{"nil", named, nil, "the function is nil"},
		{"typed nil", named, (func(context.Context, in) (string, error))(nil), "the function is nil"},
		{"no function", named, 5, "a int is no function"},
		{"variadic", named, func(context.Context, ...string) (string, error) { return "", nil }, "a variadic function can't be called by names"},
		{"too few", named, func(context.Context) (string, error) { return "", nil }, "takes 1 values, not 2"},
		{"no context", named, func(in, in) (string, error) { return "", nil }, "first parameter is registry.in, not context.Context"},
		{"no error", named, func(context.Context, in) string { return "" }, "returns 1 values, not 2"},
		{"other error", named, func(context.Context, in) (string, string) { return "", "" }, "second result is string, not error"},
		{"no struct", named, func(context.Context, string) (string, error) { return "", nil }, "the input is string; write a struct"},
		{"own JSON", named, func(context.Context, time.Time) (string, error) { return "", nil }, "reads JSON by a method of its own"},
		{"Run too", Method{Name: "m", Run: func(context.Context, Args) (any, error) { return nil, nil }},
			func(context.Context, in) (string, error) { return "", nil }, "Run is made of the function"},
		{"parameter without a field", Method{Name: "m", Params: []Param{{Name: "b", Type: String}}},
			func(context.Context, in) (string, error) { return "", nil }, "params: b: registry.in has no field of that JSON name"},
		{"output", named, func(context.Context, in) (struct{ C chan int }, error) { panic("not run") }, "output: C: chan int has no JSON form"},
		{"input", named, func(context.Context, struct{ C func() }) (string, error) { return "", nil }, "input: C: func() has no JSON form"},
	} {
		_, err := FromFunc(c.m, c.fn)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `method "m"`) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
}

type everything struct {
	S  string                       `json:"s"`
	B  bool                         `json:"b"`
	I  int64                        `json:"i"`
	U  uint64                       `json:"u"`
	I8 int8                         `json:"i8"`
	F  float64                      `json:"f"`
	L  []int64                      `json:"l"`
	M  map[string]uint16            `json:"m"`
	P  *string                      `json:"p"`
	N  struct{ A, B []string }      `json:"n"`
	D  []byte                       `json:"d"`
	MM map[int8]map[string][2]int32 `json:"mm"`
}

// What a caller writes arrives as it is, 64-bit integers included.
func TestTypedDecodesExactly(t *testing.T) {
	t.Parallel()
	var got everything
	m, err := FromFunc(Method{Name: "m"}, func(_ context.Context, in everything) (string, error) { got = in; return "ok", nil })
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Make[everything]().Draw(t, "in")
		want.S = strings.ToValidUTF8(want.S, "?")
		raw, err := json.Marshal(want)
		if err != nil {
			t.Skip("no JSON form")
		}
		got = everything{}
		if _, err := m.Run(t.Context(), decoded(t, raw)); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(raw) {
			t.Fatalf("got %s, want %s", again, raw)
		}
	})
}

func decoded(t interface{ Fatal(...any) }, raw []byte) Args {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var args Args
	if err := d.Decode(&args); err != nil {
		t.Fatal(err)
	}
	return args
}

func TestTypedNumbersInAny(t *testing.T) {
	t.Parallel()
	m, err := FromFunc(Method{Name: "m"}, func(_ context.Context, in struct{ A any }) (any, error) { return in.A, nil })
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Run(t.Context(), Args{"A": json.Number("12345678901234567890")})
	if err != nil || got != json.Number("12345678901234567890") {
		t.Errorf("got %#v, %v", got, err)
	}
}

// A value that the schema takes and the Go type does not is named, and ends the call as not run. What is hidden or
// secret is not told.
func TestTypedMisfit(t *testing.T) {
	t.Parallel()
	type in struct {
		A    int        `json:"a"`
		IP   netip.Addr `json:"ip"`
		Key  netip.Addr `json:"key" secret:"true"`
		Desk netip.Addr `json:"desk" from:"caller.id"`
	}
	ran := false
	m, err := FromFunc(Method{Name: "m"}, func(context.Context, in) (string, error) { ran = true; return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	good := Args{"a": json.Number("1"), "ip": "::1", "key": "::1", "desk": "::1"}
	for _, c := range []struct {
		name, path, hint string
		value            any
	}{
		{"a", "args.a", "does not fit int", json.Number("18446744073709551615")},
		{"ip", "args.ip", "here", "here"},
		{"key", "args.key", "", "TOPSECRET"},
		{"desk", "", `"desk"`, "TOPSECRET"},
	} {
		args := Args{}
		for k, v := range good {
			args[k] = v
		}
		args[c.name] = c.value
		_, err := m.Run(t.Context(), args)
		var unstarted *notStarted
		if !errors.As(err, &unstarted) {
			t.Errorf("%s: got %v, want an error marked as not started", c.name, err)
			continue
		}
		text := err.Error()
		var bad *validate.Error
		if errors.As(err, &bad) {
			text = bad.Problems[0].Path + " " + bad.Problems[0].Hint
		} else if c.path != "" {
			t.Errorf("%s: got %v, want a validate.Error", c.name, err)
		}
		if !strings.Contains(text, c.path) || !strings.Contains(text, c.hint) || strings.Contains(text, "TOPSECRET") {
			t.Errorf("%s: got %q, want %q and %q in it", c.name, text, c.path, c.hint)
		}
	}
	if ran {
		t.Error("the function ran")
	}
}

func TestTypedResults(t *testing.T) {
	t.Parallel()
	type out struct {
		A int `json:"a"`
	}
	failure := errors.New("broken")
	for _, c := range []struct {
		name    string
		fn      any
		want    any
		err     string
		returns bool
	}{
		{"text", func(context.Context, struct{}) (string, error) { return "x", nil }, "x", "", false},
		{"nothing", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }, nil, "", false},
		{"struct", func(context.Context, struct{}) (out, error) { return out{1}, nil }, out{1}, "", true},
		{"pointer", func(context.Context, struct{}) (*out, error) { return &out{1}, nil }, &out{1}, "", true},
		{"nil pointer", func(context.Context, struct{}) (*out, error) { return nil, nil }, nil, "neither a result nor an error", true},
		{"list", func(context.Context, struct{}) ([]out, error) { return []out{{1}}, nil }, []out{{1}}, "", false},
		{"block", func(context.Context, struct{}) (Block, error) { return Text("x"), nil }, Text("x"), "", false},
		{"blocks", func(context.Context, struct{}) ([]Block, error) { return []Block{Text("x")}, nil }, []Block{Text("x")}, "", false},
		{"time", func(context.Context, struct{}) (time.Time, error) { return time.Time{}, nil }, time.Time{}, "", false},
		{"tree", func(context.Context, struct{}) (tree, error) { return tree{}, nil }, tree{}, "", false},
		{"error", func(context.Context, struct{}) (out, error) { return out{1}, failure }, nil, "broken", true},
	} {
		m, err := FromFunc(Method{Name: "m"}, c.fn)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if (m.Returns != nil) != c.returns {
			t.Errorf("%s: Returns is %v", c.name, m.Returns)
		}
		got, err := m.Run(t.Context(), nil)
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) || c.err == "" && err != nil {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

// Whatever a typed function returns fits the shape that was read from its type, nil values included.
func TestTypedResultsFitTheirShape(t *testing.T) {
	t.Parallel()
	var out everything
	made, err := FromFunc(Method{Name: "m", Summary: "S.", Effect: Read, ResultCap: maxResultCap},
		func(context.Context, struct{}) (everything, error) { return out, nil })
	if err != nil {
		t.Fatal(err)
	}
	m, err := Prepare(made)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		out = rapid.Make[everything]().Draw(t, "out")
		result, err := Call(t.Context(), Request{Method: m})
		if err != nil || result.State != Done || result.Structured == nil {
			t.Fatalf("got %s, %v, %v, structured %s", result.State, err, result.Err, result.Structured)
		}
		v, err := validate.Decode(result.Structured)
		if err != nil {
			t.Fatal(err)
		}
		if problems := m.made.outputChecker.Check("result", v); len(problems) > 0 {
			t.Fatalf("%s: %v", result.Structured, problems)
		}
	})
}

// The whole way: checked against the schema of the tags, decoded, run.
func TestAddRunsThroughTheDoor(t *testing.T) {
	t.Parallel()
	type in struct {
		N    uint64  `json:"n"`
		At   address `json:"at"`
		Desk string  `json:"desk" from:"caller.id"`
		Size int8    `json:"size" default:"3"`
	}
	var got in
	r := New()
	err := Add(r, Method{Name: "m", Summary: "S.", Effect: Read}, func(_ context.Context, in in) (struct{}, error) { got = in; return struct{}{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	m, _ := r.Snapshot().Find("m")
	for _, c := range []struct {
		args string
		want in
		kind validate.Kind
	}{
		{`{"n": 9223372036854775807, "at": {"street": "S", "more": 1}}`, in{1<<63 - 1, address{Street: "S"}, "token:a", 3}, ""},
		{`{"n": -1, "at": {"street": "S"}}`, in{}, validate.TypeMismatch},
		{`{"n": 1, "at": {}}`, in{}, validate.MissingRequired},
		{`{"n": 1, "at": {"street": "S"}, "desk": "mine"}`, in{}, validate.BadArgs},
		{`{"n": 1, "at": {"street": "S"}, "size": 128}`, in{}, validate.TypeMismatch},
	} {
		got = in{}
		result, err := Call(t.Context(), Request{Method: m, Args: json.RawMessage(c.args), Caller: Caller{ID: "token:a"}})
		var bad *validate.Error
		if errors.As(err, &bad) != (c.kind != "") || c.kind == "" && result.State != Done || bad != nil && bad.Kind != c.kind {
			t.Errorf("%s: got %v, %v, %v", c.args, result.State, result.Err, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.args, diff)
		}
	}
	if err := Add[in, string](r, Method{Name: "nil", Summary: "S."}, nil); err == nil || !strings.Contains(err.Error(), `method "nil": the function is nil`) {
		t.Errorf("a nil function: got %v", err)
	}
}
