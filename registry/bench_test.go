package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func benchMethod(b *testing.B) *Method {
	return prepared(b, Method{Name: "lookup_order", Effect: Read, Params: []Param{
		{Name: "order_id", Type: String, Keywords: []Keyword{{"pattern", json.RawMessage(`"^[A-Z]-[0-9]+$"`)}}},
		{Name: "limit", Type: Integer, Default: json.RawMessage(`10`), Keywords: []Keyword{{"minimum", json.RawMessage(`1`)}}},
		{Name: "state", Type: String, Optional: true, Enum: raws(`"open"`, `"closed"`)},
	}, Run: func(context.Context, Args) (any, error) { return "ok", nil }})
}

// BenchmarkCall is one call of a method that reads, with three parameters: the cost of the door.
func BenchmarkCall(b *testing.B) {
	m, args := benchMethod(b), json.RawMessage(`{"order_id":"A-1042","state":"open"}`)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Call(context.Background(), Request{Method: m, Args: args}); err != nil || r.State != Done {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkCheck is the part of it that reads and checks the arguments.
func BenchmarkCheck(b *testing.B) {
	m, args := benchMethod(b), json.RawMessage(`{"order_id":"A-1042","state":"open"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Check(args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPrepare is what registering costs.
func BenchmarkPrepare(b *testing.B) {
	m := *benchMethod(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Prepare(m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheckRows reads many small objects that may have many fields: the time goes with what is given.
func BenchmarkCheckRows(b *testing.B) {
	fields := make([]Param, 400)
	for i := range fields {
		fields[i] = Param{Name: fmt.Sprint("field_", i), Type: String, Optional: true}
	}
	m := prepared(b, Method{Params: []Param{{Name: "rows", Type: Array, Items: &Param{Type: Object, Fields: fields}}}})
	for name, row := range map[string]string{"empty": `{}`, "unknown": `{"zz":1}`, "known": `{"field_7":"x"}`} {
		args := json.RawMessage(`{"rows":[` + strings.TrimSuffix(strings.Repeat(row+",", 15_000), ",") + `]}`)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Check(args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
