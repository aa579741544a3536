package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ran is the result of a read that returns the value.
func ran(t testing.TB, m Method, value any) Result {
	t.Helper()
	m.Effect, m.Run = Read, func(context.Context, Args) (any, error) { return value, nil }
	r, err := Call(context.Background(), Request{Method: prepared(t, m)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContentOfValues(t *testing.T) {
	t.Parallel()
	type order struct {
		ID    string  `json:"id"`
		Total float64 `json:"total"`
	}
	picture := Image([]byte{1, 2}, "image/png")
	tests := []struct {
		name  string
		value any
		want  []Block
		fails string
	}{
		{name: "nothing", value: nil, want: []Block{Text("")}},
		{name: "text", value: "a <b>\n\x1b[31m", want: []Block{Text("a <b>\n\x1b[31m")}},
		{name: "text that is no UTF-8", value: "a\xffb", want: []Block{Text("a\ufffdb")}},
		{name: "JSON as it stands", value: json.RawMessage("{\"a\": 1.50,\n \"a2\":1e2}"), want: []Block{Text("{\"a\": 1.50,\n \"a2\":1e2}")}},
		{name: "no JSON", value: json.RawMessage("nope"), fails: "m failed: it ran to its end, but its result is marked as JSON and is not"},
		{name: "JSON of nothing", value: json.RawMessage(nil), want: []Block{Text("")}},
		{name: "struct", value: order{"<A&1>", 39.9}, want: []Block{Text(`{"id":"<A&1>","total":39.9}`)}},
		{name: "map", value: map[string]any{"b": 1, "a": nil}, want: []Block{Text(`{"a":null,"b":1}`)}},
		{name: "number", value: 5, want: []Block{Text("5")}},
		{name: "not a number", value: math.NaN(), fails: "m failed: it ran to its end, but its result can't be written as JSON"},
		{name: "block", value: picture, want: []Block{picture}},
		{name: "blocks", value: []Block{Text("a"), picture, Link("file:///x", "x"), Resource("file:///y", "text/plain", "y"), Blob("file:///z", "", nil), Audio(nil, "audio/wav")},
			want: []Block{Text("a"), picture, Link("file:///x", "x"), Resource("file:///y", "text/plain", "y"), Blob("file:///z", "", nil), Audio(nil, "audio/wav")}},
		{name: "no blocks", value: []Block{}, want: []Block{}},
		{name: "block of no type", value: Block{Text: "x"}, fails: `m failed: it ran to its end, but block 1 of its result: "" is not a type of content block`},
		{name: "image without type", value: []Block{Text("x"), {Type: "image"}}, fails: "block 2 of its result: the image block has no MIME type"},
		{name: "link to nowhere", value: Block{Type: "resource_link", Name: "x"}, fails: "no URI"},
		{name: "link without name", value: Link("file:///x", ""), fails: "no name"},
		{name: "bad meta", value: Block{Type: "text", Meta: json.RawMessage(`[]`)}, fails: "not a JSON object"},
		{name: "heavy", value: []Block{Image(make([]byte, maxBinary), "image/png"), Audio([]byte{1}, "audio/wav"), Text("x")},
			want: []Block{Image(make([]byte, maxBinary), "image/png"), Text("[audio of 1 bytes left out: a result holds at most 4194304]"), Text("x")}},
		{name: "too heavy", value: Image(make([]byte, maxBinary+1), "image/png"), want: []Block{Text("[image of 4194305 bytes left out: a result holds at most 4194304]")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := ran(t, Method{}, tt.value)
			if tt.fails != "" {
				if r.State != Failed || !strings.Contains(r.Content[0].Text, tt.fails) || r.Value != nil {
					t.Errorf("state %s, value %v, content %v, want %q", r.State, r.Value, r.Content, tt.fails)
				}
				return
			}
			if diff := cmp.Diff(tt.want, r.Content, cmp.Comparer(bytes.Equal)); r.State != Done || diff != "" {
				t.Errorf("state %s, -want +got\n%s", r.State, diff)
			}
		})
	}
}

func TestManyBlocks(t *testing.T) {
	t.Parallel()
	blocks := make([]Block, maxBlocks+5)
	for i := range blocks {
		blocks[i] = Text("x")
	}
	r := ran(t, Method{}, blocks)
	if n := len(r.Content); n != maxBlocks+1 || r.Content[maxBlocks].Text != "[5 more blocks left out]" {
		t.Errorf("%d blocks, the last %+v", n, r.Content[n-1])
	}
	if len(blocks) != maxBlocks+5 || blocks[maxBlocks].Text != "x" {
		t.Error("the method's own blocks were changed")
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	order := Method{Returns: &Param{Type: Object, Fields: []Param{{Name: "total", Type: Number}, {Name: "state", Type: String, Enum: raws(`"open"`, `"closed"`)}}}}
	type typed struct {
		Total float64 `json:"total"`
		State string  `json:"state"`
	}
	tests := []struct {
		name  string
		value any
		want  string
		fails string
	}{
		{name: "JSON", value: json.RawMessage(`{"total": 39.90, "state":"open"}`), want: `{"total": 39.90, "state":"open"}`},
		{name: "struct", value: typed{1, "closed"}, want: `{"total":1,"state":"closed"}`},
		{name: "map", value: map[string]any{"total": json.Number("1.0"), "state": "open"}, want: `{"state":"open","total":1.0}`},
		{name: "text", value: `{"total":1,"state":"open"}`, fails: "not the object that it declares"},
		{name: "nothing", value: nil, fails: "not the object that it declares"},
		{name: "list", value: []int{1}, fails: "not the object that it declares"},
		{name: "blocks", value: []Block{Text("x")}, fails: "not the object that it declares"},
		{name: "missing", value: map[string]any{"total": 1}, fails: "result.state"},
		{name: "outside the enum", value: typed{1, "lost"}, fails: "result.state"},
		{name: "twice", value: json.RawMessage(`{"total":1,"total":2,"state":"open"}`), fails: "not what it declares"},
		{name: "one more", value: map[string]any{"total": 1, "state": "open", "x": 1}, fails: "not what it declares"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := ran(t, order, tt.value)
			if tt.fails != "" {
				if r.State != Failed || r.Structured != nil || !strings.Contains(r.Content[0].Text, tt.fails) {
					t.Errorf("%s, structured %s, content %v, want %q", r.State, r.Structured, r.Content, tt.fails)
				}
				return
			}
			if r.State != Done || string(r.Structured) != tt.want || r.Content[0].Text != tt.want {
				t.Errorf("%s, structured %s, content %v, want %s", r.State, r.Structured, r.Content, tt.want)
			}
		})
	}
	if r := ran(t, Method{}, typed{1, "open"}); r.Structured != nil {
		t.Errorf("structured %s without a declared result", r.Structured)
	}
}

// The wire form of a block reads back as the block, and has the members of the protocol.
func TestBlockJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		block Block
		want  string
	}{
		{Text(""), `{"type":"text","text":""}`},
		{Block{Type: "text", Text: "<a>", Annotations: json.RawMessage(`{"priority":1}`), Meta: json.RawMessage(`{"k":"v"}`)},
			`{"type":"text","text":"<a>","annotations":{"priority":1},"_meta":{"k":"v"}}`},
		{Image([]byte("hi"), "image/png"), `{"type":"image","data":"aGk=","mimeType":"image/png"}`},
		{Audio([]byte{}, "audio/wav"), `{"type":"audio","data":"","mimeType":"audio/wav"}`},
		{Block{Type: "resource_link", URI: "file:///x", Name: "x", Title: "X", Description: "d", MIMEType: "text/plain"},
			`{"type":"resource_link","mimeType":"text/plain","uri":"file:///x","name":"x","title":"X","description":"d"}`},
		{Resource("file:///x", "text/plain", ""), `{"type":"resource","resource":{"uri":"file:///x","mimeType":"text/plain","text":""}}`},
		{Blob("file:///x", "", nil), `{"type":"resource","resource":{"uri":"file:///x","blob":""}}`},
	} {
		text, err := encodeJSON(tt.block)
		if err != nil || string(text) != tt.want {
			t.Errorf("%+v is written %s, %v, want %s", tt.block, text, err, tt.want)
		}
		var back Block
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%s can't be read: %v", text, err)
		}
		if diff := cmp.Diff(tt.block, back); diff != "" {
			t.Errorf("%s reads back -want +got\n%s", text, diff)
		}
	}
	for _, bad := range []string{`{"type":"video"}`, `{"type":"image","data":"aGk="}`, `{"type":"text","text":1}`, `{}`} {
		var b Block
		if err := json.Unmarshal([]byte(bad), &b); err == nil {
			t.Errorf("%s is read as %+v", bad, b)
		}
	}
	if text, err := json.Marshal(Block{Type: "video"}); err == nil {
		t.Errorf("a block of an unknown type is written %s", text)
	}
}
